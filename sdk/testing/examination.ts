/** Runs the cases of one conformance report, one after the other, and keeps what came of them. */
import { errorMessage } from '../errors.ts'
import { soon } from './contracts/contract.ts'

/** The result of one case. `reason` says why it failed or could not be run. @since 0.1 */
export interface ConformanceCase {
  readonly name: string
  readonly result: 'ok' | 'failed' | 'skipped'
  readonly reason?: string
}

/** A listener for progress. @since 0.2 */
export interface ConformanceWatch {
  /** A case begins. */
  readonly onStart?: (name: string) => void
  /** A case is over. */
  readonly onEnd?: (done: ConformanceCase) => void
}

/** More than any stage of a plugin may take, and any case of a contract. */
const CASE_MS = 90_000

export class Examination {
  readonly cases: ConformanceCase[] = []
  #watch: ConformanceWatch
  #polish: (reason: string) => string

  /** `polish` makes a reason readable for people. */
  constructor(watch: ConformanceWatch, polish: (reason: string) => string) {
    this.#watch = watch
    this.#polish = polish
  }

  /** Whether the case went well. `work` may return a sentence about why it cannot be run. */
  async examine(name: string, work: () => unknown): Promise<boolean> {
    this.#watch.onStart?.(name)
    try {
      const reason = await soon(CASE_MS, 'it', work())
      if (typeof reason === 'string') return this.#end({ name, result: 'skipped', reason })
      return this.#end({ name, result: 'ok' })
    } catch (error) {
      return this.#end({ name, result: 'failed', reason: this.#polish(errorMessage(error)).trim() })
    }
  }

  /** Skips those of the cases that have not been run. */
  skip(names: readonly string[], reason: string): void {
    const open = names.filter((name) => !this.cases.some((done) => done.name === name))
    for (const name of open) this.#end({ name, result: 'skipped', reason })
  }

  #end(done: ConformanceCase): boolean {
    this.cases.push(done)
    this.#watch.onEnd?.(done)
    return done.result === 'ok'
  }
}
