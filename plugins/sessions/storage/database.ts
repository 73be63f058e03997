/** One open database, as its owner sees it. */
import { errorCode, SvcError } from 'svc/sdk'
import type { Database, HeldTransaction, PreparedStatement, SqlValue } from 'svc/sdk/storage'
import { getGeneration, setGeneration } from './database-generation.ts'
import { busyTimeoutMs, type Connection } from './driver.ts'
import { Group, holdsOthers, settleAll, settleOthers } from './group-commit.ts'
import { LogSync } from './log-sync.ts'
import { createRowMaker } from './row-maker.ts'
import { explain, isDamage } from './storage-errors.ts'

/** More SQL texts than any owner has; only generated ones could pass it. */
const statementLimit = 200
/** More than this many periods of use are beyond the number in the head of a file. */
const MAX_GENERATION = 2 ** 31 - 1

/** What is reported to the opener of the database. */
export interface DatabaseWatcher {
  /** SQLite found damage while reading or writing. */
  damaged(): void
  /** What was written with `soon` could not be committed. */
  failed(error: unknown): void
  /** Runs before the file is closed; a promise delays it. */
  closing(): void | Promise<void>
  closed(): void
  /** The file came this far, and that is on the disk. */
  reached(generation: number): void
  /** What else is waited for where something is to be safe. */
  synced?(scope: string | undefined): Promise<unknown> | undefined
}

/** Contract: `Database` of the SDK. Errors of SQLite are explained, except broken constraints and bad SQL. */
export class OpenDatabase implements Database {
  readonly file: string
  readonly #connection: Connection
  readonly #watcher: DatabaseWatcher
  readonly #log: LogSync
  readonly #statements = new Map<string, PreparedStatement>()
  #syncAsked = false
  /** What waits for the commit of this round of the event loop. */
  #group: Group | undefined
  #isWorking = false
  #isHeld = false
  /** The generation that this connection has committed in this period of use (see generation.ts), and one that is not committed yet. */
  #generation: number | undefined
  #nextGeneration: number | undefined
  readonly #controls = new Map<string, { run(): unknown }>()
  #closing: { readonly done: void | Promise<void> } | undefined

  constructor(connection: Connection, watcher: DatabaseWatcher) {
    this.file = connection.name
    this.#connection = connection
    this.#watcher = watcher
    this.#log = new LogSync(connection.name)
  }

  prepare<Row = Record<string, SqlValue>>(sql: string): PreparedStatement<Row> {
    const statement = this.#statements.get(sql) ?? this.#remember(sql)
    return statement as PreparedStatement<Row>
  }

  exec(sql: string): void {
    this.#settle()
    this.#guard(() => this.#connection.exec(sql))
  }

