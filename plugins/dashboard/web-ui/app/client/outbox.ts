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
/** Keys of messages that only this page has. */
const unstored = new Set<string>()
const messages = signal<readonly OutboxMessage[]>(readAll())
addEventListener('storage', ({ key }) => {
  if (key?.startsWith(PREFIX)) refresh(key.slice(PREFIX.length))
})

export const outbox: ReadonlySignal<readonly OutboxMessage[]> = messages

export function enqueue(message: Omit<OutboxMessage, 'key' | 'at'>): OutboxMessage {
  const whole = { ...message, key: newKey(), at: Date.now() }
  write(whole)
  messages.value = [...messages.value, whole]
  return whole
}

/**
 * Does `work` with a message, unless another window has it at work or has done it. Resolves with undefined where there is nothing
 * to do any more.
 */
export async function withMessage<T>({ key, chat }: OutboxMessage, work: () => Promise<T>): Promise<T | undefined> {
  const run = () => (refresh(key)?.chat === chat ? work() : Promise.resolve(undefined))
  // Only pages of a secure origin have locks; the server does a message of one session once in any case.
  return navigator.locks ? navigator.locks.request(`${PREFIX}${key}`, run) : run()
}

/** The server has it, or the user took it back. */
export function forget(key: string): void {
  try {
    localStorage.removeItem(`${PREFIX}${key}`)
  } catch {
    // There is no storage: the list below is all there is.
  }
  unstored.delete(key)
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
    unstored.add(message.key)
  }
}

/** Another window may have sent a message, or given its chat a session. */
function refresh(key: string): OutboxMessage | undefined {
  const known = messages.value.find((each) => each.key === key)
  if (!known || unstored.has(key)) return known
  const text = localStorage.getItem(`${PREFIX}${key}`)
  const now = text === null ? undefined : { ...known, chat: (JSON.parse(text) as OutboxMessage).chat }
  if (now?.chat !== known.chat)
    messages.value = messages.value.flatMap((each) => (each !== known ? [each] : now ? [now] : []))
  return now
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
