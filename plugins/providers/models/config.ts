/** The block `model`: which model answers. */
import { z } from 'zod'
import { factsConfig } from './facts-config.ts'

export const config = z.object({
  provider: z.string().default('auto').meta({
    point: 'providers',
    description:
      'The provider to use: an id such as `anthropic`, `openai`, `custom`, `ollama` or `demo`; `svc model list` has all. `auto` takes a server of this machine, else the demo.',
  }),
  default: z.string().default('').meta({ description: 'The id of the model. Empty: the only one that is served.' }),
  base_url: z
    .string()
    .default('')
    .meta({ description: 'Address of the `custom` provider: any OpenAI-compatible server, mostly ending in /v1.' }),
  api_mode: z
    .enum(['auto', 'chat_completions', 'responses', 'codex_responses'])
    .default('auto')
    .meta({ description: 'API protocol of the server at `base_url`; `auto` decides by its host.' }),
  fallbacks: z
    .array(z.object({ provider: z.string().min(1), model: z.string().min(1) }))
    .default([])
    .meta({ description: 'Models to ask, in order, when the chosen one fails: `{ provider, model }` each.' }),
  ...factsConfig,
})
export type Config = z.infer<typeof config>
