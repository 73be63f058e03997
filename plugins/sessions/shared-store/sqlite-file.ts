/** One SQLite file: its callers use it one after the other, and wait for other processes without blocking. */
import { type Clock, errorCode, type Random, SvcError } from 'svc/sdk'
import { backoff } from 'svc/sdk/kit/async'
import type { Database, HeldTransaction, PreparedStatement, SqlValue } from 'svc/sdk/storage'
import type { StoreConnection, StoreResult } from 'svc/sdk/store'
import { SqliteNotices } from './sqlite-notices.ts'

const WAITS = { firstMs: 1, maxMs: 25, jitter: 1 } as const

export interface FileDeps {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly timeoutMs: number
  readonly keepNoticesMs: number
}

export class SqliteFile {
  readonly notices: SqliteNotices
  readonly #deps: FileDeps
  /** Resolves when the last caller has released it. */
  #last: Promise<void> = Promise.resolve()

  constructor(deps: FileDeps) {
    this.#deps = deps
    this.notices = new SqliteNotices(deps)
  }

  /** It is the caller's alone until it is released. */
  async connect(): Promise<StoreConnection> {
    const before = this.#last
    let release = () => {}
    this.#last = new Promise((resolve) => (release = resolve))
    await before
    this.notices.pause()
    return new FileConnection(this.#deps, (hasWritten) => {
      this.notices.resume(hasWritten)
      release()
    })
  }

  async close(): Promise<void> {
    await this.#last
    this.notices.close()
    await this.#deps.database.close()
  }
}

class FileConnection implements StoreConnection {
  readonly #deps: FileDeps
  readonly #released: (hasWritten: boolean) => void
  #held: HeldTransaction | undefined
  #hasWritten = false

  constructor(deps: FileDeps, released: (hasWritten: boolean) => void) {
    this.#deps = deps
    this.#released = released
  }

  async run(text: string, values: readonly unknown[]): Promise<StoreResult> {
    const statement = this.#prepare(text)
    if (this.#held || statement.isReadOnly) return runNow(statement, values)
    const held = await this.#hold()
    try {
      const result = runNow(statement, values)
      held.commit()
      return result
    } catch (error) {
      held.rollBack()
      throw error
    }
  }

  async begin(): Promise<undefined> {
    this.#held = await this.#hold()
  }

  async commit(sync: boolean): Promise<void> {
    const held = this.#held
    this.#held = undefined
    held?.commit()
    if (sync) await this.#deps.database.synced()
  }

  async rollBack(): Promise<void> {
    const held = this.#held
    this.#held = undefined
    held?.rollBack()
  }

  giveBack(): void {
    this.#held?.rollBack()
    this.#held = undefined
    this.#released(this.#hasWritten)
  }

  #prepare(text: string) {
    return this.#deps.database.prepare(text)
  }

  async #hold(): Promise<HeldTransaction> {
    const { database, clock, random, timeoutMs } = this.#deps
    const until = clock.monotonic() + timeoutMs
    for (let attempt = 1; ; attempt++) {
      try {
        const held = database.hold()
        this.#hasWritten = true
        return held
      } catch (error) {
        if (errorCode(error) !== 'STORAGE_BUSY' || clock.monotonic() >= until) throw error
      }
      await clock.sleep(backoff(WAITS, attempt, random.next()))
    }
  }
}

function runNow(statement: PreparedStatement, values: readonly unknown[]): StoreResult {
  try {
    if (!statement.givesRows) return { rows: [], changes: statement.run(...(values as SqlValue[])).changes }
    const rows: Record<string, unknown>[] = statement.all(...(values as SqlValue[]))
    return { rows, changes: statement.isReadOnly ? 0 : rows.length }
  } catch (error) {
    throw explainConflict(error)
  }
}

function explainConflict(error: unknown): unknown {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string }
  if (typeof code !== 'string' || !code.startsWith('SQLITE_CONSTRAINT')) return error
  return new SvcError('STORAGE_CONFLICT', `A row was refused: ${message ?? code}.`, { cause: error })
}
