/** The config block `platforms.zulip`. */
import { addressSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { MAX_TOPIC_LENGTH, zulip } from './zulip.ts'

export const config = platformConfigSchema(
  z.object({
    ...addressSettings(zulip),
    topic: z.string().min(1).max(MAX_TOPIC_LENGTH).default('svc').meta({
      description: 'Topic of messages to a channel that answer nothing, such as those of jobs.',
    }),
  }),
)
