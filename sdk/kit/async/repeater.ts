/** Repeats a piece of work: one run at a time, with a longer wait after a failure, until it is stopped. */
import type { Clock, Random } from '../../ports.ts'
import { backoff } from './backoff.ts'

/** Options of a `Repeater`. @since 0.2 */
export interface RepeaterOptions {
  readonly clock: Pick<Clock, 'after' | 'monotonic'>
  readonly random: Pick<Random, 'next'>
  /** The work. The signal aborts when the repeater is stopped. */
  readonly run: (signal: AbortSignal) => void | Promise<void>
  /** Milliseconds between the end of a run and the start of the next one; a function is called before each wait. */
  readonly everyMs: number | (() => number)
  /** Begin with a run instead of a wait. */
  readonly atStart?: boolean
  /** The largest part of a wait that is added at random, so that many processes do not run at one moment (default 0). */
  readonly jitter?: number
  /** Asked before each run; where it returns false the run is left out and counts as done. */
  readonly mayRun?: () => boolean | Promise<boolean>
  /** Told of what `run`, `everyMs` and `mayRun` throw. Failures lengthen the wait, see `FAILURE_WAIT`. */
  readonly onError: (error: unknown) => void
}

/** After a failure the wait doubles: from one second up to an hour, and never below the ordinary wait. */
const FAILURE_WAIT = { firstMs: 1000, maxMs: 3_600_000 } as const
/** Used where `everyMs` throws or returns something that is no time. */
const UNKNOWN_WAIT_MS = 60_000

/** @since 0.2 */
export class Repeater {
  readonly #options: RepeaterOptions
  readonly #abort: AbortController = new AbortController()
  #cancel: () => void = () => {}
  #running: Promise<void> = Promise.resolve()
  #isRunning = false
  #failures = 0
  /** When the run that is waited for begins, by the monotonic clock; undefined: nothing is waited for. */
  #dueAt: number | undefined
  /** What a wake during a run asked for. */
  #wakeAt: number | undefined

  constructor(options: RepeaterOptions) {
    this.#options = options
  }

  /** Call it once. Nothing of it keeps the process alive. */
  start(): void {
    if (this.#abort.signal.aborted) return
    if (this.#options.atStart) this.#begin()
    else this.#wait()
  }

  /**
   * The next run begins in at most so many milliseconds: something has happened that it is to see. What happens during a run is
   * for the one after it. After failures their wait is kept. Does nothing before the start and after the end.
   */
  wake(ms = 0): void {
    const at = this.#options.clock.monotonic() + Math.max(0, ms)
    if (this.#isRunning) this.#wakeAt = Math.min(at, this.#wakeAt ?? at)
    else if (this.#dueAt !== undefined && at < this.#dueAt && this.#failures === 0) this.#waitUntil(at)
  }

  /** Aborts the signal of a run under way. Resolves when that run has ended. Never rejects. */
  stop(): Promise<void> {
    this.#cancel()
    this.#abort.abort()
    return this.#running
  }

  #begin(): void {
    this.#dueAt = undefined
    this.#isRunning = true
    this.#running = this.#runOnce()
  }

  async #runOnce(): Promise<void> {
    const { run, mayRun, onError } = this.#options
    const { signal } = this.#abort
    try {
      if (!mayRun || (await mayRun())) await run(signal)
      this.#failures = 0
    } catch (error) {
      // A run that ends because it was stopped has not failed.
      if (signal.aborted) return
      this.#failures++
      onError(error)
    }
    this.#wait()
  }

  #wait(): void {
    const { clock, random, jitter = 0 } = this.#options
    const ms = this.#nextMs() * (1 + jitter * (jitter > 0 ? random.next() : 0))
    const at = clock.monotonic() + ms
    const woken = this.#failures === 0 ? this.#wakeAt : undefined
    this.#isRunning = false
    this.#wakeAt = undefined
    this.#waitUntil(Math.min(at, woken ?? at))
  }

  #waitUntil(at: number): void {
    if (this.#abort.signal.aborted) return
    const { clock } = this.#options
    this.#cancel()
    this.#dueAt = at
    this.#cancel = clock.after(Math.max(0, at - clock.monotonic()), () => this.#begin(), { background: true })
  }

  #nextMs(): number {
    const usual = this.#usualMs()
    if (this.#failures === 0) return usual
    const policy = { firstMs: Math.max(usual, FAILURE_WAIT.firstMs), maxMs: Math.max(usual, FAILURE_WAIT.maxMs) }
    return backoff(policy, this.#failures + 1)
  }

  #usualMs(): number {
    const { everyMs, onError } = this.#options
    if (typeof everyMs === 'number') return everyMs
    try {
      const ms = everyMs()
      if (isInterval(ms)) return ms
      onError(new RangeError(`the time between two runs is ${ms}, which is not a number of milliseconds above 0`))
    } catch (error) {
      onError(error)
    }
    return UNKNOWN_WAIT_MS
  }
}

/** Whether a value can be the time between two runs: a number of milliseconds above 0. @since 0.2 */
export function isInterval(ms: unknown): ms is number {
  return typeof ms === 'number' && ms > 0 && Number.isFinite(ms)
}
