/** Timers by their names: a new one replaces that of the same name. */
import type { Clock } from 'svc/sdk'

export class NamedTimers {
  readonly #clock: Clock
  readonly #timers: Map<string, () => void> = new Map()
  #isClosed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  has(name: string): boolean {
    return this.#timers.has(name)
  }

  /** Does nothing after `close`. */
  after(name: string, ms: number, work: () => void): void {
    this.#timers.get(name)?.()
    if (this.#isClosed) return
    const run = () => {
      this.#timers.delete(name)
      work()
    }
    this.#timers.set(name, this.#clock.after(ms, run))
  }

  close(): void {
    this.#isClosed = true
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
  }
}
