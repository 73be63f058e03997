/** Messages that were read and parsed, shared by all who hold the session: a turn reads only what is new. */
import type { Message } from 'svc/sdk'
import type { SessionKey } from './journal.ts'
import type { Shelf } from './shelf.ts'

/** Messages kept of all sessions together; the session that was read last is kept whatever its length. */
const MOST_MESSAGES = 2000

/** The conversation of one session as far as it was read. */
class Conversation {
  #messages: Message[] = []
  #position = 0
  #edition = 0
  /** Of the last message that was read: tells whether it is still the one in this place. */
  #mark: string | undefined

  get size(): number {
    return this.#messages.length
  }

  read({ journal, edits }: Shelf, key: SessionKey): readonly Message[] {
    const edition = edits.edition(key.number)
    const isSame = edition === this.#edition && journal.mark(key.number, this.#position) === this.#mark
    if (!isSame) this.#begin({ edits }, key.number, edition)
    const { position, messages } = journal.conversation(key, this.#position)
    if (position !== this.#position || !isSame) this.#mark = journal.mark(key.number, position)
    this.#position = position
    for (const message of messages) this.#messages.push(message)
    return this.#messages
  }

  /** From the beginning, or from behind what was taken back or compressed. */
  #begin({ edits }: Pick<Shelf, 'edits'>, number: number, edition: number): void {
    const read = edition === 0 ? [] : edits.read(number)
    this.#messages = read.map(({ message }) => message)
    this.#edition = edition
    this.#position = edition === 0 ? 0 : Math.max(edits.end(number), read.at(-1)?.last ?? 0)
  }
}

export class Conversations {
  /** The one read last comes last. */
  readonly #kept = new Map<string, Conversation>()

  read(shelf: Shelf, key: SessionKey): readonly Message[] {
    const kept = this.#kept.get(key.id) ?? new Conversation()
    this.#kept.delete(key.id)
    this.#kept.set(key.id, kept)
    const messages = kept.read(shelf, key)
    this.#drop()
    return messages
  }

  #drop(): void {
    let total = 0
    for (const { size } of this.#kept.values()) total += size
    for (const [id, { size }] of this.#kept) {
      if (total <= MOST_MESSAGES || this.#kept.size === 1) return
      this.#kept.delete(id)
      total -= size
    }
  }
}
