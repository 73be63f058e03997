/** A connected account: its relays, what comes in over them, and what leaves. */
import { decode } from 'nostr-tools/nip19'
import { finalizeEvent, getPublicKey } from 'nostr-tools/pure'
import { type Clock, type Logger, type Random, tryParseJson } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { setBounded } from 'svc/sdk/kit/state'
import {
  deliveryBusy,
  deliveryRefused,
  deliveryUncertain,
  type GatewayConnection,
  type OutboundMessage,
  type SendReceipt,
} from 'svc/sdk/platform'
import type { SafeFetch } from 'svc/sdk/web'
import type { NostrAccount } from './account.ts'
import type { Config } from './config.ts'
import { chooseTime, createEnvelope, type EnvelopeNote, readNote } from './envelope.ts'
import { Inbox } from './inbox.ts'
import { type NostrEvent, PROFILE, RELAY_LIST } from './kinds.ts'
import { newest, People } from './people.ts'
import type { Relay, Verdict } from './relay.ts'
import { Relays } from './relays.ts'

export interface ConnectionDeps {
  readonly account: NostrAccount
  readonly settings: Config
  readonly link: GatewayConnection
  readonly clock: Clock
  readonly random: Random
  /** Which relays of other people may be opened. */
  readonly guard: Pick<SafeFetch, 'check'>
  readonly log: Logger
}

const MAX_EVENT_BYTES = 65_536
const PROBE_MS = 10_000
const MAX_REMEMBERED = 1000
/** Codes of NIP-01 that say that it may be taken later. */
const LATER = /^(?:rate-limited|error)\b/
const EVENT_ID = /^[0-9a-f]{64}$/

export class NostrConnection {
  readonly #deps: ConnectionDeps
  readonly #secretKey: Uint8Array
  readonly #own: string
  readonly #abort = new AbortController()
  readonly #signal: AbortSignal
  readonly #relays: Relays
  readonly #people: People
  readonly #inbox: Inbox
  /** Of deliveries that cannot write a note. */
  readonly #notes: Map<string, EnvelopeNote> = new Map()
  /** The time of the newest message to a person: apps sort by seconds, and messages with one time would change places. */
  readonly #times: Map<string, number> = new Map()

  private constructor(deps: ConnectionDeps) {
    const { account, settings, link, clock, random, log } = deps
    this.#deps = deps
    this.#secretKey = readSecretKey(account.secret)
    this.#own = getPublicKey(this.#secretKey)
    const signal = AbortSignal.any([this.#abort.signal, link.signal])
    this.#signal = signal
    const secretKey = this.#secretKey
    this.#relays = new Relays({
      ...{ urls: account.relays, secretKey, clock, random, log, signal },
      heard: () => link.alive(),
      prepare: (relay) => this.#prepare(relay),
      lost: (reason, isRefused) => {
        if (signal.aborted) return
        this.close()
        link.lost(reason, isRefused ? { final: true, code: 'nostr_unauthorized' } : {})
      },
    })
    this.#people = new People({ clock, signal, relays: () => this.#relays.ready() })
    const readsOld = settings.read_nip04
    this.#inbox = new Inbox({ secretKey, own: this.#own, readsOld, people: this.#people, link, clock, log, signal })
  }

