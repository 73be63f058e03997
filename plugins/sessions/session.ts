/** One conversation, as its users hold it. It finds its place again when the database was opened anew. */
import { createHash } from 'node:crypto'
import { type Message, type Session, type SessionRecord, SvcError, type TurnEvent, type UnfinishedTurn } from 'svc/sdk'
import { closeCrashed } from './crash.ts'
import type { SessionKey } from './journal.ts'
import type { Shelf, ShelfKeeper } from './shelf.ts'

/** Contract: `Session` of the SDK. Messages that were read once are kept, so a long conversation is parsed once. */
export class StoredSession implements Session {
  readonly id: string
  readonly cwd: string
  readonly surface: string
  readonly #shelf: ShelfKeeper
  #place: { readonly shelf: Shelf; readonly key: SessionKey } | undefined
  #messages: Message[] = []
  #position = 0

  constructor({ id, cwd, surface }: Pick<Session, 'id' | 'cwd' | 'surface'>, shelf: ShelfKeeper) {
    this.id = id
    this.cwd = cwd
    this.surface = surface
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
      const { position, messages } = journal.conversation(key, this.#position)
      for (const message of messages) this.#messages.push(message)
      this.#position = position
    })
    return [...this.#messages]
  }

  record(record: SessionRecord): readonly TurnEvent[] {
    return this.#with(({ journal }, key) => journal.write(key, record))
  }

  events(afterSeq = 0): readonly TurnEvent[] {
    return this.#with(({ journal }, key) => journal.events(key, afterSeq))
  }

  keep(text: string): string {
    const digest = createHash('sha256').update(text).digest('hex')
    this.#with(({ catalogue }) => catalogue.keep(digest, text))
    return digest
  }

  kept(digest: string): string | undefined {
    return this.#with(({ catalogue }) => catalogue.kept(digest))
  }

  takeOver(): UnfinishedTurn | undefined {
    return this.#with((shelf, key) => {
      if (shelf.turns.crashed(key.number).length === 0) return undefined
      return shelf.journal.exclusively(() => {
        // Asked again, now that no other process can be taking over the same turn.
        const [turn] = shelf.turns.crashed(key.number)
        if (!turn) return undefined
        shelf.turns.claim(key.number, turn.id)
        const messages = shelf.journal.messages(key, 0, turn.id).map(({ message }) => message)
        return { turnId: turn.id, events: shelf.journal.events(key, turn.firstSeq - 1, turn.id), messages }
      })
    })
  }

  abandon(turnId: string): readonly TurnEvent[] {
    return this.#with(({ journal, turns }, key) =>
      journal.exclusively(() => {
        const turn = turns.open(key.number).find(({ id }) => id === turnId)
        if (!turn) return []
        const events = journal.events(key, turn.firstSeq - 1, turnId)
        return journal.write(key, { turnId, ...closeCrashed({ events, messages: journal.messages(key, 0, turnId) }) })
      }),
    )
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
