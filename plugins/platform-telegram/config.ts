/** The config of the plugin. */
import { platformConfig } from 'svc/sdk'
import { z } from 'zod'

const own = z.object({
  base_url: z.string().default('https://api.telegram.org').meta({
    description: 'Address of the Bot API, for a server of your own; the token is sent there.',
  }),
})

export const config = platformConfig(own)
