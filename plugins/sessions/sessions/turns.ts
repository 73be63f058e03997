/** The table of turns: which are at work and in which process, and whose deltas are still there. */
import type { Clock, TurnEvent } from 'svc/sdk'
import type { ProcessMark } from 'svc/sdk/kit/process'
import type { Database } from 'svc/sdk/storage'
import type { Processes } from './processes.ts'

/** A turn that has no end yet. */
export interface OpenTurn extends ProcessMark {
  readonly id: string
  /** Its first event. */
  readonly firstSeq: number
  readonly startedAt: number
}

/** The partial index of turns at work serves a query only when its condition is repeated there word for word. */
const atWork = "state <> 'trimmed'"

const sql = {
  open: `SELECT id, first_seq AS firstSeq, started_at AS startedAt, pid, process AS identity FROM turns
    WHERE session = ? AND state = 'open' AND ${atWork} ORDER BY first_seq`,
  start: `INSERT INTO turns (session, id, state, first_seq, started_at, pid, process) VALUES (?, ?, 'open', ?, ?, ?, ?)
    ON CONFLICT (session, id) DO UPDATE SET state = 'open', ended_at = NULL,
      pid = excluded.pid, process = excluded.process`,
  claim: 'UPDATE turns SET pid = ?, process = ? WHERE session = ? AND id = ?',
  end: `UPDATE turns SET state = 'ended', ended_at = ? WHERE session = ? AND id = ?`,
  untrimmed: `SELECT id, state, first_seq AS firstSeq, started_at AS startedAt, pid, process AS identity FROM turns
    WHERE session = ? AND ${atWork} ORDER BY first_seq`,
  restore: `INSERT INTO turns (session, id, state, first_seq, started_at, ended_at, pid, process)
    VALUES (?, ?, 'open', ?, ?, NULL, 0, 'imported') ON CONFLICT (session, id) DO UPDATE SET state = 'open', ended_at = NULL`,
  dropDeltas: `DELETE FROM events WHERE session = ? AND seq >= ? AND turn_id = ? AND kind = 'delta'`,
  trim: `UPDATE turns SET state = 'trimmed' WHERE session = ? AND id = ?`,
} as const

/** Rows of one open `sessions.db`. Called inside the transaction of a record. */
export class Turns {
  readonly #database: Database
  readonly #clock: Clock
  readonly #processes: Processes

  constructor(database: Database, { clock, processes }: { readonly clock: Clock; readonly processes: Processes }) {
    this.#database = database
    this.#clock = clock
    this.#processes = processes
  }

  /** Turns that have not ended, whether or not their process still runs; the oldest first. */
  open(session: number): OpenTurn[] {
    return this.#database.prepare<OpenTurn>(sql.open).all(session)
  }

  /** Those whose process died. */
  crashed(session: number): OpenTurn[] {
    return this.open(session).filter((turn) => !this.#processes.isRunning(turn, turn.startedAt))
  }

  isAtWork(session: number): boolean {
    return this.open(session).some((turn) => this.#processes.isRunning(turn, turn.startedAt))
  }

  /** The turn is this process's from now on. */
  claim(session: number, id: string): void {
    const { pid, identity } = this.#processes.own()
    this.#database.prepare(sql.claim).run(pid, identity, session, id)
  }

  /**
   * Begins one, unless another is at work in a process that runs, other than this one: then that is returned. Drops the
   * deltas of turns that have ended. Those of a turn at work stay: they are needed when it crashes.
   */
  start(session: number, id: string, firstSeq: number): OpenTurn | undefined {
    const { pid, identity } = this.#processes.own()
    for (const turn of this.#database.prepare<OpenTurn & { state: string }>(sql.untrimmed).all(session)) {
      if (turn.state === 'ended') this.#trim(session, turn)
      else if ((turn.pid !== pid || turn.identity !== identity) && this.#processes.isRunning(turn, turn.startedAt))
        return turn
    }
    this.#database.prepare(sql.start).run(session, id, firstSeq, this.#clock.now(), pid, identity)
    return undefined
  }

  #trim(session: number, { id, firstSeq }: OpenTurn): void {
    this.#database.prepare(sql.dropDeltas).run(session, firstSeq, id)
    this.#database.prepare(sql.trim).run(session, id)
  }

  /** The turns of imported events. One without an end belongs to no process, so opening the session closes it. */
  restore(session: number, events: readonly TurnEvent[], at: number): void {
    for (const { type, turnId, seq } of events) {
      if (type === 'turn.start') this.#database.prepare(sql.restore).run(session, turnId, seq, at)
      if (type === 'turn.end') this.#database.prepare(sql.end).run(at, session, turnId)
    }
  }

  end(session: number, id: string): void {
    this.#database.prepare(sql.end).run(this.#clock.now(), session, id)
  }
}
