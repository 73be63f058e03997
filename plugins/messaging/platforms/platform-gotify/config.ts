/** The config block `platforms.gotify`. */
import { addressSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { gotify } from './gotify.ts'

/** Every edit would be a separate push, and typing is not shown. */
export const config = platformConfigSchema(z.object(addressSettings(gotify)), {
  streaming: false,
  typing_indicator: false,
})
