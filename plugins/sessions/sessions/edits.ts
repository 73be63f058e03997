/** Edits of the recorded messages: messages that were undone, or replaced by a summary. */
import type { Message } from 'svc/sdk'
import type { SessionRewrite } from 'svc/sdk/sessions'
import type { Database } from 'svc/sdk/storage'

/** An edit as it is stored; `first` and `last` are positions of messages, which count from 1. */
interface StoredEdit extends SessionRewrite {
  readonly id: number
}

/** What an edit covers. */
type EditRange = { readonly id: number; readonly first: number; readonly last: number }

type EditRow = Omit<StoredEdit, 'messages'> & { readonly data: string }

/** A message as it is read, and the recorded ones that it stands for. */
export interface Reading {
  readonly first: number
  readonly last: number
  readonly message: Message
  readonly seq: number
  readonly turnId: string
  readonly at: number
}

type MessageRow = Omit<Reading, 'message' | 'first' | 'last'> & { readonly position: number; readonly data: string }

const END = Number.MAX_SAFE_INTEGER

const sql = {
  of: 'SELECT id, kind, first, last, seq, at, data FROM edits WHERE session = ? AND seq <= ? ORDER BY id',
  add: `INSERT INTO edits (id, session, kind, first, last, seq, at, data)
    VALUES (max(?, (SELECT coalesce(max(id), 0) + 1 FROM edits WHERE session = ?)), ?, ?, ?, ?, ?, ?, ?)`,
  remove: 'DELETE FROM edits WHERE id = ?',
  places: 'SELECT id, first, last FROM edits WHERE session = ? AND seq <= ? AND last <= ? ORDER BY id',
  one: 'SELECT seq, at, data FROM edits WHERE id = ?',
  end: 'SELECT max(last) AS last FROM edits WHERE session = ?',
  recorded: `SELECT position, seq, turn_id AS turnId, at, data FROM messages
    WHERE session = ? AND position BETWEEN ? AND ? AND seq <= ? ORDER BY position`,
  edition: 'SELECT edition FROM sessions WHERE number = ?',
  count: 'UPDATE sessions SET edition = edition + 1 WHERE number = ?',
  last: 'SELECT max(position) AS position FROM messages WHERE session = ?',
  between: 'SELECT count(*) AS count FROM messages WHERE session = ? AND position BETWEEN ? AND ?',
} as const

/** SQL that holds for a message `m` that was taken back: it is never shown, not even by a search. */
export const takenBack = `EXISTS (SELECT 1 FROM edits e WHERE e.session = m.session AND e.kind = 'rewound'
  AND m.position BETWEEN e.first AND e.last)`

/** The table of edits of one open `sessions.db`. */
export class Edits {
  readonly #database: Database
  readonly #nextNumber: () => number | undefined

  /** `nextNumber`: the number of a row; undefined: the next one of this file. */
  constructor(database: Database, nextNumber: () => number | undefined = () => undefined) {
    this.#database = database
    this.#nextNumber = nextNumber
  }

  /** Counts changes; 0 for a session that is read as it was recorded. */
  edition(session: number): number {
    return this.#database.prepare<{ edition: number }>(sql.edition).get(session)?.edition ?? 0
  }

  /** Those made up to an event, oldest first. */
  of(session: number, untilSeq: number = Number.MAX_SAFE_INTEGER): StoredEdit[] {
    const rows = this.#database.prepare<EditRow>(sql.of).all(session, untilSeq)
    return rows.map(({ data, ...edit }) => ({ ...edit, messages: JSON.parse(data) as Message[] }))
  }

  /** The last position that an edit covers, or 0. */
  end(session: number): number {
    return this.#database.prepare<{ last: number | null }>(sql.end).get(session)?.last ?? 0
  }

