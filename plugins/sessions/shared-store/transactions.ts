/** Statements and transactions of one store: no transaction in another, and again where others were in the way. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Clock, type Random, SvcError } from 'svc/sdk'
import { backoff } from 'svc/sdk/kit/async'
import type {
  StoreConnection,
  StoreQueries,
  StoreServer,
  StoreTransaction,
  StoreTransactionOptions,
} from 'svc/sdk/store'
import type { Acquire } from './kysely.ts'

const MAX_ATTEMPTS = 10
const WAITS = { firstMs: 5, maxMs: 500, jitter: 1 } as const

export interface TransactionDeps {
  readonly server: StoreServer
  readonly owner: string
  readonly clock: Clock
  readonly random: Random
  /** Milliseconds in which a server that is away may come back. */
  readonly timeoutMs: number
  createQueries(acquire: Acquire): StoreQueries<unknown>
}

type Work<T> = (tx: StoreTransaction<unknown>, now: number) => Promise<T>

/** What one attempt came to. */
type Attempt<T> = { readonly value: T } | { readonly error: unknown; readonly again: 'now' | 'later' | undefined }

export class Transactions {
  readonly #deps: TransactionDeps
  /** In the work of a transaction, until that is over. */
  readonly #inside = new AsyncLocalStorage<{ isOpen: boolean }>()
  #isClosed = false
  #underWay = 0
  #idle: (() => void) | undefined

  constructor(deps: TransactionDeps) {
    this.#deps = deps
  }

  /** A connection for one statement. Throws `STORAGE_NESTED` and `STORAGE_CLOSED`. */
  async acquire(): Promise<StoreConnection> {
    if (this.#inside.getStore()?.isOpen)
      throw new SvcError(
        'STORAGE_NESTED',
        'This was asked of the store in the work of a transaction, which would wait for itself: use the statements of the transaction.',
      )
    if (this.#isClosed)
      throw new SvcError('STORAGE_CLOSED', `The store "${this.#deps.owner}" is closed: open it again.`)
    this.#underWay++
    try {
      const connection = await this.patiently(() => this.#deps.server.connect(this.#deps.owner))
      return new CountedConnection(connection, () => this.#leave())
    } catch (error) {
      this.#leave()
      throw error
    }
  }

  /** Does again what has changed nothing, until a server that is away is back. */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    const { clock, random, timeoutMs, server } = this.#deps
    const until = clock.monotonic() + timeoutMs
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (server.retries(error) !== 'later' || clock.monotonic() >= until) throw error
      }
      await clock.sleep(backoff(WAITS, attempt, random.next()))
    }
  }

  /** Contract: `transaction` of `SharedDatabase`. */
  async run<T>(work: Work<T>, options: StoreTransactionOptions = {}): Promise<T> {
    const { clock, random, timeoutMs } = this.#deps
    const until = clock.monotonic() + timeoutMs
    for (let attempt = 1; ; attempt++) {
      const result = await this.#attempt(work, options)
      if ('value' in result) return result.value
      const { error, again } = result
      const isOver = again === 'later' ? clock.monotonic() >= until : attempt >= MAX_ATTEMPTS
      if (again === undefined || isOver) throw error
      await clock.sleep(backoff(WAITS, attempt, random.next()))
    }
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#idle = resolve))
  }

  async #attempt<T>(
    work: Work<T>,
    { sync = false, isolation = 'serializable' }: StoreTransactionOptions,
  ): Promise<Attempt<T>> {
    let connection: StoreConnection | undefined
    const inside = { isOpen: true }
    try {
      connection = await this.acquire()
      const held = connection
      const now = (await held.begin(isolation)) ?? this.#deps.clock.now()
      const tx = this.#deps.createQueries(async () => lend(held, inside))
      const value = await this.#inside.run(inside, () => work(tx, now))
      inside.isOpen = false
      await held.commit(sync)
      connection.giveBack()
      return { value }
    } catch (error) {
      inside.isOpen = false
      const again = this.#deps.server.retries(error)
      await this.#giveBack(connection, again === 'later')
      return { error, again }
    }
  }

  async #giveBack(connection: StoreConnection | undefined, isBroken: boolean): Promise<void> {
    let isUsable = !isBroken
    try {
      if (isUsable) await connection?.rollBack()
    } catch {
      isUsable = false
    }
    connection?.giveBack(!isUsable)
  }

  #leave(): void {
    if (--this.#underWay === 0) this.#idle?.()
  }
}

/** The connection of a transaction, for its statements. */
function lend(connection: StoreConnection, inside: { readonly isOpen: boolean }): StoreConnection {
  if (!inside.isOpen)
    throw new SvcError('STORAGE_CLOSED', 'The transaction is over: its statements cannot be used any more.')
  return {
    run: (text, values) => connection.run(text, values),
    begin: (isolation) => connection.begin(isolation),
    commit: (sync) => connection.commit(sync),
    rollBack: () => connection.rollBack(),
    giveBack: () => {},
  }
}

/** A connection whose return is noticed. */
class CountedConnection implements StoreConnection {
  readonly #inner: StoreConnection
  readonly #released: () => void

  constructor(inner: StoreConnection, released: () => void) {
    this.#inner = inner
    this.#released = released
  }

  run(text: string, values: readonly unknown[]) {
    return this.#inner.run(text, values)
  }

  begin(isolation: 'serializable' | 'read-committed') {
    return this.#inner.begin(isolation)
  }

  commit(sync: boolean) {
    return this.#inner.commit(sync)
  }

  rollBack() {
    return this.#inner.rollBack()
  }

  giveBack(isBroken?: boolean): void {
    this.#inner.giveBack(isBroken)
    this.#released()
  }
}
