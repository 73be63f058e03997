/** The config block of Slack: its own keys; those of all platforms are added by the SDK. */
import { type PlatformSettings, platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const own = z.object({
  api_url: z.string().default('https://slack.com/api').meta({
    description: 'Address of the Web API; the tokens are sent there.',
  }),
  mode: z.enum(['socket', 'events']).default('socket').meta({
    description: '`socket`: svc connects to Slack and needs no public address; `events`: Slack calls svc over HTTP.',
  }),
  http_host: z
    .string()
    .default('127.0.0.1')
    .meta({ description: 'Address on which svc listens in the mode `events`.' }),
  http_port: z.number().int().min(0).max(65535).default(8650).meta({
    description: 'The port for the mode `events`; 0 takes a free one.',
  }),
  http_path: z
    .string()
    .regex(/^(\/[\w.-]+)+$/, 'must look like /slack')
    .default('/slack')
    .meta({
      description: 'Begins the path of the mode `events`; Slack calls `<path>/events`.',
    }),
  reply_in_thread: z.boolean().default(true).meta({
    description: 'In channels every message of its own begins a thread, with a conversation of its own.',
  }),
  suggested_prompts: z
    .array(z.string().trim().min(1).max(300))
    .max(4)
    .default(['What can you do for me?', 'What did we talk about last?', '!help'])
    .meta({
      description: "What a person can send by a press when Slack's view for assistants is opened, at most four texts.",
    }),
})
export type Config = z.infer<typeof own> & PlatformSettings

export const config = platformConfigSchema(own, { reactions: true })
