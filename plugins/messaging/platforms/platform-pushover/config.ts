/** The config block `platforms.pushover`. */
import { addressSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { pushover, STREAM_URL } from './pushover.ts'

/** Every edit would be a separate push, and typing is not shown. */
export const config = platformConfigSchema(
  z.object({
    ...addressSettings(pushover),
    stream_url: z.string().default(STREAM_URL).meta({
      description: 'Address of the stream that says when messages arrive; the secret of the device is sent there.',
    }),
  }),
  { streaming: false, typing_indicator: false },
)
