/** Messages that were read and parsed, shared by all who hold the session: a turn reads only what is new. */
import type { Message } from 'svc/sdk'
import type { SessionKey } from './journal.ts'
import type { SessionTables } from './session-database.ts'

/**
 * Characters of JSON kept of all sessions together, some 30 MB of memory; the session that was read last is kept whatever its
 * length. With less, a gateway that serves a long session and any other one in turn would read the long one again each
 * time.
 */
const MAX_LENGTH = 8_000_000
/** Of a message beside its text, roughly. */
const MESSAGE_LENGTH = 100

/** The conversation of one session as far as it was read. */
class Conversation {
  #messages: Message[] = []
  #position = 0
  #edition = 0
  /** Of the last message that was read: tells whether it is still the one in this place. */
  #mark: string | undefined
  #length = 0

  /** Characters of JSON, about. */
  get length(): number {
    return this.#length
  }

  read({ journal, edits }: SessionTables, key: SessionKey): readonly Message[] {
    const edition = edits.edition(key.number)
    const isSame = edition === this.#edition && journal.mark(key.number, this.#position) === this.#mark
    if (!isSame) this.#begin({ edits }, key.number, edition)
    const { position, messages, length } = journal.conversation(key, this.#position)
    if (position !== this.#position || !isSame) this.#mark = journal.mark(key.number, position)
    this.#position = position
    this.#length += length
    for (const message of messages) this.#messages.push(message)
    return this.#messages
  }

  /** From the beginning, or from behind what was taken back or compressed. */
  #begin({ edits }: Pick<SessionTables, 'edits'>, number: number, edition: number): void {
    const read = edition === 0 ? [] : edits.read(number)
    this.#messages = read.map(({ message }) => message)
    this.#length = this.#messages.reduce((sum, { text }) => sum + text.length + MESSAGE_LENGTH, 0)
    this.#edition = edition
    this.#position = edition === 0 ? 0 : Math.max(edits.end(number), read.at(-1)?.last ?? 0)
  }
}

export class Conversations {
  /** The one read last comes last. */
  readonly #kept = new Map<string, Conversation>()
  /** Of all that are kept; summed up as they change, since a server keeps thousands of short ones. */
  #length = 0

  read(tables: SessionTables, key: SessionKey): readonly Message[] {
    const kept = this.#kept.get(key.id) ?? new Conversation()
    this.#kept.delete(key.id)
    this.#kept.set(key.id, kept)
    const before = kept.length
    try {
      return kept.read(tables, key)
    } finally {
      this.#length += kept.length - before
      this.#drop()
    }
  }

  #drop(): void {
    for (const [id, { length }] of this.#kept) {
      if (this.#length <= MAX_LENGTH || this.#kept.size === 1) return
      this.#kept.delete(id)
      this.#length -= length
    }
  }
}
