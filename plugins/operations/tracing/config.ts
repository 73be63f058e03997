/** The config block `tracing`. Headers with keys are a secret and live in `.env` only. */
import { z } from 'zod'

export const config = z.object({
  endpoint: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:4318/v1/traces')
    .meta({ description: 'Where spans are sent, by OTLP over HTTP in JSON.' }),
  sample: z.number().min(0).max(1).default(1).meta({ description: 'The part of turns that are traced.' }),
  service_name: z.string().min(1).default('svc').meta({ description: 'The attribute `service.name`.' }),
})

export type Config = z.infer<typeof config>
