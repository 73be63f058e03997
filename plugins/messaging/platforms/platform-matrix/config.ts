/** The config of the platform Matrix. */
import { type PlatformSettings, platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const own = z.object({
  homeserver: z.string().trim().default('').meta({
    description: 'Address of the homeserver, such as https://matrix.example.org; the token is sent there.',
  }),
  read_receipts: z.boolean().default(true).meta({ description: 'Marks messages as read once they are taken.' }),
  encryption: z.enum(['off', 'optional', 'required']).default('off').meta({
    description:
      'End-to-end encryption: `optional` in rooms that are encrypted, `required` everywhere (other rooms are neither read nor written to). With `off` nothing is sent to encrypted rooms.',
  }),
  encryption_devices: z.enum(['all', 'cross_signed']).default('all').meta({
    description:
      'Which devices of people get encrypted messages and are read: all, or only those that their owners have verified by cross-signing; then svc needs to be cross-signed, too.',
  }),
  auto_thread: z.boolean().default(true).meta({
    description: 'Answers what addresses the agent in a room of several in a thread; not in `free_response_chats`.',
  }),
})
export type Config = z.infer<typeof own> & PlatformSettings

export const config = platformConfigSchema(own, { reactions: true })
