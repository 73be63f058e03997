/** The config of the plugin. */
import { z } from 'zod'

export const config = z.object({
  base_url: z.string().default('').meta({
    description: 'Address of your own server, when FIRECRAWL_API_URL is not set. Empty: api.firecrawl.dev.',
  }),
})
export type Config = z.infer<typeof config>
