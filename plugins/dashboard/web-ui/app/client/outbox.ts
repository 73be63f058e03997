/**
 * Messages on their way to the server. Each is stored before it is sent and carries a key, so that it survives a reload and a
 * lost connection, and is said once. Each is an entry of its own in the storage: windows do not overwrite those of others.
 */
import { type ReadonlySignal, signal } from '@preact/signals'

export interface Picture {
  readonly media_type: string
  /** Base64. */
  readonly data: string
}

export interface OutboxMessage {
  /** The server does what has a key once. */
  readonly key: string
  /** The stored session; of a new chat the key of its draft. */
  readonly chat: string
  readonly text: string
  readonly images: readonly Picture[]
  readonly whenBusy?: 'interrupt' | 'queue' | 'steer'
  readonly at: number
}

const PREFIX = 'svc.outbox.'
const MAX_STORED_CHARACTERS = 2_000_000
const messages = signal<readonly OutboxMessage[]>(readAll())

export const outbox: ReadonlySignal<readonly OutboxMessage[]> = messages

export function enqueue(message: Omit<OutboxMessage, 'key' | 'at'>): OutboxMessage {
  const whole = { ...message, key: newKey(), at: Date.now() }
  write(whole)
  messages.value = [...messages.value, whole]
  return whole
}

/** The oldest message of a chat. */
export function nextMessage(chat: string): OutboxMessage | undefined {
  return messages.value.find((each) => each.chat === chat)
}

/** The server has it, or the user took it back. */
export function forget(key: string): void {
  try {
    localStorage.removeItem(`${PREFIX}${key}`)
  } catch {
    // There is no storage: the list below is all there is.
  }
  messages.value = messages.value.filter((each) => each.key !== key)
}

/** A new chat got its session. */
export function rename(from: string, to: string): void {
  messages.value = messages.value.map((each) => {
    if (each.chat !== from) return each
    const renamed = { ...each, chat: to }
    write(renamed)
    return renamed
  })
}

export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function write(message: OutboxMessage): void {
  const size = message.images.reduce((sum, { data }) => sum + data.length, 0)
  try {
    // Pictures that are too large for the storage live as long as the page.
    const kept = size > MAX_STORED_CHARACTERS ? { ...message, images: [] } : message
    localStorage.setItem(`${PREFIX}${message.key}`, JSON.stringify(kept))
  } catch {
    // Private windows may have no storage, or it is full; the message then lives as long as the page.
  }
}

function readAll(): OutboxMessage[] {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
    const all = names.map((name) => JSON.parse(localStorage.getItem(name) ?? '') as OutboxMessage)
    return all.sort((one, two) => one.at - two.at)
  } catch {
    return []
  }
}
