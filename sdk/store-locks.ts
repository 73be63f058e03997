/** Locks of the shared store: leases that end by themselves, with tokens that tell a late holder from the present one. */
import type { QueryExecutorProvider } from './shared-store.ts'

/** How a lock is taken. @since 0.2 */
export interface LeaseOptions {
  /** Milliseconds that the lease lasts after it was taken or renewed. At least 100. */
  readonly ttlMs: number
  /** Who holds it, for people: a process, a machine. */
  readonly holder: string
  /** Renews it at every third of `ttlMs`, without keeping the process alive (default true). */
  readonly renews?: boolean
  /** The token of a holder that is known to have ended, from `holder()`: its lease is taken although it is not over. */
  readonly after?: number
}

/** A lock that is held. @since 0.2 */
export interface Lease extends AsyncDisposable {
  readonly name: string
  /** Larger than that of every earlier holder of this name. */
  readonly token: number
  /** Aborted when the lease is known to be lost: another took it, or it could not be renewed in time. */
  readonly signal: AbortSignal
  /** Makes it last `ttlMs` from now. False when it is lost. Rejects where the store cannot be asked. */
  renew(): Promise<boolean>
  /** Gives it back at once. Does nothing when it is lost. */
  release(): Promise<void>
}

/** Who holds a lock. @since 0.2 */
export interface LeaseHolder {
  readonly holder: string
  readonly token: number
  /** Unix time in milliseconds, by the clock of the store. */
  readonly expiresAt: number
}

/**
 * The clock of the server decides when a lease is over, or the one of the machine. When that is set back, a lease lasts once
 * more its own time, not the hours in between; when it is set forward, a lease may end early: what a holder writes goes through
 * `fence`.
 * @since 0.2
 */
export interface StoreLocks {
  /** Takes a lock, or undefined while another holder has it. `name` is any text of at most 200 characters. */
  take(name: string, options: LeaseOptions): Promise<Lease | undefined>
  /** Who holds it now; undefined when it is free. */
  holder(name: string): Promise<LeaseHolder | undefined>
  /**
   * Call it in each transaction that only the holder may commit. Throws `STORAGE_FENCED` when the lock was released or taken over,
   * and keeps others from taking it over before the commit.
   */
  fence(tx: QueryExecutorProvider, lease: Pick<Lease, 'name' | 'token'>): Promise<void>
}
