/** The config block `platforms.wecom`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { wecom } from './wecom.ts'

export const config = platformConfigSchema(z.object(webhookSettings(wecom)))
