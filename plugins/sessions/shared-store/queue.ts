/**
 * A queue over a table. `ready_at` is when an item may be claimed next: when it is due, or when the lease of its holder ends.
 * Finished items have none; those with a key stay for a while, so that the key is known.
 */
import { type Clock, type Random, SvcError } from 'svc/sdk'
import type {
  ClaimOptions,
  DeadItem,
  Enqueued,
  EnqueueOptions,
  QueueCounts,
  QueueFailure,
  QueueItem,
  QueueTransaction,
  StoreQueue,
  StoreQueueOptions,
} from 'svc/sdk/store'
import { refuseLong, refuseName } from './names.ts'
import { Fragment, type Run, type Write } from './statements.ts'

const KEEP_KEYS_MS = 7 * 86_400_000
const PRUNE_EVERY_MS = 60_000
const MAX_ERROR = 2000

export interface QueueDeps {
  readonly write: Write
  readonly run: Run
  runIn(tx: QueueTransaction): Run
  now(): Fragment
  readonly isServer: boolean
  readonly clock: Clock
  readonly random: Random
}

type Claimed = Pick<QueueItem<unknown>, 'id' | 'epoch'>

export class TableQueue<Payload> implements StoreQueue<Payload> {
  readonly name: string
  readonly #deps: QueueDeps
  readonly #options: StoreQueueOptions
  #count = 0
  #prunedAt = Number.NEGATIVE_INFINITY

  constructor(name: string, options: StoreQueueOptions, deps: QueueDeps) {
    refuseName('a queue', name)
    this.name = name
    this.#options = options
    this.#deps = deps
  }

