/** The hot path: events, messages and turns of sessions, written in one transaction for each record. */
import { type Clock, errorMessage, type Message, SvcError, type TurnEvent, type TurnEventData } from 'svc/sdk'
import type { SessionAppend, SessionArchive } from 'svc/sdk/sessions'
import type { Database } from 'svc/sdk/storage'
import type { Catalogue } from './catalogue.ts'
import { indexBatch, indexImported } from './indexing.ts'
import { cut } from './part.ts'
import type { Turns } from './turns.ts'

/** Whose journal is written or read. */
export interface SessionKey {
  readonly id: string
  readonly number: number
}

/** A message, its place in the conversation, and the last event there was when it was recorded. */
export interface StoredMessage {
  readonly position: number
  readonly seq: number
  readonly turnId: string
  /** When it was recorded, in milliseconds since 1970. */
  readonly at: number
  readonly message: Message
}

export interface JournalDeps {
  readonly database: Database
  readonly catalogue: Catalogue
  readonly turns: Turns
  readonly clock: Clock
}

/**
 * The end of a turn indexes so many messages, once they wait: together they cost little more than one. A search indexes
 * the rest.
 */
const INDEXED_TOGETHER = 50

const deltas: ReadonlySet<TurnEventData['type']> = new Set(['message.delta', 'reasoning.delta', 'tool.progress'])

const sql = {
  lastSeq: 'SELECT max(seq) AS seq FROM events WHERE session = ?',
  addEvents: 'INSERT INTO events (session, seq, turn_id, kind, data) VALUES (?, ?, ?, ?, ?)',
  mark: `SELECT seq || ' ' || at || ' ' || turn_id || ' ' || length(data) AS mark FROM messages
    WHERE session = ? AND position = ?`,
  lastPosition: 'SELECT max(position) AS position FROM messages WHERE session = ?',
  addMessage: 'INSERT INTO messages (session, position, turn_id, seq, at, data) VALUES (?, ?, ?, ?, ?, ?)',
  eventsAfter: 'SELECT seq, turn_id AS turnId, data FROM events WHERE session = ? AND seq > ? ORDER BY seq',
  messagesAfter:
    'SELECT position, seq, turn_id AS turnId, at, data FROM messages WHERE session = ? AND position > ? AND turn_id = coalesce(?, turn_id) ORDER BY position',
  messagesPart:
    'SELECT position, seq, turn_id AS turnId, at, data FROM messages WHERE session = ? AND position > ? AND position <= ? ORDER BY position',
  eventsPart: 'SELECT seq, turn_id AS turnId, data FROM events WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq',
  conversation: `SELECT coalesce(max(position), 0) AS position, '[' || coalesce(group_concat(data), '') || ']' AS data
    FROM (SELECT position, data FROM messages WHERE session = ? AND position > ? ORDER BY position)`,
} as const

/** Reads and writes whole records. What a call writes survives a crash of the process when it returns, unless it is asked for `soon`. */
export class Journal {
  readonly #database: Database
  readonly #catalogue: Catalogue
  readonly #turns: Turns
  readonly #clock: Clock

  constructor({ database, catalogue, turns, clock }: JournalDeps) {
    this.#database = database
    this.#catalogue = catalogue
    this.#turns = turns
    this.#clock = clock
  }

  /** Excludes other writers while `work` runs, and writes all of it in one commit that survives a power cut. */
  exclusively<T>(work: () => T): T {
    return this.#database.transaction(work, { sync: true })
  }

  write(session: SessionKey, record: SessionAppend): TurnEvent[] {
    try {
      const { sync = false, soon = false } = record
      return this.#database.transaction(() => this.#append(session, record), { sync, soon })
    } catch (error) {
      if (!isForRemoved(error)) throw error
      throw new SvcError('SESSION_NOT_FOUND', `Session "${session.id}" was removed meanwhile. Start a new session.`, {
        status: 404,
        cause: error,
      })
    }
  }

