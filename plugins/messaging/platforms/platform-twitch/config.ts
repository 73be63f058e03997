/** The config block `platforms.twitch`. */
import { addressSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { AUTH_URL, CHAT_URL, twitch } from './twitch.ts'

/** Twitch edits no messages, and does not show that someone writes. */
export const config = platformConfigSchema(
  z.object({
    ...addressSettings(twitch),
    auth_url: z.string().default(AUTH_URL).meta({
      description: 'Address at which access tokens are asked for; the client secret is sent there.',
    }),
    chat_url: z.string().default(CHAT_URL).meta({
      description: 'Address of the chat; the access token is sent there.',
    }),
    join: z.array(z.string()).default([]).meta({
      description: 'Login names of the channels that are joined; empty: the channel of the account.',
    }),
  }),
  { streaming: false, typing_indicator: false },
)
