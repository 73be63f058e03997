/** The config block `clarify`. */
import { z } from 'zod'

export const config = z.object({
  timeout: z
    .number()
    .positive()
    .max(86_400)
    .default(3600)
    .meta({ description: 'Seconds to wait for an answer; after that the model continues without one.' }),
})

export type Config = z.infer<typeof config>
