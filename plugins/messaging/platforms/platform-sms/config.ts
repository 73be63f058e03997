/** The config block `platforms.sms`. */
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

export const config = platformConfigSchema(
  z.object({
    base_url: z.string().default('https://api.twilio.com').meta({
      description: 'Address of the API; the auth token is sent there.',
    }),
    webhook_host: z.string().default('127.0.0.1').meta({
      description: 'Address to listen on; a tunnel or proxy brings Twilio here.',
    }),
    webhook_port: z.number().int().min(0).max(65535).default(8080).meta({
      description: 'Port to listen on; 0 takes a free one.',
    }),
    webhook_url: z.string().default('').meta({
      description: 'Public address as it is set at Twilio, letter by letter: signatures are made over it.',
    }),
  }),
)
