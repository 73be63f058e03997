/** The block `mcp_servers`: a server by each name. */
import { z } from 'zod'

const texts = (what: string) => z.record(z.string(), z.string().meta({ description: what }))
const seconds = z.number().positive()

const tools = z.strictObject({
  include: z.array(z.string()).optional().meta({ description: 'Only these tools are offered. An empty list: none.' }),
  exclude: z.array(z.string()).default([]).meta({ description: 'These tools are not offered.' }),
  resources: z.boolean().default(true).meta({ description: 'Offer tools that list and read its resources.' }),
  prompts: z.boolean().default(true).meta({ description: 'Offer tools that list and fill in its prompts.' }),
})

const sampling = z.strictObject({
  enabled: z.boolean().default(true).meta({ description: 'The server may ask a model while one of its tools runs.' }),
  ask: z.boolean().default(true).meta({ description: 'A person agrees first, once for each conversation.' }),
  model: z
    .string()
    .default('')
    .meta({ description: 'The id of the model that answers. Empty: that of `auxiliary.mcp`.' }),
  provider: z
    .string()
    .default('auto')
    .meta({ description: 'The provider of that model; `auto`: that of the conversation.' }),
  max_tokens_cap: z.int().positive().default(4096).meta({ description: 'The most tokens of one answer.' }),
  timeout: seconds.default(30).meta({ description: 'Seconds for one answer.' }),
  max_rpm: z.int().positive().default(10).meta({ description: 'Requests in a minute.' }),
})

const elicitation = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .meta({ description: 'The server may ask the person while one of its tools runs.' }),
  timeout: seconds.default(300).meta({ description: 'Seconds for the answers.' }),
})

const oauth = z.strictObject({
  client_id: z.string().optional().meta({ description: 'Left out: svc registers itself with the server.' }),
  client_secret: z.string().optional().meta({ description: 'Of the client; write ${NAME}.' }),
  scope: z.string().optional().meta({ description: 'What is asked for; left out: what the server says.' }),
  redirect_port: z.int().min(0).max(65535).default(0).meta({ description: 'Of the callback on this machine; 0: any.' }),
  client_name: z.string().default('svc').meta({ description: 'What the server shows the person.' }),
  timeout: seconds.default(300).meta({ description: 'Seconds to sign in.' }),
})

export const serverSettings = z.strictObject({
  enabled: z.boolean().default(true).meta({ description: 'Whether it is used.' }),
  command: z.string().min(1).optional().meta({ description: 'The program of a server of the transport stdio.' }),
  args: z.array(z.string()).default([]).meta({ description: 'Its arguments.' }),
  env: texts('Its value.')
    .default({})
    .meta({ description: 'Variables it gets beside PATH, HOME and the like; `${NAME}` is one of .env.' }),
  cwd: z.string().optional().meta({ description: 'The folder it runs in; left out: the home of the user.' }),
  url: z.string().min(1).optional().meta({ description: 'The address of a server over HTTP.' }),
  transport: z.enum(['stdio', 'http', 'sse']).optional().meta({
    description: 'Left out: stdio with a command; http with an address, and sse where the server has only that.',
  }),
  headers: texts('Its value.').default({}).meta({ description: 'Headers of each request; `${NAME}` is one of .env.' }),
  auth: z
    .enum(['none', 'oauth'])
    .optional()
    .meta({ description: 'oauth: sign in with `svc mcp login`. Left out: when the server wants it.' }),
  oauth: oauth.prefault({}).meta({ description: 'How svc signs in.' }),
  client_cert: z
    .union([z.string(), z.array(z.string()).min(2).max(3)])
    .optional()
    .meta({
      description: 'A PEM file with certificate and key, one with the certificate, or [certificate, key, password].',
    }),
  client_key: z
    .string()
    .optional()
    .meta({ description: 'The file of the key, when client_cert is the certificate alone.' }),
  ssl_verify: z
    .union([z.boolean(), z.string()])
    .default(true)
    .meta({ description: 'Check the certificate of the server; a path is that of a bundle of CA certificates.' }),
  timeout: seconds
    .default(300)
    .meta({ description: 'Seconds for one call; each report of progress begins them again.' }),
  connect_timeout: seconds.default(60).meta({ description: 'Seconds to start and to say what it offers.' }),
  keepalive_interval: z
    .number()
    .min(5)
    .default(180)
    .meta({ description: 'Seconds between checks of an open connection.' }),
  idle_timeout_seconds: seconds
    .optional()
    .meta({ description: 'Seconds without a call after which it is ended; left out: never.' }),
  max_lifetime_seconds: seconds
    .optional()
    .meta({ description: 'Seconds after which it is restarted; left out: never.' }),
  supports_parallel_tool_calls: z.boolean().default(false).meta({ description: 'Its tools may run at the same time.' }),
  trust_annotations: z.boolean().default(false).meta({
    description: 'Tools that the server calls read-only run without approval. Only for servers that you trust.',
  }),
  roots: z.boolean().default(false).meta({
    description: 'Tell the server the folders of the conversations that use it; some servers then reach those.',
  }),
  skip_preflight: z.boolean().default(false).meta({ description: 'Start it although its command looks dangerous.' }),
  sampling: sampling.prefault({}).meta({ description: 'Its requests to a model.' }),
  elicitation: elicitation.prefault({}).meta({ description: 'Its questions to the person.' }),
  tools: tools.prefault({}).meta({ description: 'Which of its tools are offered.' }),
})

export const config = z
  .record(z.string().regex(/^[A-Za-z0-9_-]{1,60}$/, 'must be letters, digits, hyphens and underscores'), serverSettings)
  .default({})

export type ServerSettings = z.infer<typeof serverSettings>
export type Config = z.infer<typeof config>
