/** Queues of the shared store: work that is done once it is due, by one of several processes. */
import type { QueryExecutorProvider } from './shared-store.ts'

/** How a queue treats its items. Give the same in every process. @since 0.2 */
export interface StoreQueueOptions {
  /** Claims of one item after which it is dead instead of being claimed again. Default: no limit. */
  readonly maxAttempts?: number
  /** Milliseconds that the key of a finished item is remembered (default seven days). */
  readonly keepKeysMs?: number
}

/** How an item is put into a queue. @since 0.2 */
export interface EnqueueOptions {
  /** An item with the same key in this queue is not put there again, also a while after it was finished. 200 characters. */
  readonly key?: string
  /** Unix time in milliseconds, by the clock of the store, before which it is not claimed. Default: now. */
  readonly dueAt?: number
  /** Milliseconds from now on, in place of `dueAt`. */
  readonly delayMs?: number
}

/** What was put into a queue. @since 0.2 */
export interface Enqueued {
  readonly id: string
  /** False when an item with this key was there: `id` is the one of that. */
  readonly isNew: boolean
}

/** How items are claimed. @since 0.2 */
export interface ClaimOptions {
  /** Items at most. */
  readonly limit: number
  /** Milliseconds after which others may claim it, unless it is renewed. */
  readonly leaseMs: number
  /** Who claims, for people. */
  readonly holder: string
}

/** An item that was claimed. @since 0.2 */
export interface QueueItem<Payload> {
  readonly id: string
  readonly key?: string
  readonly payload: Payload
  /** Counts the claims: a holder with an earlier one has lost the item. */
  readonly epoch: number
  /** Unix time in milliseconds. */
  readonly dueAt: number
  /** What the last attempt failed with. */
  readonly error?: string
}

/** What an attempt came to that did not succeed. @since 0.2 */
export interface QueueFailure {
  /** For people; the first 2,000 characters are kept. */
  readonly error: string
  /** Milliseconds until it is due again (default 0). */
  readonly delayMs?: number
  /** It is not tried again: `revive` brings it back. */
  readonly dead?: boolean
}

/** An item that is not tried any more. @since 0.2 */
export interface DeadItem<Payload> extends QueueItem<Payload> {
  /** Unix time in milliseconds. */
  readonly diedAt: number
}

/** How many items there are. `due`, `waiting` for their time, `claimed`, and `dead`. @since 0.2 */
export interface QueueCounts {
  readonly due: number
  readonly waiting: number
  readonly claimed: number
  readonly dead: number
}

/** The statements of a transaction of the store in whose file or schema the queue is. @since 0.2 */
export type QueueTransaction = QueryExecutorProvider

/**
 * Items are claimed in the order in which they are due. Each is claimed by one holder at a time, and again when that one is gone:
 * at least once. With `ack` in the transaction that stores the result, its effect happens exactly once.
 * @since 0.2
 */
export interface StoreQueue<Payload> {
  readonly name: string
  /** `payload` is plain JSON. With `tx` it is there exactly when the transaction is committed. */
  enqueue(payload: Payload, options?: EnqueueOptions, tx?: QueueTransaction): Promise<Enqueued>
  claim(options: ClaimOptions): Promise<QueueItem<Payload>[]>
  /** Makes the claim last `leaseMs` from now. False when it is lost. */
  renew(item: Pick<QueueItem<Payload>, 'id' | 'epoch'>, leaseMs: number): Promise<boolean>
  /** It is done. Throws `STORAGE_LEASE_LOST` when another has claimed or finished it since. */
  ack(item: Pick<QueueItem<Payload>, 'id' | 'epoch'>, tx?: QueueTransaction): Promise<void>
  /** It failed. Throws `STORAGE_LEASE_LOST` as `ack` does. */
  fail(item: Pick<QueueItem<Payload>, 'id' | 'epoch'>, failure: QueueFailure, tx?: QueueTransaction): Promise<void>
  counts(): Promise<QueueCounts>
  /** When the next item that no holder has is due, in Unix milliseconds; undefined if no item waits. */
  nextDueAt(): Promise<number | undefined>
  /** The oldest first. */
  dead(limit: number): Promise<DeadItem<Payload>[]>
  /** Makes a dead item due now. False if no dead item has this id. */
  revive(id: string): Promise<boolean>
  /** Removes an item that is not claimed, dead ones too. False if no such item exists. */
  cancel(id: string, tx?: QueueTransaction): Promise<boolean>
}
