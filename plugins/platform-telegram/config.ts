/** The config of the plugin. */
import { platformConfig } from 'svc/sdk'
import { z } from 'zod'

const own = z.object({
  base_url: z.string().default('https://api.telegram.org').meta({
    description: 'Address of the Bot API, for a server of your own; the token is sent there.',
  }),
  webhook_url: z.string().trim().default('').meta({
    description: 'Public address, with its path, that Telegram calls; left out: svc asks Telegram.',
  }),
  webhook_host: z.string().default('127.0.0.1').meta({
    description: 'Address to listen on; a tunnel or proxy brings Telegram here.',
  }),
  webhook_port: z.number().int().min(0).max(65535).default(8443).meta({
    description: 'Port to listen on; 0 takes a free one.',
  }),
})

export const config = platformConfig(own)
