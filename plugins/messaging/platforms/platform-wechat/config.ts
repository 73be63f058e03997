/** The config block `platforms.wechat`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { wechat } from './wechat.ts'

export const config = platformConfigSchema(
  z.object({
    ...webhookSettings(wechat),
    reply: z.enum(['service', 'passive', 'both']).default('service').meta({
      description:
        'How answers leave. `service`: as customer service messages; `passive`: in the reply to the call that brought the question, for accounts without those; `both`: in the reply while it is open, else as customer service messages.',
    }),
  }),
)
