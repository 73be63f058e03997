/** The config block `platforms.feishu`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { feishu } from './feishu.ts'

export const config = platformConfigSchema(z.object(webhookSettings(feishu)))
