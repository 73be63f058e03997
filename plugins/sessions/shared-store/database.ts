/** The tables of one owner, over the connections of an engine. */
import { type Clock, type Random, SvcError } from 'svc/sdk'
import { toRegistration } from 'svc/sdk/kit/async'
import {
  MAX_NOTICE_BYTES,
  type QueueTransaction,
  type SharedDatabase,
  type Sql,
  type StoreQueries,
  type StoreQueue,
  type StoreQueueOptions,
  type StoreServer,
} from 'svc/sdk/store'
import type * as library from './kysely.ts'
import { TableLocks } from './locks.ts'
import { refuseName } from './names.ts'
import { TableQueue } from './queue.ts'
import { createWriter, Fragment, type Run } from './statements.ts'
import { Transactions } from './transactions.ts'

export interface DatabaseDeps {
  readonly owner: string
  readonly server: StoreServer
  readonly library: typeof library
  readonly clock: Clock
  readonly random: Random
  readonly timeoutMs: number
  /** Called when it is closed. */
  closed(): void
}

export class OwnerDatabase implements SharedDatabase<unknown> {
  readonly dialect
  readonly query: StoreQueries<unknown>
  readonly sql: Sql
  readonly locks: TableLocks
  readonly transactions: Transactions
  readonly #deps: DatabaseDeps
  readonly #tables
  readonly #listeners = new Set<() => void>()
  #closing: Promise<void> | undefined

  constructor(deps: DatabaseDeps) {
    this.#deps = deps
    const { server, library, clock, random } = deps
    this.dialect = server.dialect
    this.transactions = new Transactions({
      ...deps,
      createQueries: (acquire) => library.createQueries(server.dialect, acquire),
    })
    this.query = library.createQueries(server.dialect, () => this.transactions.acquire())
    this.sql = library.sql
    this.#tables = {
      write: createWriter(server.dialect),
      run: this.#run,
      runIn: (tx: QueueTransaction): Run => this.#runIn(tx),
      now: () => this.#moment(),
      isServer: server.now !== undefined,
      clock,
      random,
    }
    this.locks = new TableLocks(this.#tables)
  }

  transaction: SharedDatabase<unknown>['transaction'] = (work, options) => this.transactions.run(work, options)

  async now(): Promise<number> {
    const { text, values } = this.#tables.write`select ${this.#moment()} as at`
    return Number((await this.#run(text, values)).rows[0]?.['at'])
  }

  queue<Payload>(name: string, options: StoreQueueOptions = {}): StoreQueue<Payload> {
    return new TableQueue<Payload>(name, options, this.#tables)
  }

  listen(channel: string, listener: (notice: string | undefined) => void) {
    refuseName('a channel', channel)
    const stop = this.#deps.server.listen(this.#deps.owner, (notice) => {
      if (notice === undefined) listener(undefined)
      else if (notice.channel === channel) listener(notice.notice)
    })
    this.#listeners.add(stop)
    return toRegistration(() => {
      this.#listeners.delete(stop)
      stop()
    })
  }

  async notify(channel: string, notice: string, tx?: QueueTransaction): Promise<void> {
    refuseName('a channel', channel)
    const bytes = Buffer.byteLength(notice)
    if (bytes > MAX_NOTICE_BYTES)
      throw new SvcError(
        'STORAGE_NOTICE_LARGE',
        `A notice of ${bytes} bytes is too large, ${MAX_NOTICE_BYTES} is the most: send an id, and read the rest from the tables.`,
      )
    const { text, values } = this.#deps.server.notify({ owner: this.#deps.owner, channel, notice })
    await (tx ? this.#runIn(tx) : this.#run)(text, values)
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #end(): Promise<void> {
    for (const stop of this.#listeners) stop()
    this.#listeners.clear()
    await this.locks.close()
    await this.transactions.close()
    this.#deps.closed()
  }

  readonly #run: Run = async (text, values) => {
    const connection = await this.transactions.acquire()
    try {
      return await connection.run(text, values)
    } finally {
      connection.giveBack()
    }
  }

  #runIn(tx: QueueTransaction): Run {
    const executor = tx.getExecutor()
    return async (text, values) => {
      const { rows, numAffectedRows = 0n } = await executor.executeQuery(
        this.#deps.library.CompiledQuery.raw(text, [...values]),
      )
      return { rows: rows as Record<string, unknown>[], changes: Number(numAffectedRows) }
    }
  }

  #moment(): Fragment {
    const { now } = this.#deps.server
    return now === undefined ? new Fragment('?', [this.#deps.clock.now()]) : new Fragment(now)
  }
}
