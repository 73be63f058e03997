/** A fingerprint of what a model is sent, and its size; what was sent before is not read again. */
import { createHash, type Hash } from 'node:crypto'
import type { Message } from 'svc/sdk'
import type { ToolDefinition } from 'svc/sdk/provider'
import { formatDefinitions } from './definitions.ts'

let newest = { text: '', digest: '' }

/** Tools are long, and nearly always those of the call before. */
function hashDefinitions(text: string): string {
  if (newest.text !== text) newest = { text, digest: createHash('sha256').update(text).digest('hex') }
  return newest.digest
}

/** What was sent, as far as it is part of a fingerprint. */
interface Sent {
  readonly messages: readonly Message[]
  readonly hash: Hash
  readonly length: number
}

const NOTHING: Omit<Sent, 'hash'> = { messages: [], length: 0 }
/** By the last message that was sent: the next turn of the conversation appends a few messages to it. */
const sent = new WeakMap<Message, Sent>()
const MAX_NEW_MESSAGES = 50

/** One per turn. A conversation only grows, so each request costs as much as what is new in it. */
export class RequestDigest {
  #sent: Sent | undefined

  /** `length` counts characters of JSON: about four of them are a token. */
  of(
    messages: readonly Message[],
    tools: readonly ToolDefinition[],
    options: Readonly<Record<string, unknown>>,
  ): { readonly digest: string; readonly length: number } {
    const before = this.#sent ?? earlierTurn(messages)
    const isSame = before?.messages.every((message, index) => isSameMessage(message, messages[index])) ?? false
    const begun = before && isSame ? before : { ...NOTHING, hash: createHash('sha256') }
    // In one piece: thousands of updates take longer than the hash itself.
    const text = messages
      .slice(begun.messages.length)
      .map((message) => JSON.stringify(message))
      .join('')
    begun.hash.update(text)
    const length = begun.length + text.length
    this.#sent = { messages: [...messages], hash: begun.hash, length }
    keep(this.#sent, before)
    const rest = formatDefinitions(tools) + JSON.stringify(options)
    return { digest: begun.hash.copy().update(hashDefinitions(rest)).digest('hex'), length: length + rest.length }
  }
}

/** Only the newest of a conversation is kept. */
function keep(now: Sent, before: Sent | undefined): void {
  const [old, last] = [before?.messages.at(-1), now.messages.at(-1)]
  if (old) sent.delete(old)
  if (last) sent.set(last, now)
}

function earlierTurn(messages: readonly Message[]): Sent | undefined {
  for (const message of messages.slice(-MAX_NEW_MESSAGES).toReversed()) {
    const found = sent.get(message)
    // A turn that is still at work, or another branch of the conversation, keeps its own.
    if (found) return { ...found, hash: found.hash.copy() }
  }
  return undefined
}

/** The system prompt is a new object in each turn. */
function isSameMessage(one: Message, other: Message | undefined): boolean {
  return one === other || (one.role === 'system' && other?.role === 'system' && one.text === other.text)
}