  transaction<T>(work: () => T, { sync = false, soon = false }: Parameters<Database['transaction']>[1] = {}): T {
    if (this.#isWorking) return this.#join(work, sync)
    this.#syncAsked = sync
    const isLate = soon && !sync
    const result = isLate ? this.#together(work) : this.#alone(work, sync)
    // A nested call asked for it, too late for this commit: the next one takes it along to the disk.
    if (this.#syncAsked && !sync) this.#alone(() => this.#rewriteHeader(), true)
    return result
  }

  hold(): HeldTransaction {
    this.#settle()
    this.#beginAtOnce()
    try {
      this.#counted(() => {})
    } catch (error) {
      this.#rollBack()
      throw error
    }
    this.#isHeld = true
    this.#isWorking = true
    return { commit: () => this.#endHeld(() => this.#commit()), rollBack: () => this.#endHeld(() => this.#rollBack()) }
  }

  /** A transaction is open in which others have no part. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Waiting for another process would keep this one from everything else. */
  #beginAtOnce(): void {
    this.#guard(() => this.#connection.pragma('busy_timeout = 0'))
    try {
      this.#control('BEGIN IMMEDIATE')
    } finally {
      this.#guard(() => this.#connection.pragma(`busy_timeout = ${busyTimeoutMs}`))
    }
  }

  /** Two processes must not each hold what the other waits for: this one waits only once it holds no other file. */
  #beginInTurn(): void {
    if (!holdsOthers(this.file)) {
      this.#control('BEGIN IMMEDIATE')
      return
    }
    try {
      this.#beginAtOnce()
    } catch (error) {
      if (errorCode(error) !== 'STORAGE_BUSY') throw error
      settleAll()
      this.#control('BEGIN IMMEDIATE')
    }
  }

  #endHeld(end: () => void): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#isWorking = false
    try {
      end()
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  async committed(): Promise<void> {
    await this.#group?.committed
  }

  async synced(scope?: string): Promise<void> {
    await this.committed()
    try {
      // A database that was closed is on the disk.
      if (this.#connection.open) await this.#log.ask()
    } catch (error) {
      throw explain(this.file, error)
    }
    await this.#watcher.synced?.(scope)
  }

  readonly close = (): void | Promise<void> => {
    this.#closing ??= { done: this.#end() }
    return this.#closing.done
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #end(): void | Promise<void> {
    this.#settle()
    const end = () => {
      this.#endHeld(() => this.#rollBack())
      this.#settle()
      this.#statements.clear()
      this.#guard(() => this.#log.end())
      this.#connection.close()
      if (this.#generation !== undefined) this.#watcher.reached(this.#generation)
      this.#watcher.closed()
    }
    const delay = this.#watcher.closing()
    return delay ? delay.finally(end) : end()
  }

  #remember(sql: string): PreparedStatement {
    const prepared = this.#guard(() => this.#connection.prepare<SqlValue[], Record<string, SqlValue>>(sql))
    const { readonly, reader } = prepared
    const toRows = reader && !sql.includes('*') ? createRowMaker(prepared) : undefined
    // Written out: this is where a busy server spends its time.
    const statement: PreparedStatement = {
      givesRows: reader,
      isReadOnly: readonly,
      run: (...values) => {
        this.#begin(readonly)
        try {
          return prepared.run(...values)
        } catch (error) {
          throw this.#explained(error)
        }
      },
      get: (...values) => {
        this.#begin(readonly)
        try {
          return prepared.get(...values)
        } catch (error) {
          throw this.#explained(error)
        }
      },
      all: (...values) => {
        this.#begin(readonly)
        try {
          return toRows ? toRows(values) : prepared.all(...values)
        } catch (error) {
          throw this.#explained(error)
        }
      },
    }
    const oldest = this.#statements.size < statementLimit ? undefined : this.#statements.keys().next().value
    if (oldest !== undefined) this.#statements.delete(oldest)
    this.#statements.set(sql, statement)
    return statement
  }

  /** What is written on its own is committed on its own. */
  #begin(readonly: boolean): void {
    if (this.#isWorking) return
    if (readonly) settleOthers(this.file, this.#group)
    else if (this.#generation === undefined) this.#alone(() => {}, false)
    else this.#settle()
  }

  /** In a separate transaction, behind what waits. */
  #alone<T>(work: () => T, sync: boolean): T {
    this.#settle()
    return sync ? this.#durably(() => this.#atomically(work)) : this.#atomically(work)
  }

  #atomically<T>(work: () => T): T {
    this.#beginInTurn()
    try {
      const result = this.#work(() => this.#counted(work))
      this.#commit()
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** In the transaction of this round, which is committed when the round is over. */
  #together<T>(work: () => T): T {
    if (this.#group) return this.#join(work, false)
    settleOthers(this.file, undefined)
    this.#beginInTurn()
    try {
      const result = this.#work(() => this.#counted(work))
      this.#group = new Group(this.file, () => this.#settle())
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** The first write of a period of use counts it. */
  #counted<T>(work: () => T): T {
    if (this.#generation === undefined && this.#nextGeneration === undefined) {
      this.#nextGeneration = Math.min(getGeneration(this.#connection) + 1, MAX_GENERATION)
      setGeneration(this.#connection, this.#nextGeneration)
    }
    return work()
  }

  /** Ends a period of use: a copy of the file that is taken now is older than what is written from now on. */
  endPeriod(): void {
    const generation = this.#generation
    if (generation === undefined || this.#isWorking) return
    this.#alone(() => this.#rewriteHeader(), true)
    this.#generation = undefined
    this.#watcher.reached(generation)
  }

  /** Commits pending writes, if any. Never throws: the waiting callers get the error. */
  #settle(): void {
    if (this.#isWorking) return
    settleOthers(this.file, this.#group)
    const group = this.#group
    if (!group) return
    this.#group = undefined
    try {
      this.#commit()
      group.end()
    } catch (error) {
      this.#rollBack()
      this.#lose(group, error)
    }
  }

  #join<T>(work: () => T, sync: boolean): T {
    this.#syncAsked ||= sync
    this.#control('SAVEPOINT joined')
    try {
      const result = this.#work(work)
      this.#control('RELEASE joined')
      return result
    } catch (error) {
      if (this.#connection.inTransaction) {
        this.#control('ROLLBACK TO joined')
        this.#control('RELEASE joined')
      } else if (this.#group) this.#lose(this.#group, error)
      throw error
    }
  }

  /** If SQLite rolls back the whole transaction, writes of others in it are lost, too. */
  #lose(group: Group, error: unknown): void {
    this.#group = undefined
    if (!group.end(error)) this.#watcher.failed(error)
  }

  /** What is asked for in `work` is part of the transaction that is open. */
  #work<T>(work: () => T): T {
    const wasWorking = this.#isWorking
    this.#isWorking = true
    try {
      return refusePromise(work())
    } finally {
      this.#isWorking = wasWorking
    }
  }

  #commit(): void {
    this.#control('COMMIT')
    this.#generation ??= this.#nextGeneration
    this.#nextGeneration = undefined
  }

  #rollBack(): void {
    this.#nextGeneration = undefined
    if (this.#connection.inTransaction) this.#control('ROLLBACK')
  }

  #control(sql: string): void {
    try {
      const statement = this.#controls.get(sql) ?? this.#connection.prepare(sql)
      this.#controls.set(sql, statement)
      statement.run()
    } catch (error) {
      throw this.#explained(error)
    }
  }

  /** Every commit of `work` waits until it and all commits before it are on the disk. */
  #durably<T>(work: () => T): T {
    this.#guard(() => this.#connection.exec('PRAGMA synchronous = FULL'))
    try {
      return work()
    } finally {
      if (this.#connection.open) this.#guard(() => this.#connection.exec('PRAGMA synchronous = NORMAL'))
    }
  }

  #rewriteHeader(): void {
    const version = this.#connection.pragma('user_version', { simple: true })
    this.exec(`PRAGMA user_version = ${version}`)
  }

  #guard<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw this.#explained(error)
    }
  }

  #explained(error: unknown): unknown {
    if (!this.#connection.open) {
      const advice = 'Ask the service that owns it again: the plugin was unloaded or reloaded.'
      return new SvcError('STORAGE_CLOSED', `The database ${this.file} is closed. ${advice}`, { cause: error })
    }
    if (isDamage(error)) this.#watcher.damaged()
    return explain(this.file, error)
  }
}

function refusePromise<T>(result: T): T {
  if (!(result instanceof Promise)) return result
  throw new TypeError('a transaction was given an async function; it must be done when the function returns')
}
