/** The config of the plugin. */
import { z } from 'zod'

export const config = z.object({
  base_url: z.string().default('').meta({
    description: 'Address of the server, when SEARXNG_URL is not set: http://localhost:8888',
  }),
})
export type Config = z.infer<typeof config>
