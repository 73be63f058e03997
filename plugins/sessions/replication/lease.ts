/** The time for which others count this process as alive. */
import type { Clock, Logger } from 'svc/sdk'

export interface ProcessLeaseDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly ttlMs: number
  /** Says to others that this process lives. */
  renew(): Promise<void>
  /** It could not be said in time: others may have taken everything over. */
  lost(): void
}

export class ProcessLease {
  readonly #deps: ProcessLeaseDeps
  /** By the monotonic clock. */
  #until = 0
  #isOver = false
  #cancelRenewal = () => {}
  #cancelEnd = () => {}

  constructor(deps: ProcessLeaseDeps) {
    this.#deps = deps
  }

  async begin(): Promise<void> {
    const since = this.#deps.clock.monotonic()
    await this.#deps.renew()
    this.#last(since)
    this.#later()
  }

  end(): void {
    this.#isOver = true
    this.#cancelRenewal()
    this.#cancelEnd()
  }

  /** Whether it has ended by now, also where this process was stopped meanwhile. */
  get hasEnded(): boolean {
    return this.#deps.clock.monotonic() >= this.#until
  }

  #later(): void {
    const { clock, ttlMs } = this.#deps
    this.#cancelRenewal = clock.after(ttlMs / 4, () => void this.#renew(), { background: true })
  }

  async #renew(): Promise<void> {
    const { clock, log, renew } = this.#deps
    // The process was stopped for so long that others may have its scopes: a renewal does not bring them back.
    if (this.hasEnded) this.#deps.lost()
    const since = clock.monotonic()
    try {
      await renew()
      if (this.hasEnded) this.#deps.lost()
      if (!this.#isOver) this.#last(since)
    } catch (error) {
      log.debug('the lease of this process could not be renewed', { error })
    }
    if (!this.#isOver) this.#later()
  }

  #last(since: number): void {
    const { clock, ttlMs, lost } = this.#deps
    this.#until = since + ttlMs
    this.#cancelEnd()
    this.#cancelEnd = clock.after(Math.max(0, this.#until - clock.monotonic()), () => lost(), { background: true })
  }
}
