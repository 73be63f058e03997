/** The config of the plugin. */
import { z } from 'zod'

export const config = z.object({
  base_url: z.string().default('https://html.duckduckgo.com').meta({
    description: 'Address of the page.',
  }),
})
export type Config = z.infer<typeof config>
