/** A lease that is held: it renews itself, and says when it is lost. */
import type { Clock } from 'svc/sdk'
import type { Lease } from 'svc/sdk/store'

export interface LeaseDeps {
  readonly name: string
  readonly token: number
  readonly ttlMs: number
  /** When it was asked for, by the monotonic clock. */
  readonly since: number
  readonly renews: boolean
  readonly clock: Clock
  /** False when another has it. */
  renew(): Promise<boolean>
  release(): Promise<void>
  ended(): void
}

export class HeldLease implements Lease {
  readonly name: string
  readonly token: number
  readonly #deps: LeaseDeps
  readonly #lost = new AbortController()
  /** From when on it cannot be counted on any more, by the monotonic clock. */
  #until: number
  #isOver = false
  #cancelRenewal = () => {}
  #cancelEnd = () => {}

  constructor(deps: LeaseDeps) {
    this.#deps = deps
    this.name = deps.name
    this.token = deps.token
    this.#until = deps.since + deps.ttlMs
    this.#watch()
    if (deps.renews) this.#renewLater()
  }

  get signal(): AbortSignal {
    return this.#lost.signal
  }

  async renew(): Promise<boolean> {
    if (this.#isOver) return false
    const since = this.#deps.clock.monotonic()
    if (!(await this.#deps.renew())) {
      this.#lose()
      return false
    }
    if (this.#isOver) return false
    this.#until = Math.max(this.#until, since + this.#deps.ttlMs)
    this.#watch()
    return true
  }

  async release(): Promise<void> {
    if (this.#isOver) return
    this.#end()
    await this.#deps.release()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  #renewLater(): void {
    const { clock, ttlMs } = this.#deps
    this.#cancelRenewal = clock.after(ttlMs / 3, () => void this.#renewNow(), { background: true })
  }

  async #renewNow(): Promise<void> {
    try {
      await this.renew()
    } catch {
      // The store is away: the next try may get through, and without one the lease is lost at its end.
    }
    if (!this.#isOver) this.#renewLater()
  }

  #watch(): void {
    const { clock } = this.#deps
    this.#cancelEnd()
    this.#cancelEnd = clock.after(Math.max(0, this.#until - clock.monotonic()), () => this.#lose(), {
      background: true,
    })
  }

  #lose(): void {
    if (this.#isOver) return
    this.#end()
    this.#lost.abort(new Error(`the lock "${this.name}" was lost`))
  }

  #end(): void {
    this.#isOver = true
    this.#cancelRenewal()
    this.#cancelEnd()
    this.#deps.ended()
  }
}
