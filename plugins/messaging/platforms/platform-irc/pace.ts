/**
 * Flood control of a client. RFC 1459, section 8.10, has five lines and two seconds for each further one; servers of today
 * take more before they slow a client down: ten and one a second (InspIRCd: docs.inspircd.org, `<connect>`, `threshold`
 * and `commandrate`). As each message waits for the server's PONG, one that is slower gets its lines more slowly.
 */
import type { Clock } from 'svc/sdk'

/** Lines that may be sent at once. */
export const BURST = 10

/** Says when the next line may leave. */
export class Pace {
  readonly #clock: Clock
  readonly #delayMs: number
  readonly #burst: number
  /** The penalty of what was sent ends then. */
  #until = 0

  constructor(clock: Clock, delayMs: number, burst = BURST) {
    this.#clock = clock
    this.#delayMs = delayMs
    this.#burst = burst
  }

  /** Resolves when it is the next line's turn. */
  async turn(signal: AbortSignal): Promise<void> {
    const wait = this.#waitMs()
    this.#count()
    if (wait > 0) await this.#clock.sleep(wait, signal)
  }

  /** Whether a line may leave now; what may not is not counted. */
  allows(): boolean {
    if (this.#waitMs() > 0) return false
    this.#count()
    return true
  }

  #waitMs(): number {
    return this.#until - this.#clock.monotonic() - (this.#burst - 1) * this.#delayMs
  }

  #count(): void {
    this.#until = Math.max(this.#until, this.#clock.monotonic()) + this.#delayMs
  }
}
