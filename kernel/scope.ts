/** What one generation of a plugin has registered. Closing runs every disposer, last first, whatever fails. */
import { toRegistration } from '../sdk/kit/async/registration.ts'
import type { Dispose, Registration } from '../sdk/plugin.ts'
import type { Clock } from '../sdk/ports.ts'
import { within } from './time-limit.ts'

export class Scope {
  #disposers: Set<Dispose> = new Set()
  #isClosed = false
  #abort: AbortController | undefined

  /** Aborted when it closes. Made when it is asked for, as few plugins do. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#isClosed) this.#abort.abort()
    return this.#abort.signal
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Returns a disposer that may be called early; closing then skips it. After closing it runs at once. */
  defer(disposer: Dispose): Registration {
    if (this.#isClosed) {
      void disposer()
      return toRegistration(() => {})
    }
    const registration = toRegistration(() => {
      if (this.#disposers.delete(registration)) return disposer()
    })
    this.#disposers.add(registration)
    return registration
  }

  get size(): number {
    return this.#disposers.size
  }

  /** `limitMs` bounds each disposer; it is asked before each of them. */
  async close(clock: Clock, limitMs: () => number, onError: (error: unknown) => void): Promise<void> {
    this.#isClosed = true
    this.#abort?.abort()
    for (const dispose of [...this.#disposers].reverse()) {
      try {
        await within(clock, limitMs(), 'a disposer', () => dispose())
      } catch (error) {
        onError(error)
      }
    }
  }
}
