/** The config block of Discord: its own keys; those of all platforms are added by the SDK. */
import { type PlatformSettings, platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const own = z.object({
  api_url: z.string().default('https://discord.com/api/v10').meta({
    description: 'Address of the REST API, with its version; the token is sent there.',
  }),
  gateway_url: z.string().default('').meta({
    description: 'Address of the gateway for events (`wss://...`); the token is sent there. Empty: as the API says.',
  }),
  slash_commands: z.boolean().default(true).meta({
    description: "Offers svc's commands in Discord's menu; those that the bot had there before are replaced.",
  }),
  auto_thread: z.boolean().default(true).meta({
    description: 'Answers what addresses the bot in a channel in a thread that it begins there.',
  }),
  no_thread_channels: z.array(z.coerce.string()).default([]).meta({
    description: 'Ids of channels in which it answers in the channel itself; so it does in free_response_chats.',
  }),
})
export type Config = z.infer<typeof own> & PlatformSettings

export const config = platformConfigSchema(own, { reactions: true, history_backfill: 50 })
