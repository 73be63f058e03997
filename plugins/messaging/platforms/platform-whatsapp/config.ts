/** The config block `platforms.whatsapp`. */
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

export const config = platformConfigSchema(
  z.object({
    base_url: z.string().default('https://graph.facebook.com').meta({
      description: 'Address of the Graph API; the access token is sent there.',
    }),
    api_version: z
      .string()
      .regex(/^v\d+\.\d+$/)
      .default('v23.0')
      .meta({
        description: 'Version of the Graph API.',
      }),
    webhook_host: z.string().default('127.0.0.1').meta({
      description: 'Address to listen on; a tunnel or proxy brings Meta here.',
    }),
    webhook_port: z.number().int().min(0).max(65535).default(8090).meta({
      description: 'Port to listen on; 0 takes a free one.',
    }),
    webhook_path: z
      .string()
      .regex(/^\/[\w./-]*$/)
      .default('/webhooks/whatsapp')
      .meta({
        description: 'Path that Meta calls.',
      }),
    reply_prefix: z.string().max(1000).optional().meta({
      description:
        'Header of every message, `*svc*\\n` unless set; empty for none, `\\n` for a new line. What begins with it is taken for an own message.',
    }),
    template_name: z.string().trim().default('').meta({
      description:
        'An approved template with one variable in its body, for messages later than 24 hours after the person wrote; empty: they are refused.',
    }),
    template_language: z.string().trim().default('en_US').meta({
      description: 'Language of that template.',
    }),
    read_receipts: z.boolean().default(true).meta({
      description: 'Shows people that their message was taken.',
    }),
  }),
)
