/** What the configuration and the environment say about the account. */
import type { Secrets } from 'svc/sdk'
import type { Config } from './config.ts'

export interface NostrAccount {
  /** As it was given. */
  readonly secret: string
  /** Addresses as a URL has them, without a slash at the end of the host. */
  readonly relays: readonly string[]
}

const SECRET = /^(?:nsec1[02-9ac-hj-np-z]{58}|[0-9a-f]{64})$/
const MAX_RELAYS = 10

export function readAccount(config: Config, secrets: Pick<Secrets, 'get'>): NostrAccount {
  const secret = (secrets.get('NOSTR_SECRET_KEY') ?? '').trim().toLowerCase()
  return { secret, relays: [...new Set(config.relays.map((address) => normalizeRelay(address) ?? address))] }
}

/** A sentence; undefined when nothing is. */
export function describeMissing({ secret, relays }: NostrAccount): string | undefined {
  if (secret === '') return 'needs NOSTR_SECRET_KEY'
  if (!SECRET.test(secret)) return 'NOSTR_SECRET_KEY is neither nsec1… nor 64 hexadecimal digits.'
  if (relays.length === 0) return 'needs relays in platforms.nostr.relays, such as wss://relay.example.com'
  if (relays.length > MAX_RELAYS)
    return `platforms.nostr.relays has ${relays.length} relays; at most ${MAX_RELAYS} work.`
  const odd = relays.find((address) => normalizeRelay(address) === undefined)
  return odd === undefined ? undefined : `platforms.nostr.relays has "${odd}", which is not a relay URL (wss://…).`
}

/** The normalized URL of a relay; undefined if the text is not one. */
export function normalizeRelay(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (!['ws:', 'wss:'].includes(url.protocol) || url.username !== '' || url.password !== '') return undefined
  url.hash = ''
  return url.href.replace(/\/$/, '')
}
