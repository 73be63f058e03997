/** The config block `platforms.sms`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { SMS_PORT } from './sms.ts'

export const config = platformConfigSchema(
  z.object({
    vendor: z.enum(['twilio', 'vonage', 'plivo', 'telnyx']).default('twilio').meta({
      description: 'Who carries the messages; it decides which credentials are needed.',
    }),
    ...webhookSettings({ label: 'the vendor', baseUrl: '', port: SMS_PORT }),
    webhook_url: z.string().default('').meta({
      description: 'Public address as it is set at Twilio or Plivo, letter by letter: signatures are made over it.',
    }),
  }),
)
