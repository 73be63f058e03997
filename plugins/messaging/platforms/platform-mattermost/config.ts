/** The config block of Mattermost: its own keys; those of all platforms are added by the SDK. */
import { type PlatformSettings, platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const own = z.object({
  base_url: z.string().default('').meta({
    description:
      'Address of the server (`https://chat.example.org`), when MATTERMOST_URL is not set; the token is sent there.',
  }),
  reply_mode: z.enum(['off', 'thread']).default('off').meta({
    description: '`thread`: in channels every message of its own begins a thread, with a conversation of its own.',
  }),
})
export type Config = z.infer<typeof own> & PlatformSettings

export const config = platformConfigSchema(own)