  async enqueue(payload: Payload, options: EnqueueOptions = {}, tx?: QueueTransaction): Promise<Enqueued> {
    const { key, dueAt, delayMs = 0 } = options
    if (key !== undefined) refuseLong('The key of an item', key)
    const { write, now } = this.#deps
    const due = dueAt === undefined ? new Fragment(`${now().text} + ?`, [...now().values, delayMs]) : dueAt
    const id = this.#createId()
    const { text, values } = write`insert into store_items (id, queue, key, payload, state, due_at, ready_at, epoch)
      values (${id}, ${this.name}, ${key ?? null}, ${JSON.stringify(payload)}, 'waiting', ${due}, ${due}, 0)
      on conflict (queue, key) do nothing`
    if ((await this.#runIn(tx)(text, values)).changes > 0) return { id, isNew: true }
    const found = write`select id from store_items where queue = ${this.name} and key = ${key ?? null}`
    const [row] = (await this.#runIn(tx)(found.text, found.values)).rows
    return { id: String(row?.['id'] ?? ''), isNew: false }
  }

  async claim(options: ClaimOptions): Promise<QueueItem<Payload>[]> {
    await this.#forgetKeys()
    await this.#buryExhausted()
    const items = await this.#claimReady(options)
    if (items.length === 0 && !this.#deps.isServer) await this.#shortenLeases()
    return items
  }

  async renew({ id, epoch }: Claimed, leaseMs: number): Promise<boolean> {
    const { write, now } = this.#deps
    return this.#changes(write`update store_items set ready_at = ${now()} + ${leaseMs}, lease = ${leaseMs}
      where id = ${id} and epoch = ${epoch} and state = 'claimed'`)
  }

  async ack({ id, epoch }: Claimed, tx?: QueueTransaction): Promise<void> {
    const { write, now } = this.#deps
    // A key is remembered, so an item that has one stays.
    const isDeleted = await this.#changes(
      write`delete from store_items where id = ${id} and epoch = ${epoch} and state = 'claimed' and key is null`,
      tx,
    )
    if (isDeleted) return
    const isKept = await this.#changes(
      write`update store_items set state = 'done', ready_at = null, payload = 'null', ended_at = ${now()}
        where id = ${id} and epoch = ${epoch} and state = 'claimed'`,
      tx,
    )
    this.#refuseLost(isKept, id)
  }

  async fail({ id, epoch }: Claimed, failure: QueueFailure, tx?: QueueTransaction): Promise<void> {
    const { write, now } = this.#deps
    const error = failure.error.slice(0, MAX_ERROR)
    const isDead = failure.dead || epoch >= (this.#options.maxAttempts ?? Number.POSITIVE_INFINITY)
    const due = new Fragment(`${now().text} + ?`, [...now().values, failure.delayMs ?? 0])
    const statement = isDead
      ? write`update store_items set state = 'dead', ready_at = null, ended_at = ${now()}, error = ${error}
          where id = ${id} and epoch = ${epoch} and state = 'claimed'`
      : write`update store_items set state = 'waiting', due_at = ${due}, ready_at = ${due}, error = ${error}
          where id = ${id} and epoch = ${epoch} and state = 'claimed'`
    this.#refuseLost(await this.#changes(statement, tx), id)
  }

  async counts(): Promise<QueueCounts> {
    const { write, now } = this.#deps
    const { rows } =
      await this.#read(write`select case when state = 'dead' then 'dead' when ready_at <= ${now()} then 'due'
      else state end as kind, count(*) as n from store_items where queue = ${this.name} and state <> 'done' group by 1`)
    const of = (kind: string) => Number(rows.find((row) => row['kind'] === kind)?.['n'] ?? 0)
    return { due: of('due'), waiting: of('waiting'), claimed: of('claimed'), dead: of('dead') }
  }

  async nextDueAt(): Promise<number | undefined> {
    const { rows } = await this.#read(
      this.#deps.write`select min(ready_at) as at from store_items where queue = ${this.name}`,
    )
    const at = rows[0]?.['at'] ?? undefined
    return at === undefined ? undefined : Number(at)
  }

  async dead(limit: number): Promise<DeadItem<Payload>[]> {
    const { rows } = await this.#read(this.#deps.write`select * from store_items
      where queue = ${this.name} and state = 'dead' order by ended_at, id limit ${limit}`)
    return rows.map((row) => ({ ...toItem<Payload>(row), diedAt: Number(row['ended_at']) }))
  }

  async revive(id: string): Promise<boolean> {
    const { write, now } = this.#deps
    return this.#changes(write`update store_items set state = 'waiting', due_at = ${now()}, ready_at = ${now()}, epoch = 0,
      ended_at = null where id = ${id} and queue = ${this.name} and state = 'dead'`)
  }

  async cancel(id: string, tx?: QueueTransaction): Promise<boolean> {
    const { write } = this.#deps
    return this.#changes(
      write`delete from store_items where id = ${id} and queue = ${this.name} and state in ('waiting', 'dead')`,
      tx,
    )
  }

  async #claimReady({ limit, leaseMs, holder }: ClaimOptions): Promise<QueueItem<Payload>[]> {
    const { write, isServer, now } = this.#deps
    const skip = new Fragment(isServer ? 'for update skip locked' : '')
    const { rows } = await this.#read(write`with picked as materialized (
        select id from store_items where queue = ${this.name} and ready_at <= ${now()}
        order by ready_at, id limit ${limit} ${skip})
      update store_items set epoch = epoch + 1, state = 'claimed', holder = ${holder}, lease = ${leaseMs},
        ready_at = ${now()} + ${leaseMs}
      where id in (select id from picked) returning *`)
    return rows.map((row) => toItem<Payload>(row)).sort(byDue)
  }

  /** Holders of these were lost as often as they may be. */
  async #buryExhausted(): Promise<void> {
    const { maxAttempts } = this.#options
    if (maxAttempts === undefined) return
    const { write, now } = this.#deps
    await this.#changes(write`update store_items set state = 'dead', ready_at = null, ended_at = ${now()},
      error = coalesce(error, 'its holders did not finish')
      where queue = ${this.name} and ready_at <= ${now()} and state = 'claimed' and epoch >= ${maxAttempts}`)
  }

  /** Leases that last longer than their own time were taken before the clock was set back. */
  async #shortenLeases(): Promise<void> {
    const { write, now } = this.#deps
    await this.#changes(write`update store_items set ready_at = ${now()} + lease
      where queue = ${this.name} and state = 'claimed' and ready_at > ${now()} + lease`)
  }

  async #forgetKeys(): Promise<void> {
    const { write, clock, now } = this.#deps
    if (clock.monotonic() - this.#prunedAt < PRUNE_EVERY_MS) return
    this.#prunedAt = clock.monotonic()
    await this.#changes(write`delete from store_items
      where queue = ${this.name} and state = 'done' and ended_at < ${now()} - ${this.#options.keepKeysMs ?? KEEP_KEYS_MS}`)
  }

  /** Of those that are due at once the ones that were put there first come first. */
  #createId(): string {
    const { clock, random } = this.#deps
    const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0').slice(-digits)
    return `${hex(Math.max(0, Math.floor(clock.now())), 12)}${hex(this.#count++, 6)}${random.hex(6)}`
  }

  #runIn(tx: QueueTransaction | undefined): Run {
    return tx ? this.#deps.runIn(tx) : this.#deps.run
  }

  #read({ text, values }: ReturnType<Write>) {
    return this.#deps.run(text, values)
  }

  async #changes({ text, values }: ReturnType<Write>, tx?: QueueTransaction): Promise<boolean> {
    return (await this.#runIn(tx)(text, values)).changes > 0
  }

  #refuseLost(isHeld: boolean, id: string): void {
    if (isHeld) return
    throw new SvcError(
      'STORAGE_LEASE_LOST',
      `Item ${id} of the queue "${this.name}" was claimed by another or is finished: what this attempt has done does not count.`,
    )
  }
}

function toItem<Payload>(row: Record<string, unknown>): QueueItem<Payload> {
  const [key, error] = [row['key'], row['error']]
  return {
    id: String(row['id']),
    payload: JSON.parse(String(row['payload'])) as Payload,
    epoch: Number(row['epoch']),
    dueAt: Number(row['due_at']),
    ...(typeof key === 'string' && { key }),
    ...(typeof error === 'string' && { error }),
  }
}

function byDue(one: QueueItem<unknown>, other: QueueItem<unknown>): number {
  return one.dueAt - other.dueAt || (one.id < other.id ? -1 : 1)
}
