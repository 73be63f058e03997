/** The config block `platforms.viber`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { viber } from './viber.ts'

export const config = platformConfigSchema(
  z.object({
    ...webhookSettings(viber),
    bot_name: z.string().min(1).max(28).default('svc').meta({
      description: 'The name that people see at messages of the bot.',
    }),
  }),
)
