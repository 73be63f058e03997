/** What the configuration and the environment say about the mailbox and its servers. */
import { readFileSync } from 'node:fs'
import type { Secrets } from 'svc/sdk'
import { deliveryRefused } from 'svc/sdk/platform'
import { isLoopbackHost } from 'svc/sdk/provider'
import type { Config } from './config.ts'
import { describeMissingTokens, type MailTokens, usesTokens } from './oauth.ts'

export interface MailServer {
  readonly host: string
  readonly port: number
  readonly security: 'tls' | 'starttls' | 'none'
}

export interface MailAccount {
  readonly address: string
  readonly displayName: string
  readonly login: string
  readonly password: string
  /** Log in with access tokens, not with the password. */
  readonly tokens: MailTokens | undefined
  /** What tokens lack, as a sentence. */
  readonly missingTokens: string | undefined
  readonly imap: MailServer
  readonly smtp: MailServer
  readonly tlsCa: string
  readonly mailbox: string
  readonly authservId: string
  readonly trustFrom: boolean
  readonly replyAll: boolean
  /** Empty: not said. */
  readonly replyTo: string
  readonly isHtml: boolean
}

/** The environment overrides the configuration. */
export function mailAccount(config: Config, secrets: Pick<Secrets, 'get'>, tokens: MailTokens): MailAccount {
  const hasTokens = usesTokens(config, secrets)
  const address = (secrets.get('EMAIL_ADDRESS') ?? config.address).trim().toLowerCase()
  return {
    address,
    displayName: config.display_name,
    login: config.login || address,
    password: secrets.get('EMAIL_PASSWORD') ?? '',
    tokens: hasTokens ? tokens : undefined,
    missingTokens: hasTokens ? describeMissingTokens(config, secrets) : undefined,
    imap: {
      host: secrets.get('EMAIL_IMAP_HOST')?.trim() ?? config.imap_host,
      port: config.imap_port,
      security: config.imap_security,
    },
    smtp: {
      host: secrets.get('EMAIL_SMTP_HOST')?.trim() ?? config.smtp_host,
      port: config.smtp_port,
      security: config.smtp_security,
    },
    tlsCa: config.tls_ca,
    mailbox: config.mailbox,
    authservId: secrets.get('EMAIL_AUTHSERV_ID')?.trim() ?? config.authserv_id,
    trustFrom: config.trust_from,
    replyAll: config.reply_all,
    replyTo: config.reply_to.trim(),
    isHtml: config.html,
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  address: 'No address is set: set EMAIL_ADDRESS to that of a mailbox for svc alone.',
  password: 'No password is set: set EMAIL_PASSWORD, or EMAIL_OAUTH_REFRESH_TOKEN where the provider wants OAuth.',
  replyTo: 'platforms.email.reply_to is no address: set it to one such as team@example.org, or to nothing.',
  imap: 'No server for incoming mail is set: set EMAIL_IMAP_HOST.',
  smtp: 'No server for outgoing mail is set: set EMAIL_SMTP_HOST.',
  clear: 'The password would go out unencrypted: set imap_security and smtp_security to tls or starttls.',
  authserv:
    'Nothing proves who wrote a mail: set EMAIL_AUTHSERV_ID to the first word of the header Authentication-Results in mail that you got.',
}

/** A sentence; undefined when nothing is. */
export function describeMissing({
  address,
  password,
  tokens,
  missingTokens,
  replyTo,
  imap,
  smtp,
  authservId,
  trustFrom,
}: MailAccount): string | undefined {
  if (!isAddress(address)) return ADVICE['address']
  if (missingTokens !== undefined) return missingTokens
  if (!tokens && !password) return ADVICE['password']
  if (replyTo && !isAddress(replyTo)) return ADVICE['replyTo']
  if (!imap.host) return ADVICE['imap']
  if (!smtp.host) return ADVICE['smtp']
  if ([imap, smtp].some(({ host: name, security }) => security === 'none' && !isLoopbackHost(name)))
    return ADVICE['clear']
  return authservId || trustFrom ? undefined : ADVICE['authserv']
}

/** One plain address, without a name, a group or anything that could become a second one (RFC 5321, section 4.1.2). */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>()[\]\\,;:"\0-\x1f\x7f]+@[^\s@<>()[\]\\,;:"\0-\x1f\x7f]+$/.test(text)
}

export function getDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/** What TLS of both protocols is given. */
export function tlsOptions({ tlsCa }: MailAccount): { readonly ca?: Buffer } {
  if (!tlsCa) return {}
  try {
    return { ca: readFileSync(tlsCa) }
  } catch (cause) {
    const advice = 'Correct the path.'
    throw deliveryRefused(
      'EMAIL_CERTIFICATE',
      `The file ${tlsCa} of platforms.email.tls_ca cannot be read. ${advice}`,
      cause,
    )
  }
}

/** Codes of OpenSSL and Node for certificates (nodejs.org/api/tls.html#x509-certificate-error-codes). */
export function isCertificateProblem(error: unknown): boolean {
  const { code = '', originalCode = '', cause } = error as { code?: string; originalCode?: string; cause?: unknown }
  const isOne = /CERT|ISSUER|SIGNATURE|ALTNAME/.test(`${code} ${originalCode}`)
  return isOne || (typeof cause === 'object' && cause !== null && isCertificateProblem(cause))
}