  /**
   * The conversation as it is read, or was read at an event or after a message: edits that reach beyond the message came later.
   * Messages covered by edits are not read, however many there are.
   */
  read(session: number, untilSeq: number = END, untilPosition: number = END): Reading[] {
    const edits = this.#database.prepare<EditRange>(sql.places).all(session, untilSeq, untilPosition)
    const statement = this.#database.prepare<MessageRow>(sql.recorded)
    const rows = findGaps(edits).flatMap(({ first, last }) =>
      statement.all(session, first, Math.min(last, untilPosition), untilSeq),
    )
    const recorded = rows.map(({ position, data, ...row }) => {
      return { ...row, first: position, last: position, message: JSON.parse(data) as Message }
    })
    const inForce = edits.filter((edit, at) => !edits.slice(at + 1).some((later) => isWithin(edit, later)))
    const summaries = inForce.flatMap((edit) => this.#summary(edit))
    return [...recorded, ...summaries].sort((one, two) => one.first - two.first)
  }

  #summary({ id, first, last }: EditRange): Reading[] {
    const row = this.#database.prepare<Pick<EditRow, 'seq' | 'at' | 'data'>>(sql.one).get(id)
    if (!row) return []
    const { seq, at, data } = row
    return (JSON.parse(data) as Message[]).map((message) => ({ first, last, seq, at, turnId: '', message }))
  }

  /** Lets `messages` be read for those from place `from` up to and without `to` of what is read now. */
  replace(
    session: number,
    edit: {
      readonly kind: SessionRewrite['kind']
      readonly from: number
      readonly to: number
      readonly messages: readonly Message[]
      readonly seq: number
      readonly at: number
    },
  ): readonly Message[] {
    const read = this.read(session)
    const gone = read.slice(edit.from, edit.to)
    const [head, tail] = [gone[0], gone.at(-1)]
    if (!head || !tail) return []
    // A summary of several messages may be cut: the rest of it becomes part of the new edit.
    const before = read.slice(0, edit.from).filter(({ first }) => first === head.first)
    const after = read.slice(edit.to).filter(({ first, last }) => first === tail.first && last === tail.last)
    const messages = [...before.map(({ message }) => message), ...edit.messages, ...after.map(({ message }) => message)]
    // Messages undone before come after those undone now, and are removed with them.
    const last = edit.kind === 'rewound' ? this.#lastPosition(session) : tail.last
    this.add(session, { ...edit, first: head.first, last, messages })
    return gone.map(({ message }) => message)
  }

  /** Brings back what the newest edit took, when it took something back and nothing was recorded since. */
  undo(session: number): number {
    const newest = this.of(session).at(-1)
    if (newest?.kind !== 'rewound') return 0
    const since = this.#database.prepare<{ count: number }>(sql.between)
    if ((since.get(session, newest.last + 1, Number.MAX_SAFE_INTEGER)?.count ?? 0) > 0) return 0
    const before = this.read(session).length
    this.#database.prepare(sql.remove).run(newest.id)
    this.#database.prepare(sql.count).run(session)
    return this.read(session).length - before
  }

  #lastPosition(session: number): number {
    return this.#database.prepare<{ position: number | null }>(sql.last).get(session)?.position ?? 0
  }

  /** Returns its id. */
  add(session: number, { kind, first, last, seq, at, messages }: SessionRewrite): number {
    const { lastInsertRowid } = this.#database
      .prepare(sql.add)
      .run(this.#nextNumber() ?? null, session, session, kind, first, last, seq, at, JSON.stringify(messages))
    this.#database.prepare(sql.count).run(session)
    return Number(lastInsertRowid)
  }
}

function isWithin(edit: EditRange, later: EditRange): boolean {
  return edit.first >= later.first && edit.last <= later.last
}

/** The positions that no edit covers, in order. */
function findGaps(edits: readonly EditRange[]): Pick<EditRange, 'first' | 'last'>[] {
  const gaps = []
  let first = 1
  for (const edit of edits.toSorted((one, two) => one.first - two.first)) {
    if (edit.first > first) gaps.push({ first, last: edit.first - 1 })
    first = Math.max(first, edit.last + 1)
  }
  return [...gaps, { first, last: Number.MAX_SAFE_INTEGER }]
}
