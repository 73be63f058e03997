/** What plugins store with a session, and what of it is in force after messages were taken back. */
import { type SessionState, SvcError } from 'svc/sdk'
import type { ArchivedState } from 'svc/sdk/sessions'
import type { Database } from 'svc/sdk/storage'
import type { Reading } from './edits.ts'
import type { SessionKey } from './journal.ts'

/** Bytes of one value, as JSON. */
const MAX_BYTES = 2 ** 20
/** Changes of one value that are kept: `/undo` and branches reach so far back. */
const MAX_CHANGES = 200
const END = Number.MAX_SAFE_INTEGER

/** A change of a value, and when it was made. */
export interface StateRow {
  readonly name: string
  readonly follows: 0 | 1
  readonly position: number
  readonly seq: number
  readonly edit: number
  readonly data: string | null
}

/** A row that no later edit took back. */
const inForce = `(s.follows = 0 OR NOT EXISTS (SELECT 1 FROM edits e WHERE e.session = s.session AND e.kind = 'rewound'
  AND e.id > s.edit AND e.seq <= ? AND e.last <= ? AND s.position BETWEEN e.first AND e.last))`
const columns = 's.name, s.follows, s.position, s.seq, s.edit, s.data'

const sql = {
  value: `SELECT s.id, ${columns} FROM states s WHERE s.session = ? AND s.name = ? AND ${inForce} ORDER BY s.id DESC LIMIT 1`,
  all: `SELECT ${columns} FROM states s WHERE s.session = ? ORDER BY s.id`,
  inForce: `SELECT ${columns} FROM states s WHERE s.session = ? AND s.seq <= ? AND ${inForce} ORDER BY s.id`,
  add: `INSERT INTO states (id, session, name, follows, position, seq, edit, data)
    VALUES (max(?, (SELECT coalesce(max(id), 0) + 1 FROM states WHERE session = ?)), ?, ?, ?, ?, ?, ?, ?)`,
  rename: 'UPDATE states SET name = ? WHERE id = ?',
  // Nothing can take back the one without the other.
  supersede: 'DELETE FROM states WHERE session = ? AND name = ? AND (follows = 0 OR (position = ? AND edit = ?))',
  trim: `DELETE FROM states WHERE session = ? AND name = ? AND id <= (
    SELECT id FROM states WHERE session = ? AND name = ? ORDER BY id DESC LIMIT 1 OFFSET ${MAX_CHANGES})`,
  now: `SELECT (SELECT coalesce(max(position), 0) FROM messages WHERE session = number) AS position,
    (SELECT coalesce(max(seq), 0) FROM events WHERE session = number) AS seq,
    (SELECT coalesce(max(id), 0) FROM edits WHERE session = number) AS edit FROM sessions WHERE number = ?`,
} as const

/** A stored value that its owner rejects. `aside` is the name under which it is kept from then on. */
export interface RejectedState {
  readonly session: string
  readonly name: string
  readonly aside: string
}

/** The table of states of one open `sessions.db`. */
export class States {
  readonly #database: Database
  readonly #rejected: (state: RejectedState) => void

  readonly #nextNumber: () => number | undefined

  /** `nextNumber`: the number of a row; undefined: the next one of this file. */
  constructor(
    database: Database,
    rejected: (state: RejectedState) => void = () => {},
    nextNumber: () => number | undefined = () => undefined,
  ) {
    this.#database = database
    this.#rejected = rejected
    this.#nextNumber = nextNumber
  }

  get<T>({ number, id }: SessionKey, { state: name, parse }: SessionState<T>): T | undefined {
    const row = this.#database.prepare<StateRow & { readonly id: number }>(sql.value).get(number, name, END, END)
    if (!row?.data) return undefined
    const value = parsed(row.data, parse)
    if (value === undefined) this.#setAside({ number, id }, row)
    return value
  }

