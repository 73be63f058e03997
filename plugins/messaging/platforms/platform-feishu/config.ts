/** The config block `platforms.feishu`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { feishu } from './feishu.ts'

export const config = platformConfigSchema(
  z.object({
    ...webhookSettings(feishu),
    events: z.enum(['webhook', 'connection']).default('webhook').meta({
      description:
        'How events come in: `webhook` is called by Feishu and needs a public address; `connection` is opened by svc and needs none.',
    }),
  }),
)
