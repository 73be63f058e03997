/**
 * A stand-in for Nostr: one relay after NIP-01 and NIP-42 that shows direct messages only to their recipients, and people who write and
 * read after NIP-17 (github.com/nostr-protocol/nips).
 */
import { createHash, randomUUID } from 'node:crypto'
import { decode, npubEncode, nsecEncode } from 'nostr-tools/nip19'
import { wrapEvent } from 'nostr-tools/nip59'
import { finalizeEvent, getPublicKey } from 'nostr-tools/pure'
import { demandFault, LINE_FAULTS, type SayOptions, SEND_FAULTS, SendFaults } from 'svc/sdk/kit/stand-in'
import type { LineFault, SendFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { openEnvelope } from '../envelope.ts'
import { findTag, MESSAGE, type NostrEvent, RELAY_LIST, type Rumor, WRAP } from '../kinds.ts'
import { StandInRelay } from './relay.ts'

/** Keys of all names that were used, by their public keys. */
const names: Map<string, Uint8Array> = new Map()

const MEET: Readonly<Record<SendFault, string>> = {
  busy: 'rate-limited: slow down there chief',
  unavailable: 'error: the database is not available',
  forbidden: 'blocked: you are banned from posting here',
  lost: 'cut',
  unanswered: 'take and cut',
}

/** The stand-in, and what only tests of this platform need. */
export interface NostrStandIn extends StandInService {
  readonly relay: StandInRelay
  /** The key of a person with this name. */
  keyOf(userId: string): Uint8Array
}

/** `owner` names the account of svc, which has the same key under the same name; left out: an account that nothing else has. */
export async function openStandIn(owner: string = randomUUID()): Promise<NostrStandIn> {
  const secretKey = createKey(owner)
  const publicKey = getPublicKey(secretKey)
  const nostr = new Nostr(secretKey)
  const relay = await StandInRelay.open({
    meet: (event) => nostr.meet(event),
    stored: (event) => nostr.read(event),
  })
  nostr.begin(relay)
  return {
    name: 'nostr',
    document: 'https://github.com/nostr-protocol/nips/blob/master/17.md',
    config: { relays: [relay.url] },
    env: { NOSTR_SECRET_KEY: nsecEncode(secretKey) },
    ...{ sendFaults: SEND_FAULTS, lineFaults: LINE_FAULTS, relay },
    member: (options) => nostr.member(options),
    keyOf: createKey,
    deliveries: () => nostr.sent,
    connected: () => !relay.isClosed && relay.isRead(publicKey),
    failSends: (fault, count) => nostr.faults.add(fault, count),
    disturb(fault) {
      demandFault(LINE_FAULTS, fault)
      nostr.disturb(fault)
    },
    calm: () => nostr.calm(),
    close: () => relay.close(),
  }
}

class Nostr {
  readonly sent: StandInDelivery[] = []
  readonly faults: SendFaults = new SendFaults()
  /** Keys of people, by their public keys. */
  readonly #keys: Map<string, Uint8Array> = new Map()
  /** What people said, by its id. */
  readonly #said: Map<string, Omit<Rumor, 'id' | 'pubkey'>> = new Map()
  #relay: StandInRelay | undefined
  #fault: 'twice' | 'late' | undefined
  #late: NostrEvent | undefined
  #time = 0
  #count = 0
  readonly #secretKey: Uint8Array
  readonly #publicKey: string

  /** `secretKey` is that of the account of svc. */
  constructor(secretKey: Uint8Array) {
    this.#secretKey = secretKey
    this.#publicKey = getPublicKey(secretKey)
  }

  begin(relay: StandInRelay): void {
    this.#relay = relay
  }

  member({ userId = `person ${++this.#count}` }: { userId?: string; group?: string } = {}): StandInMember {
    const key = createKey(userId)
    const pubkey = getPublicKey(key)
    this.#keys.set(pubkey, key)
    const id = npubEncode(pubkey)
    return { chatId: id, userId: id, say: async (text, options) => this.#say(key, text, options) }
  }

  /** What happens to an event that comes in. */
  meet({ kind }: NostrEvent): string | undefined {
    const fault = kind === WRAP ? this.faults.next() : undefined
    return fault && MEET[fault]
  }

  /** As the app of the person reads it; one that reads nothing of it shows nothing. */
  read(event: NostrEvent): void {
    const key = event.kind === WRAP ? this.#keys.get(findTag(event.tags, 'p') ?? '') : undefined
    const rumor = key && openEnvelope(event, key)
    if (!key || !rumor || typeof rumor === 'string' || rumor.pubkey !== this.#publicKey || rumor.kind !== MESSAGE)
      return
    const replyTo = findTag(rumor.tags, 'e')
    this.sent.push({
      ...{ messageId: rumor.id, chatId: npubEncode(getPublicKey(key)), raw: rumor.content, visible: rumor.content },
      ...{ versions: [rumor.content], buttons: [], files: [] },
      ...(replyTo !== undefined && { replyTo }),
    })
  }

  disturb(fault: LineFault): void {
    const relay = this.#relay
    if (!relay) return
    if (fault === 'twice' || fault === 'late') this.#fault = fault
    if (fault === 'silence') relay.isSilent = true
    if (fault === 'logout') relay.isClosed = true
    if (fault === 'flap') relay.cut()
    if (fault === 'logout') relay.endSubscriptions('restricted: this account is not let in')
  }

  calm(): void {
    const relay = this.#relay
    if (relay) {
      relay.isSilent = false
      relay.isClosed = false
    }
    this.#fault = undefined
    this.faults.clear()
    this.#release()
  }

  #say(key: Uint8Array, text: string, { quote, messageId }: SayOptions = {}): string {
    // Messages with the same words in one second would be one message.
    this.#time = Math.max(Math.floor(Date.now() / 1000), this.#time + 1)
    const tags = [['p', this.#publicKey], ...(quote === undefined ? [] : [['e', quote]])]
    const repeated = this.#said.get(messageId ?? '')
    const rumor = repeated ?? { kind: MESSAGE, created_at: this.#time, tags, content: text }
    const wrap = wrapEvent(rumor, key, this.#publicKey) as NostrEvent
    const opened = openEnvelope(wrap, this.#secretKey)
    const id = typeof opened === 'string' ? opened : opened.id
    this.#said.set(id, rumor)
    this.#bring(wrap)
    return id
  }

  #bring(event: NostrEvent): void {
    const fault = this.#fault
    this.#fault = undefined
    if (fault === 'late') {
      this.#late = event
      return
    }
    this.#relay?.put(event, fault === 'twice' ? 2 : 1)
    this.#release()
  }

  #release(): void {
    const late = this.#late
    this.#late = undefined
    if (late) this.#relay?.put(late)
  }
}

/** A list of the relays at which a person reads direct messages. */
export function createRelayList(key: Uint8Array, relays: readonly string[]): NostrEvent {
  const tags = relays.map((url) => ['relay', url])
  return finalizeEvent({ kind: RELAY_LIST, created_at: Math.floor(Date.now() / 1000), tags, content: '' }, key)
}

/** A name has always the same key; one that is a public key already must be of a name that was used before. */
export function createKey(name: string): Uint8Array {
  if (name.startsWith('npub1')) {
    const known = names.get(decode(name).data as string)
    if (known) return known
  }
  const key = new Uint8Array(createHash('sha256').update(`a key for tests: ${name}`).digest())
  names.set(getPublicKey(key), key)
  return key
}
