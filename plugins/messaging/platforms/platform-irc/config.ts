/** The block `platforms.irc`. */
import type { Schema } from 'svc/sdk'
import { type PlatformSettings, platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const own = z.object({
  server: z.string().default('').meta({ description: 'The server; `IRC_SERVER` goes before it.' }),
  port: z.number().int().min(0).max(65535).default(0).meta({
    description: 'Its port; 0: 6697 with TLS and 6667 without. `IRC_PORT` goes before it.',
  }),
  tls: z.boolean().default(true).meta({ description: 'Connects with TLS; `IRC_USE_TLS` goes before it.' }),
  tls_ca: z.string().default('').meta({
    description: 'A file with the certificate (PEM) of a server that signed its own; empty: those that Node trusts.',
  }),
  nickname: z.string().default('').meta({ description: 'The nickname; `IRC_NICKNAME` goes before it.' }),
  account: z.string().default('').meta({
    description: 'The account at the services of the network; empty: the nickname.',
  }),
  nickserv: z.string().default('NickServ').meta({
    description: 'The nickname that gets the password if the server offers no SASL; empty: the password is not sent.',
  }),
  join: z.array(z.string()).default([]).meta({
    description: 'Channels to join; a key follows after a blank. `IRC_CHANNEL` goes before it.',
  }),
  line_delay_ms: z.number().int().min(0).default(1000).meta({
    description:
      'Milliseconds a line costs; ten may be sent at once. 2000 for servers that keep to RFC 1459. 0: no pacing.',
  }),
})
type Own = z.infer<typeof own>

export type Config = Own & PlatformSettings
export const config: Schema<Config> = platformConfigSchema<Own>(own, { streaming: false, typing_indicator: false })
