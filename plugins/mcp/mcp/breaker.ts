/** When a server that fails is asked again. Pure but for the clock. */
import type { Clock } from 'svc/sdk'
import { backoff } from 'svc/sdk/kit/async'

const BACKOFF = { firstMs: 1000, maxMs: 60_000 }
/** Failures in a row after which calls are refused until a probe succeeds. */
const PARKED_AFTER = 5
export const PROBE_MS = 300_000

/**
 * Counts failures to connect and lost connections; errors that a tool reports are not counted. The first call after a wait tries
 * again, and others are refused at once meanwhile, so that a dead server does not delay a turn.
 */
export class Breaker {
  readonly #clock: Pick<Clock, 'monotonic'>
  #failures = 0
  #until = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  get isParked(): boolean {
    return this.#failures >= PARKED_AFTER
  }

  /** Milliseconds until the next attempt; 0 when one may begin. */
  get waitMs(): number {
    return Math.max(0, this.#until - this.#clock.monotonic())
  }

  failed(): void {
    this.#failures += 1
    const wait = this.isParked ? PROBE_MS : backoff(BACKOFF, this.#failures)
    this.#until = this.#clock.monotonic() + wait
  }

  succeeded(): void {
    this.#failures = 0
    this.#until = Number.NEGATIVE_INFINITY
  }
}
