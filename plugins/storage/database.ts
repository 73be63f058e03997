/** One open database, as its owner sees it. */
import { type Database, type SqlValue, type Statement, SvcError } from 'svc/sdk'
import type { Connection } from './driver.ts'
import { explain, isDamage } from './failure.ts'
import { LogSync } from './log-sync.ts'

/** More SQL texts than any owner has; only generated ones could pass it. */
const statementLimit = 200

/** What is told to whoever opened the database. */
export interface DatabaseWatcher {
  /** SQLite found damage while reading or writing. */
  damaged(): void
  /** Runs before the file is closed; a promise delays it. */
  closing(): void | Promise<void>
  closed(): void
}

/** Contract: `Database` of the SDK. Errors of SQLite are explained, except broken constraints and bad SQL. */
export class OpenDatabase implements Database {
  readonly file: string
  readonly #connection: Connection
  readonly #watcher: DatabaseWatcher
  readonly #log: LogSync
  readonly #statements = new Map<string, Statement>()
  #syncAsked = false
  #closing: { readonly done: void | Promise<void> } | undefined

  constructor(connection: Connection, watcher: DatabaseWatcher) {
    this.file = connection.name
    this.#connection = connection
    this.#watcher = watcher
    this.#log = new LogSync(connection.name)
  }

  prepare<Row = Record<string, SqlValue>>(sql: string): Statement<Row> {
    const statement = this.#statements.get(sql) ?? this.#remember(sql)
    return statement as Statement<Row>
  }

  exec(sql: string): void {
    this.#guard(() => this.#connection.exec(sql))
  }

  transaction<T>(work: () => T, { sync = false }: { readonly sync?: boolean } = {}): T {
    if (this.#connection.inTransaction) return this.#join(work, sync)
    this.#syncAsked = sync
    const result = sync ? this.#durably(() => this.#atomically(work)) : this.#atomically(work)
    // A nested call asked for it, too late for this commit: the next one takes it along to the disk.
    if (this.#syncAsked && !sync) this.#durably(() => this.#atomically(() => this.#rewriteHeader()))
    return result
  }

  async synced(): Promise<void> {
    try {
      // A database that was closed is on the disk.
      if (this.#connection.open) await this.#log.ask()
    } catch (error) {
      throw explain(this.file, error)
    }
  }

  readonly close = (): void | Promise<void> => {
    this.#closing ??= { done: this.#end() }
    return this.#closing.done
  }

  #end(): void | Promise<void> {
    const end = () => {
      this.#statements.clear()
      this.#guard(() => this.#log.end())
      this.#connection.close()
      this.#watcher.closed()
    }
    const delay = this.#watcher.closing()
    return delay ? delay.finally(end) : end()
  }

  #remember(sql: string): Statement {
    const prepared = this.#guard(() => this.#connection.prepare<SqlValue[], Record<string, SqlValue>>(sql))
    const statement: Statement = {
      run: (...values) => this.#guard(() => prepared.run(...values)),
      get: (...values) => this.#guard(() => prepared.get(...values)),
      all: (...values) => this.#guard(() => prepared.all(...values)),
    }
    const oldest = this.#statements.size < statementLimit ? undefined : this.#statements.keys().next().value
    if (oldest !== undefined) this.#statements.delete(oldest)
    this.#statements.set(sql, statement)
    return statement
  }

  #atomically<T>(work: () => T): T {
    this.prepare('BEGIN IMMEDIATE').run()
    try {
      const result = refusePromise(work())
      this.prepare('COMMIT').run()
      return result
    } catch (error) {
      if (this.#connection.inTransaction) this.prepare('ROLLBACK').run()
      throw error
    }
  }

  #join<T>(work: () => T, sync: boolean): T {
    this.#syncAsked ||= sync
    this.exec('SAVEPOINT joined')
    try {
      const result = refusePromise(work())
      this.exec('RELEASE joined')
      return result
    } catch (error) {
      if (this.#connection.inTransaction) this.exec('ROLLBACK TO joined; RELEASE joined')
      throw error
    }
  }

  /** Every commit of `work` waits until it and all commits before it are on the disk. */
  #durably<T>(work: () => T): T {
    this.exec('PRAGMA synchronous = FULL')
    try {
      return work()
    } finally {
      if (this.#connection.open) this.exec('PRAGMA synchronous = NORMAL')
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
      if (!this.#connection.open) {
        const advice = 'Ask the service that owns it again: the plugin was unloaded or reloaded.'
        throw new SvcError('STORAGE_CLOSED', `The database ${this.file} is closed. ${advice}`, { cause: error })
      }
      if (isDamage(error)) this.#watcher.damaged()
      throw explain(this.file, error)
    }
  }
}

function refusePromise<T>(result: T): T {
  if (!(result instanceof Promise)) return result
  throw new TypeError('a transaction was given an async function; it must be done when the function returns')
}
