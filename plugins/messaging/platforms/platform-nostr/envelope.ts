/**
 * Private direct messages (NIP-17): a rumor in a seal in a gift wrap (NIP-59), encrypted as NIP-44 says.
 *
 * A message that is sent again must be the same event, so that relays and clients take both for one: keys, nonces and times are made
 * from the key of the delivery and from what is said. Only the time and the signature of the seal cannot be made again; they are noted
 * before the first byte leaves.
 */
import { createHmac } from 'node:crypto'
import * as nip44 from 'nostr-tools/nip44'
import { finalizeEvent, getEventHash, getPublicKey, verifyEvent } from 'nostr-tools/pure'
import { tryParseJson } from 'svc/sdk'
import { z } from 'zod'
import { eventSchema, MESSAGE, type NostrEvent, type Rumor, rumorSchema, SEAL, WRAP } from './kinds.ts'

const DAYS_2 = 2 * 24 * 60 * 60
/** Longer contents are not decrypted: relays pass on what strangers send. */
const MAX_CONTENT = 200_000

/** What is said, and to whom. */
export interface Letter {
  readonly secretKey: Uint8Array
  /** Public key of the person, in hexadecimal digits. */
  readonly recipient: string
  readonly text: string
  /** The id of the message that it answers. */
  readonly replyTo?: string
  /** The key of the delivery. */
  readonly key: string
}

const noteSchema = z.object({ at: z.number().int(), id: z.string(), sig: z.string() })
/** What has to be stored to make the same event again. */
export type EnvelopeNote = z.infer<typeof noteSchema>

export interface Envelope {
  readonly wrap: NostrEvent
  /** The id that people see, and answers name. */
  readonly messageId: string
  readonly note: EnvelopeNote
}

export function readNote(text: string | undefined): EnvelopeNote | undefined {
  return noteSchema.safeParse(tryParseJson(text ?? '')?.value).data
}

/** The relay strfry refuses events of more than 900 s ahead (`rejectEventsNewerThanSeconds`). */
const MAX_AHEAD_S = 600

/**
 * In seconds: later than the message before to the same person, since clients sort by time, but no further ahead than relays
 * take it. Beyond that messages of the same second are sorted by the client alone.
 */
export function chooseTime(now: number, before: number | undefined): number {
  return Math.max(now, Math.min((before ?? 0) + 1, now + MAX_AHEAD_S))
}

/** `at` is in seconds; a note from an earlier attempt stands over it. */
export function createEnvelope(letter: Letter, at: number, note?: EnvelopeNote): Envelope {
  const { secretKey, recipient, text, replyTo, key } = letter
  const createdAt = note?.at ?? at
  const rumor = {
    pubkey: getPublicKey(secretKey),
    created_at: createdAt,
    kind: MESSAGE,
    tags: [['p', recipient], ...(replyTo === undefined ? [] : [['e', replyTo]])],
    content: text,
  }
  const messageId = getEventHash(rumor)
  // What is said is a part of it: two plaintexts under one nonce would give both away.
  const derive = (label: string) =>
    createHmac('sha256', secretKey).update([label, key, recipient, messageId].join('\0')).digest()
  const before = (label: string) => createdAt - (derive(label).readUInt32BE() % DAYS_2)
  const seal = {
    pubkey: rumor.pubkey,
    created_at: before('time of the seal'),
    kind: SEAL,
    tags: [],
    content: encrypt({ ...rumor, id: messageId }, secretKey, recipient, derive('nonce of the seal')),
  }
  const sealId = getEventHash(seal)
  const sig = note?.id === sealId ? note.sig : finalizeEvent(seal, secretKey).sig
  const once = derive('key of the wrap')
  const wrap = finalizeEvent(
    {
      created_at: before('time of the wrap'),
      kind: WRAP,
      tags: [['p', recipient]],
      content: encrypt({ ...seal, id: sealId, sig }, once, recipient, derive('nonce of the wrap')),
    },
    once,
  )
  return { wrap, messageId, note: { at: createdAt, id: sealId, sig } }
}

/** What is inside; a text says why it is refused. */
export function openEnvelope(wrap: NostrEvent, secretKey: Uint8Array): Rumor | string {
  if (wrap.kind !== WRAP) return `it is of kind ${wrap.kind}`
  const seal = eventSchema.safeParse(decrypt(wrap, secretKey)).data
  if (!seal) return 'it holds no seal for this account'
  if (seal.kind !== SEAL || seal.tags.length > 0) return 'its seal is malformed'
  if (!isGenuine(seal)) return 'its seal is not signed by its author'
  const rumor = rumorSchema.safeParse(decrypt(seal, secretKey)).data
  if (!rumor) return 'its seal holds no message'
  // Without this check anyone could write in the name of another.
  if (rumor.pubkey !== seal.pubkey) return 'its message names another author than its seal'
  const id = getEventHash(rumor)
  return rumor.id === undefined || rumor.id === id ? { ...rumor, id } : 'the id of its message is wrong'
}

/** Its id and its signature are right. */
export function isGenuine(event: NostrEvent): boolean {
  // Without what the library remembers of an object.
  return verifyEvent({ ...event })
}

function encrypt(value: object, secretKey: Uint8Array, recipient: string, nonce: Uint8Array): string {
  return nip44.encrypt(JSON.stringify(value), nip44.getConversationKey(secretKey, recipient), nonce)
}

function decrypt({ content, pubkey }: NostrEvent, secretKey: Uint8Array): unknown {
  if (content.length > MAX_CONTENT) return undefined
  try {
    return JSON.parse(nip44.decrypt(content, nip44.getConversationKey(secretKey, pubkey)))
  } catch {
    return undefined
  }
}
