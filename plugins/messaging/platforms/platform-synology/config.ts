/** The config block `platforms.synology`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { synology } from './synology.ts'

export const config = platformConfigSchema(z.object(webhookSettings(synology)))
