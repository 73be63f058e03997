/** The config block `platforms.xmpp`. */
import type { Schema } from 'svc/sdk'
import { type PlatformSettings, platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const own = z.object({
  server: z.string().default('').meta({
    description:
      'Host and port of the server, such as `xmpp.example.com:5222`; empty: by the DNS records of the domain.',
  }),
  tls: z.enum(['required', 'direct', 'optional']).default('required').meta({
    description:
      'How the connection is encrypted: `required` begins TLS on it, `direct` speaks TLS from the first byte, `optional` sends the password in the clear to a server without TLS.',
  }),
  join: z.array(z.string()).default([]).meta({
    description: 'Addresses of rooms that are joined.',
  }),
  nickname: z.string().default('').meta({
    description: 'The name in rooms; empty: the part of the address before the @.',
  }),
  file_hosts: z.array(z.string()).default([]).meta({
    description:
      'Hosts from which files that people send are fetched, besides the domain of the account and those below it.',
  }),
})
type Own = z.infer<typeof own>

export type Config = Own & PlatformSettings
export const config: Schema<Config> = platformConfigSchema<Own>(own, { streaming: false })
