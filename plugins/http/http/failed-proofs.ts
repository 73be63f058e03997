/** Counts wrong keys by the address they come from. Only a wrong key is ever answered by it: the right one opens at any time. */
import type { Clock } from 'svc/sdk'

const WINDOW_MS = 60_000
const MAX_FAILURES = 30
/** Strangers choose their addresses. */
const MAX_ADDRESSES = 10_000

export class FailedProofs {
  readonly #clock: () => Clock
  readonly #counts: Map<string, { count: number; readonly since: number }> = new Map()

  constructor(clock: () => Clock) {
    this.#clock = clock
  }

  /** Counts one more; milliseconds to wait when there were too many within a minute, else 0. */
  add(address: string): number {
    const now = this.#clock().monotonic()
    const known = this.#counts.get(address)
    const entry = known && now - known.since < WINDOW_MS ? known : { count: 0, since: now }
    entry.count++
    this.#counts.delete(address)
    this.#counts.set(address, entry)
    const [oldest] = this.#counts.size > MAX_ADDRESSES ? this.#counts.keys() : []
    if (oldest !== undefined) this.#counts.delete(oldest)
    return entry.count > MAX_FAILURES ? entry.since + WINDOW_MS - now : 0
  }
}
