/** The config block `platforms.webhook`, and what a route is, wherever it is kept. */
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { styles } from './signature.ts'

const word = z.union([z.string(), z.number()]).transform(String)

export const routeSchema = z.object({
  style: z.enum(styles).default('generic').meta({
    description: 'Signature scheme of the sender; set by the route, never by the request.',
  }),
  secret: z.string().optional().meta({
    description: 'Shared secret. Keep it in .env: `${NAME}`.',
    secret: true,
  }),
  secret_env: z.string().optional().meta({ description: 'The variable that holds the secret instead.' }),
  events: z.array(z.string()).default([]).meta({ description: 'Events that are taken; empty: all.' }),
  filters: z.unknown().optional().meta({
    description: 'A condition on the event: `all`, `any`, `not`, or a `field` with what it must be.',
  }),
  script: z.string().optional().meta({
    description: 'A program in the folder scripts of the home that is asked first; it may change the payload.',
  }),
  prompt: z.string().default('').meta({
    description: 'Prompt for the agent, with `{field.of.payload}`; empty: the event itself.',
  }),
  skills: z.array(z.string()).default([]).meta({ description: 'Names of skills that its messages are read with.' }),
  deliver: z.string().default('log').meta({
    description: 'Destination of the answer: `log`, `github_comment`, a platform, or `<platform>:<chat>`.',
  }),
  deliver_extra: z
    .object({
      repo: z.string().optional().meta({ description: 'Of `github_comment`: `owner/name`.' }),
      pr_number: word.optional().meta({ description: 'Of `github_comment`: number of the pull request or issue.' }),
      chat_id: word.optional().meta({ description: 'The chat of the platform; left out: its home chat.' }),
      thread_id: word.optional().meta({ description: 'The thread in that chat.' }),
    })
    .default({})
    .meta({ description: 'More on where it goes; `{field}` is filled in.' }),
  deliver_only: z
    .boolean()
    .default(false)
    .meta({ description: 'Sends the filled-in prompt itself, without the agent.' }),
  enabled: z.boolean().default(true).meta({ description: 'Accept events on this route.' }),
})
export type RouteSettings = z.infer<typeof routeSchema>

/** Names stand in addresses and in ids of chats. */
export const routeName = z.string().regex(/^[A-Za-z0-9][\w-]{0,63}$/, 'a route is named with letters, digits, _ and -')

const own = z.object({
  host: z.string().default('127.0.0.1').meta({
    description: 'Address to listen on; `0.0.0.0` for all, since every route is signed.',
  }),
  port: z.number().int().min(0).max(65535).default(8644).meta({
    description: 'Port to listen on; 0 takes a free one.',
  }),
  routes: z.record(routeName, routeSchema).default({}).meta({ description: 'Routes by their names.' }),
  rate_limit: z.number().int().min(1).default(30).meta({ description: 'Events a minute that a route takes.' }),
  failed_limit: z.number().int().min(1).default(30).meta({
    description:
      'Requests a minute without a right signature from one address; more of them are answered with 429. A right signature always counts.',
  }),
  max_body_bytes: z.number().int().min(1).default(1_048_576).meta({ description: 'Largest payload, in bytes.' }),
  script_timeout_seconds: z.number().positive().max(600).default(30).meta({
    description: 'Seconds that a script may take.',
  }),
  github_api_url: z.string().default('https://api.github.com').meta({
    description: 'Address of the code host for comments; GITHUB_TOKEN is sent there.',
  }),
})
export type WebhookKeys = z.infer<typeof own>

export const config = platformConfigSchema(own, { streaming: false, typing_indicator: false })
