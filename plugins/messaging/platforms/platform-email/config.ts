/** The block `platforms.email`. */
import type { Schema } from 'svc/sdk'
import { type PlatformSettings, platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const port = (standard: number) => z.number().int().min(1).max(65535).default(standard)
const security = z.enum(['tls', 'starttls', 'none'])

const own = z.object({
  address: z.string().default('').meta({ description: 'The address of the mailbox; `EMAIL_ADDRESS` goes before it.' }),
  display_name: z.string().default('').meta({ description: 'The name beside it in what is sent; empty: none.' }),
  login: z.string().default('').meta({ description: 'The name to log in with; empty: the address.' }),
  imap_host: z
    .string()
    .default('')
    .meta({ description: 'The server with the mailbox; `EMAIL_IMAP_HOST` goes before it.' }),
  imap_port: port(993).meta({ description: 'Its port.' }),
  imap_security: security
    .default('tls')
    .meta({ description: 'TLS at once, with STARTTLS, or none: only on loopback.' }),
  smtp_host: z.string().default('').meta({
    description: 'The server that takes mail to be sent; `EMAIL_SMTP_HOST` goes before it.',
  }),
  smtp_port: port(587).meta({ description: 'Its port.' }),
  smtp_security: security.default('starttls').meta({ description: 'As for IMAP; port 465 wants `tls`.' }),
  tls_ca: z.string().default('').meta({
    description: 'A file with the certificate (PEM) of servers that signed their own; empty: those that Node trusts.',
  }),
  oauth_command: z.array(z.string()).default([]).meta({
    description:
      'A program and its arguments, run without a shell, that prints an OAuth access token for the mailbox; used in place of a password.',
  }),
  oauth_token_url: z.string().default('').meta({
    description: 'The token endpoint of the provider, for EMAIL_OAUTH_REFRESH_TOKEN.',
  }),
  mailbox: z.string().default('INBOX').meta({ description: 'The mailbox that is read.' }),
  authserv_id: z.string().default('').meta({
    description:
      'The first word of the header Authentication-Results that your server adds; `EMAIL_AUTHSERV_ID` goes before it.',
  }),
  trust_from: z.boolean().default(false).meta({
    description: 'Trusts every From header: only for servers that reject forged senders.',
  }),
  reply_all: z.boolean().default(true).meta({
    description: 'A mail of which svc has a copy (Cc) is answered to all; one that is sent to svc only to its sender.',
  }),
  reply_to: z.string().default('').meta({
    description: 'The Reply-To address of outgoing mail; empty: replies go to the mailbox.',
  }),
  html: z.boolean().default(true).meta({
    description: 'Text with marks goes out as HTML beside plain text; false: as plain text only.',
  }),
  poll_seconds: z.number().int().min(5).default(60).meta({
    description: 'Looks so often by itself; new mail is announced at once where the server can (IDLE).',
  }),
  loop_repeats: z.number().int().min(1).default(5).meta({
    description: 'The same words of one sender are answered so often in a row: programs that answer svc end there.',
  }),
  loop_rounds: z.number().int().min(0).default(40).meta({
    description:
      'At most so many mails of one address are answered within `loop_pause_minutes`, in all threads together; 0: any.',
  }),
  loop_pause_minutes: z.number().int().min(1).default(60).meta({
    description: 'After such a pause the same words count from the beginning.',
  }),
})
type Own = z.infer<typeof own>

export type Config = Own & PlatformSettings
export const config: Schema<Config> = platformConfigSchema<Own>(own, {
  dm_policy: 'allowlist',
  streaming: false,
  typing_indicator: false,
})
