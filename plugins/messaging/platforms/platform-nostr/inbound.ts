/** What an event says to the account. */
import * as nip04 from 'nostr-tools/nip04'
import { npubEncode } from 'nostr-tools/nip19'
import type { InboundMessage } from 'svc/sdk/platform'
import { openEnvelope } from './envelope.ts'
import { FILE, findTag, MESSAGE, type NostrEvent, OLD_MESSAGE, type Rumor } from './kinds.ts'

export interface Words {
  readonly pubkey: string
  /** The id of the rumor, which is the same in each wrap; of an older message the id of the event. */
  readonly messageId: string
  /** In seconds since 1970, by the clock of the sender. */
  readonly at: number
  readonly text: string
  readonly quote?: string
}

const MAX_OLD = 100_000
/** Times of messages that just arrived are those of a foreign clock, and say less than their arrival. */
const FRESH_S = 120

/** A text gives the reason why the event is not a message. */
export function readEvent(event: NostrEvent, secretKey: Uint8Array, own: string): Words | string {
  const rumor = event.kind === OLD_MESSAGE ? openOld(event, secretKey) : openEnvelope(event, secretKey)
  if (typeof rumor === 'string') return rumor
  if (rumor.kind === FILE) return 'it is a file'
  if (rumor.kind !== MESSAGE) return `it is of kind ${rumor.kind}`
  const people = new Set(rumor.tags.flatMap(([tag, key = '']) => (tag === 'p' ? key : [])))
  if (rumor.pubkey === own) return 'it was written by the account'
  people.delete(own)
  people.delete(rumor.pubkey)
  if (people.size > 0) return 'it was written to several people'
  if (rumor.content.trim() === '') return 'it is empty'
  const quote = findTag(rumor.tags, 'e')
  return {
    ...{ pubkey: rumor.pubkey, messageId: rumor.id, at: rumor.created_at, text: rumor.content },
    ...(quote !== undefined && { quote }),
  }
}

/** `now` in milliseconds. */
export function toInbound(
  { pubkey, messageId, at, text, quote }: Words,
  about: { readonly name?: string; readonly isBot: boolean; readonly now: number },
): InboundMessage {
  const id = npubEncode(pubkey)
  return {
    ...{ platform: 'nostr', chatId: id, userId: id, messageId, text },
    ...(about.name !== undefined && { userName: about.name }),
    ...(about.isBot && { isBot: true }),
    ...(quote !== undefined && { quote: { messageId: quote } }),
    ...(at + FRESH_S < about.now / 1000 && { at: at * 1000 }),
  }
}

/** Of kind 4 (NIP-04); the whole event is signed. */
function openOld(event: NostrEvent, secretKey: Uint8Array): Rumor | string {
  if (event.content.length > MAX_OLD) return 'it is too long'
  try {
    return { ...event, kind: MESSAGE, content: nip04.decrypt(secretKey, event.pubkey, event.content) }
  } catch {
    return 'it cannot be decrypted'
  }
}
