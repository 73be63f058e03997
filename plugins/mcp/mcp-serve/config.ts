/** The config block `mcp_serve`. The key is a secret and lives in `.env` only. */
import { z } from 'zod'

export const config = z.object({
  tools: z.array(z.string()).default([]).meta({
    description: 'Tools of svc that clients may call by name, with the approvals they always need; left out: none.',
  }),
  host: z.string().default('127.0.0.1').meta({
    description:
      'Address that `svc mcp serve --http` listens on. Anything but loopback can be reached by others: they need the key.',
  }),
  port: z.number().int().min(0).max(65_535).default(8645).meta({ description: 'Port that it listens on.' }),
  origins: z.array(z.string()).default([]).meta({
    description: 'Origins of web pages that may ask: `https://app.example`; left out: no web page may.',
  }),
  clients: z
    .record(
      z.string(),
      z.object({
        key_env: z
          .string()
          .meta({ description: 'The variable with the key of the client: 16 random characters or more.' }),
        sessions: z.enum(['own', 'all']).default('own').meta({
          description: '`own`: the client sees the sessions that it began; `all`: it sees those of all front ends.',
        }),
        tools: z.array(z.string()).default([]).meta({
          description: 'Tools of svc that this client may call by name, in place of mcp_serve.tools; left out: none.',
        }),
      }),
    )
    .default({})
    .meta({
      description: 'Clients of `--http` with keys and rights of their own, by name: `{ key_env, sessions, tools }`.',
    }),
  idle_minutes: z.number().min(1).default(60).meta({
    description: 'A client of `--http` without a request or an open stream for this long is disconnected.',
  }),
  cwd: z.string().optional().meta({
    description: 'Folder in which new sessions of `--http` work; left out: the folder that the command was started in.',
  }),
})
export type Config = z.infer<typeof config>