  events(session: SessionKey, afterSeq: number, turnId?: string): TurnEvent[] {
    const rows = this.#database.prepare<EventRow>(sql.eventsAfter).all(session.number, afterSeq)
    const wanted = turnId === undefined ? rows : rows.filter((row) => row.turnId === turnId)
    return wanted.flatMap((row) => unpack(session.id, row)).filter((event) => event.seq > afterSeq)
  }

  /** Messages of the conversation, or of one of its turns. */
  messages(session: SessionKey, afterPosition: number, turnId?: string): StoredMessage[] {
    const rows = this.#database.prepare<MessageRow>(sql.messagesAfter)
    return rows
      .all(session.number, afterPosition, turnId ?? null)
      .map(({ data, ...place }) => ({ ...place, message: JSON.parse(data) as Message }))
  }

  /** Messages after a position, and the position of the last: one text is read and parsed much faster than many rows. */
  conversation(session: SessionKey, after: number) {
    const statement = this.#database.prepare<{ position: number; data: string }>(sql.conversation)
    const { position = after, data = '[]' } = statement.get(session.number, after) ?? {}
    const messages = JSON.parse(data) as Message[]
    return { position: messages.length > 0 ? position : after, messages, length: data.length }
  }

  /** The next messages after a position: at most `rows`, and about as many pages. */
  messagesPart(session: SessionKey, after: number, rows: number): StoredMessage[] {
    const found = this.#database.prepare<MessageRow>(sql.messagesPart)
    return found
      .all(session.number, after, cut(this.#database, 'messages', session.number, after, rows).last)
      .map(({ data, ...place }) => ({ ...place, message: JSON.parse(data) as Message }))
  }

  /** The next events after a place, likewise: at most `rows` rows, each of which may hold several events. */
  eventsPart(session: SessionKey, after: number, rows: number): TurnEvent[] {
    const found = this.#database.prepare<EventRow>(sql.eventsPart)
    const { last } = cut(this.#database, 'events', session.number, after, rows)
    return found.all(session.number, after, last).flatMap((row) => unpack(session.id, row))
  }

  /** Tells the message at a position, from 1, from another one that took its place; undefined when there is none. */
  mark(session: number, position: number): string | undefined {
    if (position === 0) return undefined
    return this.#database.prepare<{ mark: string }>(sql.mark).get(session, position)?.mark
  }

  now(): number {
    return this.#clock.now()
  }

  /** The last event that there is, or 0. */
  lastSeq(session: number): number {
    return this.#database.prepare<{ seq: number | null }>(sql.lastSeq).get(session)?.seq ?? 0
  }

  /** The place of the last message that there is, or 0. */
  lastPosition(session: number): number {
    return this.#database.prepare<{ position: number | null }>(sql.lastPosition).get(session)?.position ?? 0
  }

  /** Writes an archive into a session in which nothing was recorded yet. Called inside a transaction. */
  restore(session: number, { events, messages }: Pick<SessionArchive, 'events' | 'messages'>): void {
    const addEvents = this.#database.prepare(sql.addEvents)
    for (const { seq, turnId, kind, bodies } of createRows(events))
      addEvents.run(session, seq, turnId, kind, toJson(bodies))
    const addMessage = this.#database.prepare(sql.addMessage)
    messages.forEach(({ message, at, turnId, seq }, index) => {
      addMessage.run(session, index + 1, turnId, seq, at, toJson(message))
    })
    // As many as were added, so that the first search after an import of thousands of sessions has nothing to index.
    indexImported(this.#database, Math.max(INDEXED_TOGETHER, messages.length))
  }

  #append({ id, number }: SessionKey, { turnId, events, messages = [], systemPrompt }: SessionAppend): TurnEvent[] {
    if (systemPrompt !== undefined) this.#catalogue.setSystemPrompt(number, systemPrompt)
    const first = this.lastSeq(number) + 1
    const last = first + events.length - 1
    this.#addEvents(number, turnId, first, events)
    if (messages.length > 0) this.#addMessages(number, turnId, last, messages)
    const isStart = events.some((event) => event.type === 'turn.start')
    if (isStart) {
      const other = this.#turns.start(number, turnId, first)
      if (other)
        throw new SvcError(
          'SESSION_BUSY',
          `Another svc (process ${other.pid}) has a turn under way in this session. Wait for its end, or continue in a branch: \`svc sessions branch ${id}\`.`,
          { status: 409 },
        )
    }
    const end = events.find((event) => event.type === 'turn.end')
    if (end) {
      this.#turns.end(number, turnId)
      indexBatch(this.#database, INDEXED_TOGETHER)
    }
    if (isStart || end || messages.length > 0) {
      this.#catalogue.change(number, { at: this.#clock.now(), messages, usage: end?.usage ?? {} })
    }
    return events.map((event, index) => createEvent(event, id, turnId, first + index))
  }

  #addEvents(session: number, turnId: string, first: number, events: readonly TurnEventData[]): void {
    const statement = this.#database.prepare(sql.addEvents)
    let seq = first - 1
    for (const run of groupRuns(events)) {
      seq += run.events.length
      statement.run(session, seq, turnId, run.kind, toJson(run.events))
    }
  }

  #addMessages(session: number, turnId: string, seq: number, messages: readonly Message[]): void {
    const last = this.lastPosition(session)
    const statement = this.#database.prepare(sql.addMessage)
    const at = this.#clock.now()
    messages.forEach((message, index) => {
      statement.run(session, last + index + 1, turnId, seq, at, toJson(message))
    })
  }
}

/** Whether the SQLite error means that the session was removed, or is being removed. */
function isForRemoved(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return code === 'SQLITE_CONSTRAINT_FOREIGNKEY' || code === 'SQLITE_CONSTRAINT_TRIGGER'
}

type EventRow = { seq: number; turnId: string; data: string }
type MessageRow = Omit<StoredMessage, 'message'> & { data: string }

type Kind = 'delta' | 'kept'

const getKind = ({ type }: TurnEventData): Kind => (deltas.has(type) ? 'delta' : 'kept')

/** Neighbours of one kind share a row, which makes a burst of small deltas about as cheap as one. */
function groupRuns(events: readonly TurnEventData[]): { kind: Kind; events: TurnEventData[] }[] {
  const runs: { kind: Kind; events: TurnEventData[] }[] = []
  for (const event of events) {
    const kind = getKind(event)
    const run = runs.at(-1)
    if (run?.kind === kind) run.events.push(event)
    else runs.push({ kind, events: [event] })
  }
  return runs
}

/** The same of events that have their places; `seq` is that of the last one in the row. */
function createRows(events: readonly TurnEvent[]) {
  const rows: { kind: Kind; turnId: string; seq: number; bodies: TurnEventData[] }[] = []
  for (const { sessionId: _, turnId, seq, ...rest } of events) {
    const body = rest as TurnEventData
    const kind = getKind(body)
    const row = rows.at(-1)
    if (row?.kind === kind && row.turnId === turnId && row.seq === seq - 1) {
      row.bodies.push(body)
      row.seq = seq
    } else rows.push({ kind, turnId, seq, bodies: [body] })
  }
  return rows
}

function unpack(sessionId: string, { seq, turnId, data }: EventRow): TurnEvent[] {
  const bodies = JSON.parse(data) as TurnEventData[]
  const first = seq - bodies.length + 1
  return bodies.map((body, index) => createEvent(body, sessionId, turnId, first + index))
}

/** Spreading first and adding keys after is thirty times slower in V8, and this runs for each delta. */
function createEvent(body: TurnEventData, sessionId: string, turnId: string, seq: number): TurnEvent {
  return Object.assign({}, body, { sessionId, turnId, seq })
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw new SvcError(
      'SESSION_RECORD_INVALID',
      `A record of a turn is not plain data (${errorMessage(error)}). Tools must return text and plain data.`,
      { cause: error },
    )
  }
}
