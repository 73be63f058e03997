/** The config block `security_audit`. */
import { z } from 'zod'

export const config = z.object({
  url: z
    .string()
    .refine((url) => URL.canParse(url), 'must be an address such as https://api.osv.dev')
    .default('https://api.osv.dev')
    .meta({ description: 'Server with the OSV API (https://google.github.io/osv.dev/api/), without the path.' }),
  timeout: z.number().positive().default(20).meta({ description: 'Seconds for one answer of the server.' }),
})
export type Config = z.infer<typeof config>
