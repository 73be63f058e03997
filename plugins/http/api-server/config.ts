/** The config block `platforms.api_server`. The key is a secret and lives in `.env` only. */
import { z } from 'zod'

const route = z.object({
  provider: z.string().optional().meta({ description: 'The provider; left out: the configured one.' }),
  model: z.string().meta({ description: 'The model at that provider.' }),
})

export const config = z.object({
  enabled: z.boolean().optional().meta({
    description: 'Serve the API from the gateway; left out: when `API_SERVER_KEY` is set.',
  }),
  host: z.string().default('127.0.0.1').meta({
    description: 'Address it listens on. Anything but loopback can be reached by others: they need the key.',
  }),
  port: z.number().int().min(0).max(65_535).default(8642).meta({ description: 'Port it listens on.' }),
  cors_origins: z.array(z.string()).default([]).meta({
    description: 'Origins of web pages that may ask: `https://app.example`; `*` is every page.',
  }),
  model_name: z.string().optional().meta({
    description: 'Name under which the agent is listed as a model; left out: the profile, or `svc`.',
  }),
  model_routes: z.record(z.string(), route).default({}).meta({
    description: 'Names that a request may give as its model, each with a provider and a model.',
  }),
  max_concurrent_runs: z.number().int().min(0).default(10).meta({
    description: 'Turns under way at a time; more are answered with 429. 0: no limit.',
  }),
  cwd: z.string().optional().meta({
    description: 'Folder in which new sessions work; left out: the home folder of the user.',
  }),
})
export type Config = z.infer<typeof config>