  /** Resolves once messages arrive from one relay. Throws as `Platform.connect` does. */
  static async open(deps: ConnectionDeps): Promise<NostrConnection> {
    const connection = new NostrConnection(deps)
    try {
      await connection.#relays.open()
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  async send({ chatId, text, key, replyTo, note, writeNote, commit }: OutboundMessage): Promise<SendReceipt> {
    const recipient = readPublicKey(chatId)
    if (recipient === undefined)
      throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no public key of Nostr (npub1…).`)
    const envelope = createEnvelope(
      {
        ...{ secretKey: this.#secretKey, recipient, key, text: Buffer.from(text).toString() },
        ...(replyTo !== undefined && EVENT_ID.test(replyTo) && { replyTo }),
      },
      this.#nextTime(recipient),
      readNote(note) ?? this.#notes.get(key),
    )
    const size = Buffer.byteLength(JSON.stringify(envelope.wrap))
    if (size > MAX_EVENT_BYTES)
      throw deliveryRefused(
        'PLATFORM_TOO_LONG',
        `The message becomes an event of ${size} bytes; relays take ${MAX_EVENT_BYTES}.`,
      )
    const relays = await this.#relays.find(await this.#targets(recipient))
    if (relays.length === 0)
      throw deliveryBusy('PLATFORM_UNREACHABLE', 'No relay that this person reads can be reached now.')
    setBounded(this.#notes, key, envelope.note, MAX_REMEMBERED)
    writeNote?.(JSON.stringify(envelope.note))
    this.#signal.throwIfAborted()
    commit?.()
    await this.#publish(envelope.wrap, relays)
    return { messageId: envelope.messageId }
  }

  async probe(): Promise<boolean> {
    const filter = { kinds: [RELAY_LIST], authors: [this.#own], limit: 1 }
    const asked = this.#relays.ready().map((relay) => relay.query([filter]))
    const answered = Promise.any(asked).then(
      () => true,
      () => false,
    )
    return (await waitAtMost(this.#deps.clock, PROBE_MS, answered, { signal: this.#signal })) === true
  }

  close(): void {
    this.#abort.abort()
  }

  #nextTime(recipient: string): number {
    const time = chooseTime(Math.floor(this.#deps.clock.now() / 1000), this.#times.get(recipient))
    setBounded(this.#times, recipient, time, MAX_REMEMBERED)
    return time
  }

  /** Where a person reads direct messages: at the relays that the person names (NIP-17), else at those of the account. */
  async #targets(recipient: string): Promise<readonly string[]> {
    const { account, settings, guard, log } = this.#deps
    if (!settings.recipient_relays) return account.relays
    const { relays } = await this.#people.find(recipient)
    const allowed = await Promise.all(
      relays.map(async (url) => {
        if (account.relays.includes(url)) return url
        if (!url.startsWith('wss:')) return []
        return guard.check(url.replace(/^wss:/, 'https:')).then(
          () => url,
          () => [],
        )
      }),
    )
    const found = allowed.flat()
    if (relays.length > 0 && found.length === 0) log.warn('no relay of a person may be used', { relays })
    return found.length > 0 ? found : account.relays
  }

  /** Resolves when one relay has it; the others get it, too. */
  async #publish(event: NostrEvent, relays: readonly Relay[]): Promise<void> {
    const answers: (Verdict | undefined)[] = []
    const taken = relays.map(async (relay) => {
      const verdict = await relay.publish(event).catch(() => undefined)
      answers.push(verdict)
      if (isTaken(verdict)) return
      this.#deps.log.debug('a relay of Nostr did not take a message', { relay: relay.url, reason: verdict?.reason })
      throw new Error(verdict?.reason)
    })
    await Promise.any(taken).catch(() => {
      throw toFailure(answers)
    })
  }

  async #prepare(relay: Relay): Promise<void> {
    await this.#inbox.follow(relay, (reason) => {
      this.#relays.refuse(relay, reason)
    })
    // Optional: the account works without a profile.
    void this.#publishOwn(relay).catch((error: unknown) => {
      if (!this.#signal.aborted) this.#deps.log.warn('the profile could not be published', { relay: relay.url, error })
    })
  }

  /** The profile and the list of relays, where the relay has others. */
  async #publishOwn(relay: Relay): Promise<void> {
    const { settings, account, clock } = this.#deps
    const { publish_relay_list: hasList, name, about, picture } = settings
    const own = Object.fromEntries(Object.entries({ name, about, picture }).filter(([, value]) => value !== ''))
    const hasProfile = Object.keys(own).length > 0
    if (!hasList && !hasProfile) return
    const events = await relay.query([{ kinds: [PROFILE, RELAY_LIST], authors: [this.#own] }])
    const put = async (kind: number, content: string, tags: string[][]) => {
      const before = newest(events, kind)
      if (before?.content === content && JSON.stringify(before.tags) === JSON.stringify(tags)) return
      const time = Math.max(Math.floor(clock.now() / 1000), (before?.created_at ?? 0) + 1)
      await relay.publish(finalizeEvent({ kind, content, tags, created_at: time }, this.#secretKey))
    }
    if (hasList) {
      const tags = account.relays.map((url) => ['relay', url])
      await put(RELAY_LIST, '', tags)
    }
    if (!hasProfile) return
    const before = newest(events, PROFILE)
    const known = tryParseJson(before?.content ?? '')?.value
    const kept = known !== null && typeof known === 'object' ? known : {}
    await put(PROFILE, JSON.stringify({ ...kept, ...own, bot: true }), before?.tags ?? [])
  }
}

function isTaken(verdict: Verdict | undefined): boolean {
  return verdict !== undefined && (verdict.isTaken || verdict.reason.startsWith('duplicate'))
}

/** What is certain of a message that no relay is known to have. */
function toFailure(answers: readonly (Verdict | undefined)[]): Error {
  const reasons = answers.flatMap((verdict) => verdict?.reason ?? [])
  const said = [...new Set(reasons)].join('; ').slice(0, 300)
  if (answers.includes(undefined))
    return deliveryUncertain('PLATFORM_UNREACHABLE', 'No relay of Nostr answered whether it took the message.')
  if (reasons.some((reason) => LATER.test(reason)))
    return deliveryBusy('PLATFORM_UNREACHABLE', `The relays of Nostr do not take the message now: ${said}.`)
  return deliveryRefused('PLATFORM_REFUSED', `The relays of Nostr refused the message: ${said}.`)
}

export function readSecretKey(secret: string): Uint8Array {
  if (!secret.startsWith('nsec1')) return new Uint8Array(Buffer.from(secret, 'hex'))
  try {
    const read = decode(secret)
    if (read.type === 'nsec') return read.data
  } catch {
    // The error of the library repeats the key.
  }
  throw deliveryRefused('PLATFORM_UNAUTHORIZED', 'NOSTR_SECRET_KEY is no valid nsec1… key: a character is wrong.')
}

/** Of a person, as npub1… or in hexadecimal digits. */
function readPublicKey(text: string): string | undefined {
  if (EVENT_ID.test(text)) return text
  try {
    const read = decode(text)
    return read.type === 'npub' ? read.data : undefined
  } catch {
    return undefined
  }
}
