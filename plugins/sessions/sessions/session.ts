/** One conversation, as its users hold it. It recovers its position after the database was reopened. */
import { type Message, type Session, type SessionState, SvcError, type TurnEvent } from 'svc/sdk'
import { SessionCompacted, SessionRewound } from 'svc/sdk/hooks'
import type { InterruptedTurn, RewoundSession, SessionAppend } from 'svc/sdk/sessions'
import { closeCrashed } from './crash.ts'
import type { SessionKey } from './journal.ts'
import type { SessionDatabase, SessionTables } from './session-database.ts'
import { getSessionScope } from './shared.ts'

/** The tables it is in, and its number there. */
interface SessionLocation {
  readonly tables: SessionTables
  readonly key: SessionKey
}

/** Contract: `Session` of the SDK. */
export class StoredSession implements Session {
  readonly id: string
  readonly cwd: string
  readonly surface: string
  readonly #database: SessionDatabase
  #place: SessionLocation | undefined

  /** `place`: where it was found, if that is known. */
  constructor(
    { id, cwd, surface }: Pick<Session, 'id' | 'cwd' | 'surface'>,
    database: SessionDatabase,
    place?: SessionLocation,
  ) {
    this.id = id
    this.cwd = cwd
    this.surface = surface
    this.#database = database
    this.#place = place
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

  renewSystemPrompt(): void {
    this.#with(({ catalogue }, { number }) => catalogue.dropSystemPrompt(number))
  }

  messages(): readonly Message[] {
    return this.#with((tables, key) => [...tables.conversations.read(tables, key)])
  }

  entries(): readonly { readonly message: Message; readonly at: number }[] {
    return this.#with(({ edits }, { number }) => edits.read(number).map(({ message, at }) => ({ message, at })))
  }

  history(): readonly Message[] {
    return this.#with(({ journal }, key) => journal.conversation(key, 0).messages)
  }

  rewind(from: number): readonly Message[] {
    const undone = this.#edit(({ turns, edits, journal }, { number }) => {
      if (turns.isAtWork(number))
        throw new SvcError('SESSION_IN_USE', 'A turn is at work in this session. Stop it, then take messages back.', {
          status: 409,
        })
      const [seq, at] = [journal.lastSeq(number), journal.now()]
      return edits.replace(number, { kind: 'rewound', from, to: Number.MAX_SAFE_INTEGER, messages: [], seq, at })
    })
    this.#announceRewound('undone', undone.length)
    return undone
  }

  unwind(): number {
    const count = this.#edit(({ edits }, { number }) => edits.undo(number))
    this.#announceRewound('redone', count)
    return count
  }

  compress({ from, to, summary }: Parameters<Session['compress']>[0]): void {
    const replaced = this.#edit(({ edits, journal, catalogue }, { number }) => {
      const [seq, at] = [journal.lastSeq(number), journal.now()]
      const messages = edits.replace(number, { kind: 'compressed', from, to, messages: summary, seq, at })
      catalogue.dropSystemPrompt(number)
      return messages.length
    })
    if (replaced > 0) void this.#database.announce(SessionCompacted, { sessionId: this.id, replaced, summary })
  }

  edition(): number {
    return this.#with(({ edits }, { number }) => edits.edition(number))
  }

  record(record: SessionAppend): readonly TurnEvent[] {
    // Whether the session is being removed is not asked: the database refuses events and messages of one that is.
    return this.#database.use((tables) => tables.journal.write(this.#keyIn(tables), record))
  }

  committed(): Promise<void> {
    return this.#database.use(({ database }) => database.committed())
  }

  synced(): Promise<void> {
    return this.#database.use(({ database }) => database.synced(getSessionScope(this.id)))
  }

  events(afterSeq = 0): readonly TurnEvent[] {
    return this.#with(({ journal }, key) => journal.events(key, afterSeq))
  }

  keep(text: string): string {
    return this.#database.use(({ catalogue }) => catalogue.keep(text))
  }

  kept(digest: string): string | undefined {
    return this.#with(({ catalogue }) => catalogue.kept(digest))
  }

  state<T>(state: SessionState<T>): T | undefined {
    return this.#with(({ states }, key) => states.get(key, state))
  }

  setState<T>(state: SessionState<T>, value: T | undefined, options: { readonly with?: 'next-message' } = {}): void {
    this.#with(({ database, states }, { number }) =>
      database.transaction(() => states.set(number, state, value, options.with === 'next-message' ? 1 : 0)),
    )
  }

  takeOver(): InterruptedTurn | undefined {
    return this.#with((tables, key) => {
      if (tables.turns.crashed(key.number).length === 0) return undefined
      return tables.journal.exclusively(() => {
        // Asked again, now that no other process can be taking over the same turn.
        const [turn] = tables.turns.crashed(key.number)
        if (!turn) return undefined
        tables.turns.claim(key.number, turn.id)
        const messages = tables.journal.messages(key, 0, turn.id).map(({ message }) => message)
        return { turnId: turn.id, events: tables.journal.events(key, turn.firstSeq - 1, turn.id), messages }
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

  #edit<T>(work: (tables: SessionTables, key: SessionKey) => T): T {
    return this.#with((tables, key) => tables.journal.exclusively(() => work(tables, key)))
  }

  #announceRewound(kind: RewoundSession['kind'], messageCount: number): void {
    if (messageCount > 0) void this.#database.announce(SessionRewound, { sessionId: this.id, kind, messageCount })
  }

  #with<T>(work: (tables: SessionTables, key: SessionKey) => T): T {
    return this.#database.use((tables) => {
      const key = this.#keyIn(tables)
      // Some of its rows may still be there: nothing is read of them, and nothing added.
      return work(tables, tables.removals.isMarked(key.number) ? { id: this.id, number: 0 } : key)
    })
  }

  /** After a damaged file was replaced, the number may be another one, or the session be lost. */
  #keyIn(tables: SessionTables): SessionKey {
    if (this.#place?.tables !== tables) {
      const { number } = tables.catalogue.identify(this.id)
      this.#place = { tables: tables, key: { id: this.id, number } }
    }
    return this.#place.key
  }
}
