/** Locks over a table: a lease that has ended is taken by the next, whose token is larger. */
import { type Clock, SvcError } from 'svc/sdk'
import type { Lease, LeaseHolder, LeaseOptions, QueueTransaction, StoreLocks } from 'svc/sdk/store'
import { HeldLease } from './lease.ts'
import { refuseLong } from './names.ts'
import { Fragment, type Run, type Write } from './statements.ts'

const MIN_TTL_MS = 100

export interface LockDeps {
  readonly write: Write
  /** On its own. */
  readonly run: Run
  /** In a transaction. */
  runIn(tx: QueueTransaction): Run
  /** The moment, by the clock that decides. */
  now(): Fragment
  readonly isServer: boolean
  readonly clock: Clock
}

export class TableLocks implements StoreLocks {
  readonly #deps: LockDeps
  readonly #held = new Set<HeldLease>()

  constructor(deps: LockDeps) {
    this.#deps = deps
  }

  async take(name: string, { ttlMs, holder, renews = true, after }: LeaseOptions): Promise<Lease | undefined> {
    refuseLong('The name of a lock', name)
    if (!(ttlMs >= MIN_TTL_MS)) throw new TypeError(`a lease lasts ${MIN_TTL_MS} ms at least, not ${ttlMs}`)
    const { clock } = this.#deps
    const since = clock.monotonic()
    const token = await this.#insert(name, { ttl: ttlMs, holder, after })
    if (token === undefined) {
      await this.#shorten(name)
      return undefined
    }
    const lease: HeldLease = new HeldLease({
      name,
      token,
      ttlMs,
      since,
      renews,
      clock,
      renew: () => this.#renew(name, token, ttlMs),
      release: () => this.#release(name, token),
      ended: () => this.#held.delete(lease),
    })
    this.#held.add(lease)
    return lease
  }

  async holder(name: string): Promise<LeaseHolder | undefined> {
    const { write, run, now } = this.#deps
    const { text, values } = write`select holder, token, expires_at from store_locks
      where name = ${name} and holder is not null and expires_at > ${now()}`
    const [row] = (await run(text, values)).rows
    return row && { holder: String(row['holder']), token: Number(row['token']), expiresAt: Number(row['expires_at']) }
  }

  async fence(tx: QueueTransaction, { name, token }: Pick<Lease, 'name' | 'token'>): Promise<void> {
    const { write, runIn, isServer } = this.#deps
    const share = new Fragment(isServer ? 'for share' : '')
    const { text, values } = write`select token from store_locks where name = ${name} and holder is not null ${share}`
    const [row] = (await runIn(tx)(text, values)).rows
    if (Number(row?.['token']) === token) return
    throw new SvcError(
      'STORAGE_FENCED',
      `The lock "${name}" was taken over or given back meanwhile, so nothing of this was stored. Another process continues it.`,
    )
  }

  /** Gives back what is held. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#held].map((lease) => lease.release()))
  }

  async #insert(
    name: string,
    { ttl, holder, after }: { readonly ttl: number; readonly holder: string; readonly after: number | undefined },
  ): Promise<number | undefined> {
    const { write, run, now } = this.#deps
    const { text, values } = write`insert into store_locks (name, token, holder, ttl, expires_at)
      values (${name}, 1, ${holder}, ${ttl}, ${now()} + ${ttl})
      on conflict (name) do update set token = store_locks.token + 1, holder = excluded.holder, ttl = excluded.ttl,
        expires_at = excluded.expires_at
      where store_locks.holder is null or store_locks.expires_at <= ${now()} or store_locks.token = ${after ?? -1}
      returning token`
    const [row] = (await run(text, values)).rows
    return row && Number(row['token'])
  }

  /** A lease that lasts longer than its own time was taken before the clock was set back. */
  async #shorten(name: string): Promise<void> {
    const { write, run, now } = this.#deps
    const { text, values } = write`update store_locks set expires_at = ${now()} + ttl
      where name = ${name} and holder is not null and expires_at > ${now()} + ttl`
    await run(text, values)
  }

  async #renew(name: string, token: number, ttl: number): Promise<boolean> {
    const { write, run, now } = this.#deps
    const { text, values } = write`update store_locks set expires_at = ${now()} + ${ttl}
      where name = ${name} and token = ${token} and holder is not null`
    return (await run(text, values)).changes > 0
  }

  async #release(name: string, token: number): Promise<void> {
    const { write, run } = this.#deps
    const { text, values } = write`update store_locks set holder = null where name = ${name} and token = ${token}`
    await run(text, values)
  }
}
