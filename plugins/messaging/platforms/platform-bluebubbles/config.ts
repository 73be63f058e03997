/** The config block `platforms.bluebubbles`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { bluebubbles } from './bluebubbles.ts'

export const config = platformConfigSchema(z.object(webhookSettings(bluebubbles)))
