/** The config block `platforms.qq`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { qq } from './qq.ts'

export const config = platformConfigSchema(
  z.object({
    ...webhookSettings(qq),
    events: z.enum(['webhook', 'gateway']).default('webhook').meta({
      description:
        'How events come in: `webhook` is called by QQ and needs a public address; `gateway` is a WebSocket that svc opens and needs none.',
    }),
    token_url: z.string().default('https://bots.qq.com').meta({
      description: 'Address at which access tokens are asked for; the client secret is sent there.',
    }),
  }),
)
