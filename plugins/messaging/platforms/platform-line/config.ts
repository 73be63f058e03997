/** The config block `platforms.line`. */
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

export const config = platformConfigSchema(
  z.object({
    base_url: z.string().default('https://api.line.me').meta({
      description: 'Address of the API; the access token is sent there.',
    }),
    content_url: z.string().default('https://api-data.line.me').meta({
      description: 'Address of pictures and other files that people send; the access token is sent there, too.',
    }),
    webhook_host: z.string().default('127.0.0.1').meta({
      description: 'Address to listen on; a tunnel or proxy brings LINE here.',
    }),
    webhook_port: z.number().int().min(0).max(65535).default(8646).meta({
      description: 'Port to listen on; 0 takes a free one.',
    }),
  }),
)