  /** Keeps the value under another name. A removal takes its place, so that it is reported once and no earlier one returns. */
  #setAside({ number, id }: SessionKey, { id: change, ...row }: StateRow & { readonly id: number }): void {
    const aside = `${row.name}#rejected`
    this.#database.transaction(() => {
      this.#database.prepare(sql.rename).run(aside, change)
      this.add(number, { ...row, data: null })
      this.#database.prepare(sql.trim).run(number, aside, number, aside)
    })
    this.#rejected({ session: id, name: row.name, aside })
  }

  /** Called inside a transaction. */
  set<T>(session: number, { state: id, undo }: SessionState<T>, value: T | undefined, ahead: 0 | 1): void {
    const data = toJson(id, value)
    const now = this.#database.prepare<Pick<StateRow, 'position' | 'seq' | 'edit'>>(sql.now).get(session)
    const { position = 0, seq = 0, edit = 0 } = now ?? {}
    const follows = undo === 'restores' ? 1 : 0
    const row = { name: id, follows, position: position + ahead, seq, edit, data } as const
    this.#database.prepare(sql.supersede).run(session, id, row.position, edit)
    this.add(session, row)
    this.#database.prepare(sql.trim).run(session, id, session, id)
  }

  /** Every change, oldest first. */
  all(session: number): StateRow[] {
    return this.#database.prepare<StateRow & Record<string, never>>(sql.all).all(session)
  }

  add(session: number, { name, follows, position, seq, edit, data }: StateRow): void {
    this.#database
      .prepare(sql.add)
      .run(this.#nextNumber() ?? null, session, session, name, follows, position, seq, edit, data)
  }

  /**
   * Gives a branch the state of its parent as of the messages that it begins with (`taken`, of all that are read), so that
   * taking some of these back in the branch restores what was before them, too. Called inside a transaction.
   */
  branch(
    { parent, branch }: { readonly parent: number; readonly branch: number },
    { taken, isWhole, atSeq = END, at = END }: BranchPoint,
  ): void {
    const end = isWhole ? at : (taken.at(-1)?.last ?? 0)
    const rows = this.#database.prepare<StateRow & Record<string, never>>(sql.inForce).all(parent, atSeq, atSeq, at)
    for (const row of rows) {
      if (row.follows === 1 && row.position > end) continue
      const before = taken.filter(({ first }) => first <= row.position).length
      const isAhead = row.position > (taken.at(-1)?.last ?? 0)
      this.add(branch, { ...row, position: before + (isAhead ? 1 : 0), seq: 0, edit: 0 })
    }
  }
}

/** What a branch begins with. */
export interface BranchPoint {
  readonly taken: readonly Reading[]
  /** Nothing that is read was left out. */
  readonly isWhole: boolean
  readonly atSeq?: number | undefined
  /** The last message of the parent that is considered. */
  readonly at?: number | undefined
}

/** As an archive contains it; `edits` are the ids of the edits, oldest first. */
export function archivedState(row: StateRow, edits: readonly number[]): ArchivedState {
  return {
    id: row.name,
    undo: row.follows === 1 ? 'restores' : 'keeps',
    position: row.position,
    seq: row.seq,
    edits: edits.filter((id) => id <= row.edit).length,
    ...(row.data !== null && { value: JSON.parse(row.data) }),
  }
}

/** The other way; `edits` are the ids that the edits of the archive got. */
export function stateRow(
  { id, undo, position, seq, edits: count, value }: ArchivedState,
  edits: readonly number[],
): StateRow {
  return {
    name: id,
    follows: undo === 'restores' ? 1 : 0,
    position,
    seq,
    edit: edits[Math.min(count, edits.length) - 1] ?? 0,
    data: value === undefined ? null : toJson(id, value),
  }
}

/** Undefined for a value that is not JSON, or that its owner rejects. */
function parsed<T>(data: string, parse: (value: unknown) => T | undefined): T | undefined {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return undefined
  }
  return parse(value)
}

function toJson(id: string, value: unknown): string | null {
  if (value === undefined) return null
  const data = attempt(id, value)
  if (Buffer.byteLength(data) <= MAX_BYTES) return data
  throw invalid(id, `it is ${Buffer.byteLength(data)} bytes as JSON; ${MAX_BYTES} is the limit`)
}

function attempt(id: string, value: unknown): string {
  try {
    const data: string | undefined = JSON.stringify(value)
    if (data !== undefined) return data
  } catch (error) {
    throw invalid(id, 'it is not plain data', error)
  }
  throw invalid(id, 'it is not plain data')
}

function invalid(id: string, reason: string, cause?: unknown): SvcError {
  return new SvcError('SESSION_STATE_INVALID', `The state ${id} cannot be stored: ${reason}.`, { status: 422, cause })
}
