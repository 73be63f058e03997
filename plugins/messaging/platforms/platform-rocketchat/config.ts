/** The config block `platforms.rocketchat`. */
import { addressSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { rocketchat } from './rocketchat.ts'

export const config = platformConfigSchema(z.object(addressSettings(rocketchat)))
