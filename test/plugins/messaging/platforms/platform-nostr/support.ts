/** What the stories of Nostr have in common: letters as other apps make them, and second relays. */
import * as nip44 from 'nostr-tools/nip44'
import { createRumor, createSeal, createWrap } from 'nostr-tools/nip59'
import { finalizeEvent, getEventHash, getPublicKey } from 'nostr-tools/pure'
import { onTestFinished } from 'vitest'
import type { NostrEvent } from '../../../../../plugins/messaging/platforms/platform-nostr/kinds.ts'
import {
  type RelayRules,
  StandInRelay,
} from '../../../../../plugins/messaging/platforms/platform-nostr/stand-in/relay.ts'
import {
  createKey,
  type NostrStandIn,
  openStandIn as openService,
} from '../../../../../plugins/messaging/platforms/platform-nostr/stand-in/service.ts'

/** The account of svc in these tests. */
export const SECRET_KEY: Uint8Array = createKey('svc')
export const PUBLIC_KEY: string = getPublicKey(SECRET_KEY)

export function openStandIn(): Promise<NostrStandIn> {
  return openService('svc')
}

export const seconds = () => Math.floor(Date.now() / 1000)

export async function openRelay(rules?: RelayRules): Promise<StandInRelay> {
  const relay = await StandInRelay.open(rules)
  onTestFinished(() => relay.close())
  return relay
}

export interface Written {
  readonly at?: number
  readonly kind?: number
  readonly tags?: string[][]
}

export function createWords(
  key: Uint8Array,
  content: string,
  { at = seconds(), kind = 14, tags = [['p', PUBLIC_KEY]] }: Written = {},
) {
  return createRumor({ kind, created_at: at, tags, content }, key)
}

/** In a wrap with this time; left out: that of the library, which is up to two days old. */
export function wrap(key: Uint8Array, rumor: ReturnType<typeof createWords>, at?: number): NostrEvent {
  const seal = createSeal(rumor, key, PUBLIC_KEY)
  return at === undefined ? createWrap(seal, PUBLIC_KEY) : wrapSeal(seal, at)
}

/** Whatever is given as a seal. */
export function wrapSeal(seal: object, at = seconds()): NostrEvent {
  const once = new Uint8Array(32).fill(7)
  const content = nip44.encrypt(JSON.stringify(seal), nip44.getConversationKey(once, PUBLIC_KEY))
  return finalizeEvent({ kind: 1059, created_at: at, tags: [['p', PUBLIC_KEY]], content }, once)
}

/** A seal around anything, signed with `key`. */
export function seal(key: Uint8Array, value: object, tags: string[][] = []): NostrEvent {
  const content = nip44.encrypt(JSON.stringify(value), nip44.getConversationKey(key, PUBLIC_KEY))
  return finalizeEvent({ kind: 13, created_at: seconds(), tags, content }, key)
}

export { getEventHash, getPublicKey }
