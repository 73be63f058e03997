/** The config of the plugin. */
import { z } from 'zod'

export const config = z.object({
  base_url: z.string().default('https://api.tavily.com').meta({
    description: 'Address of the service; the key is sent there.',
  }),
})
export type Config = z.infer<typeof config>
