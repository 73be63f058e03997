/** Long work on a shared resource, such as a database, in batches that are small enough not to keep others waiting. */
import type { Clock } from './ports.ts'

/** How a `BatchSize` adapts. Sizes count what the caller counts: rows, pages, messages. */
interface BatchLimits {
  readonly first: number
  readonly min: number
  readonly max: number
  /** Milliseconds that one batch should take. */
  readonly targetMs: number
}

/**
 * The size of the next batch, adapted to the measured time of the last: one that took longer than `targetMs` makes the next
 * smaller in proportion, a quick one lets the next grow to at most twice its size. `clock.monotonic()` measures.
 */
export class BatchSize {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #limits: BatchLimits
  #size: number
  #tookMs = 0

  constructor(clock: Pick<Clock, 'monotonic'>, limits: BatchLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#size = limits.first
  }

  /** From `min` to `max`, a whole number. */
  get size(): number {
    return this.#size
  }

  /**
   * Milliseconds to wait before the next batch: at least `least`, and as long as the last batch took. A process that waits for
   * a lock of SQLite polls for it, and gets it only if it is free for about as long as it was held.
   */
  pauseMs(least: number): number {
    return Math.max(least, Math.ceil(this.#tookMs))
  }

  /** Runs a synchronous batch of the current size and adapts the size to its time. An error passes through unchanged. */
  run<T>(batch: (size: number) => T): T {
    const started = this.#clock.monotonic()
    try {
      return batch(this.#size)
    } finally {
      this.#tookMs = Math.max(0, this.#clock.monotonic() - started)
      const { min, max, targetMs } = this.#limits
      const factor = Math.min(2, targetMs / Math.max(this.#tookMs, 1))
      this.#size = Math.round(Math.min(max, Math.max(min, this.#size * factor)))
    }
  }
}
