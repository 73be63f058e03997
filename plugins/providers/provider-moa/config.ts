/** The block `moa`: which models answer together. */
import { z } from 'zod'

export const NAME = 'moa'

const model = z.object({
  provider: z.string().min(1).meta({ description: 'The provider.' }),
  model: z.string().min(1).meta({ description: 'The id of the model.' }),
})
const temperature = z.number().min(0).max(2).optional()

const preset = z.object({
  enabled: z.boolean().default(true).meta({ description: 'Whether it can be chosen.' }),
  reference_models: z
    .array(model)
    .min(1)
    .max(8)
    .meta({ description: 'The models that answer first: `{ provider, model }` each.' }),
  aggregator: model.meta({
    description: 'The model that reads their answers and gives its own; it alone calls tools.',
  }),
  max_tokens: z.int().min(64).max(65_536).default(4096).meta({ description: 'Most tokens of an answer that is read.' }),
  timeout: z.number().positive().max(900).default(300).meta({ description: 'Seconds such an answer may take.' }),
  reference_temperature: temperature.meta({ description: 'Sampling temperature of the first answers.' }),
  aggregator_temperature: temperature.meta({ description: 'Sampling temperature of the last answer.' }),
})
export type Preset = z.infer<typeof preset>
export type ModelName = z.infer<typeof model>

export const config = z.object({
  default_preset: z.string().default('default').meta({ description: 'The preset that `/moa` uses.' }),
  presets: z
    .record(z.string().regex(/^[\w.-]{1,64}$/, 'takes letters, digits and ._- only'), preset)
    .default({})
    .meta({ description: 'Presets by name. Each is a model of the provider `moa`.' }),
})
export type Config = z.infer<typeof config>
