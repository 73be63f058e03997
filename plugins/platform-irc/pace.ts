/** Flood control of a client: RFC 1459 section 8.10. */
import type { Clock } from 'svc/sdk'

/** Lines that may be sent at once. */
const BURST = 5

/** Says when the next line may leave. */
export class Pace {
  readonly #clock: Clock
  readonly #delayMs: number
  /** The penalty of what was sent ends then. */
  #until = 0

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock
    this.#delayMs = delayMs
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
    return this.#until - this.#clock.monotonic() - (BURST - 1) * this.#delayMs
  }

  #count(): void {
    this.#until = Math.max(this.#until, this.#clock.monotonic()) + this.#delayMs
  }
}
