/** The config block `platforms.nostr`. */
import type { Schema } from 'svc/sdk'
import { type PlatformSettings, platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const own = z.object({
  relays: z.array(z.string()).default([]).meta({
    description: 'Relays at which the account reads and writes, such as `wss://relay.example.com`; at most ten.',
  }),
  recipient_relays: z.boolean().default(true).meta({
    description:
      'Sends to the relays that a person names for direct messages (kind 10050), if they are `wss:` with a public address; otherwise only to `relays`.',
  }),
  publish_relay_list: z.boolean().default(true).meta({
    description: 'Publishes `relays` as those at which the account reads direct messages (kind 10050).',
  }),
  read_nip04: z.boolean().default(false).meta({
    description:
      'Also reads direct messages of the older kind 4, which show everybody who writes to whom. The answer is of the newer kind.',
  }),
  name: z.string().default('').meta({ description: 'Name in the profile; empty: the profile is not changed.' }),
  about: z.string().default('').meta({ description: 'Text of the profile.' }),
  picture: z.string().default('').meta({ description: 'Address of a picture for the profile.' }),
})
type Own = z.infer<typeof own>

export type Config = Own & PlatformSettings
export const config: Schema<Config> = platformConfigSchema<Own>(own, { streaming: false })
