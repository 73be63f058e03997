/** The config block `platforms.nextcloud`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { nextcloud } from './nextcloud.ts'

export const config = platformConfigSchema(
  z.object({
    ...webhookSettings(nextcloud),
    bot_name: z.string().min(1).default('svc').meta({
      description: 'Name by which people address the bot, as `@svc`.',
    }),
    direct_chats: z.array(z.string()).default([]).meta({
      description: 'Tokens of conversations with one person, where nothing has to address the bot; `*` for all.',
    }),
  }),
)
