/** One conversation, as its users hold it. It finds its place again when the database was opened anew. */
import { type Message, type Session, type SessionRecord, SvcError, type TurnEvent } from 'svc/sdk'
import type { SessionKey } from './journal.ts'
import type { Shelf, ShelfKeeper } from './shelf.ts'

/** Contract: `Session` of the SDK. Messages that were read once are kept, so a long conversation is parsed once. */
export class StoredSession implements Session {
  readonly id: string
  readonly cwd: string
  readonly #shelf: ShelfKeeper
  #place: { readonly shelf: Shelf; readonly key: SessionKey } | undefined
  #messages: Message[] = []
  #position = 0

  constructor({ id, cwd }: { readonly id: string; readonly cwd: string }, shelf: ShelfKeeper) {
    this.id = id
    this.cwd = cwd
    this.#shelf = shelf
  }

  systemPrompt(): string | undefined {
    return this.#with(({ catalogue }, { number }) => catalogue.systemPrompt(number))
  }

  setSystemPrompt(text: string): void {
    this.#with(({ catalogue }, { number }) => {
      if (catalogue.setSystemPrompt(number, text) || catalogue.systemPrompt(number) === text) return
      throw new SvcError(
        'SESSION_PROMPT_FIXED',
        `Session ${this.id} has a system prompt already, and it stays. Start a new session for another one.`,
        { status: 409 },
      )
    })
  }

  messages(): readonly Message[] {
    this.#with(({ journal }, key) => {
      for (const { position, message } of journal.messages(key, this.#position)) {
        this.#messages.push(message)
        this.#position = position
      }
    })
    return [...this.#messages]
  }

  record(record: SessionRecord): readonly TurnEvent[] {
    return this.#with(({ journal }, key) => journal.write(key, record))
  }

  events(afterSeq = 0): readonly TurnEvent[] {
    return this.#with(({ journal }, key) => journal.events(key, afterSeq))
  }

  #with<T>(work: (shelf: Shelf, key: SessionKey) => T): T {
    return this.#shelf.use((shelf) => work(shelf, this.#keyIn(shelf)))
  }

  /** After a damaged file was replaced, the number may be another one, or the session be lost. */
  #keyIn(shelf: Shelf): SessionKey {
    if (this.#place?.shelf === shelf) return this.#place.key
    const { number } = shelf.catalogue.find(this.id)
    this.#place = { shelf, key: { id: this.id, number } }
    this.#messages = []
    this.#position = 0
    return this.#place.key
  }
}
