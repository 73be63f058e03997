/** The config block `platforms.line`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { line } from './line.ts'

export const config = platformConfigSchema(
  z.object({
    ...webhookSettings(line),
    content_url: z.string().default('https://api-data.line.me').meta({
      description: 'Address of pictures and other files that people send; the access token is sent there, too.',
    }),
  }),
)
