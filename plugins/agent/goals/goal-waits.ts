/** What goals wait for before their next turn: a time, a process of this machine, or a process that svc started. */
import { Clock, type PluginContext } from 'svc/sdk'
import { isRunning, markProcess } from 'svc/sdk/kit/process'
import { BackgroundProcesses } from 'svc/sdk/shell'

/** The poll interval for a process that is waited for. */
const PROCESS_POLL_MS = 1000

/** A time in seconds, the id of a process of this machine, or that of a process of `BackgroundProcesses`. */
export type WaitTarget = { readonly seconds: number } | { readonly pid: number } | { readonly processId: string }

/** What is waited for, in words that a command or a judge gave. */
export interface WaitState {
  readonly target: WaitTarget
  readonly reason?: string | undefined
}

interface Waiting extends WaitState {
  cancel(): void
}

/** A process, until it has ended. */
interface Watched {
  isRunning(): boolean | Promise<boolean>
}

/** One wait for each session. */
export class Waits {
  readonly #ctx: PluginContext<unknown>
  readonly #waiting: Map<string, Waiting> = new Map()

  constructor(ctx: PluginContext<unknown>) {
    this.#ctx = ctx
  }

  /**
   * Calls `then` once when the wait is over, or after `maxSeconds`. It takes the place of an earlier wait of the session.
   * Returns false, and leaves the earlier wait, if the process does not run.
   */
  async begin(
    sessionId: string,
    state: WaitState,
    then: () => void,
    maxSeconds = Number.POSITIVE_INFINITY,
  ): Promise<boolean> {
    const { target } = state
    const watched = 'seconds' in target ? undefined : await this.#find(target)
    if (!('seconds' in target) && watched === undefined) return false
    this.stop(sessionId)
    const clock = this.#ctx.use(Clock)
    const end =
      clock.now() + Math.min(maxSeconds, 'seconds' in target ? target.seconds : Number.POSITIVE_INFINITY) * 1000
    const waiting: Waiting = { ...state, cancel: () => {} }
    this.#waiting.set(sessionId, waiting)
    const look = async () => {
      const left = end - clock.now()
      const isOver = left <= 0 || (watched !== undefined && !(await watched.isRunning()))
      if (this.#waiting.get(sessionId) !== waiting) return
      if (!isOver) {
        const pause = watched === undefined ? left : Math.min(left, PROCESS_POLL_MS)
        waiting.cancel = clock.after(pause, () => void look())
        return
      }
      this.#waiting.delete(sessionId)
      then()
    }
    void look()
    return true
  }

  /** What the session waits for. */
  get(sessionId: string): WaitState | undefined {
    return this.#waiting.get(sessionId)
  }

  /** Ends the wait without calling `then`. Returns whether there was one. */
  stop(sessionId: string): boolean {
    this.#waiting.get(sessionId)?.cancel()
    return this.#waiting.delete(sessionId)
  }

  stopAll(): void {
    for (const sessionId of [...this.#waiting.keys()]) this.stop(sessionId)
  }

  /** Undefined if it does not run. */
  async #find(target: Exclude<WaitTarget, { seconds: number }>): Promise<Watched | undefined> {
    if ('pid' in target) {
      const mark = markProcess(target.pid)
      return mark && { isRunning: () => isRunning(mark) }
    }
    const runs = () => this.#runs(target.processId)
    return (await runs()) ? { isRunning: runs } : undefined
  }

  async #runs(id: string): Promise<boolean> {
    try {
      return (await this.#ctx.find(BackgroundProcesses)?.get(id))?.status === 'running'
    } catch {
      // An id that is not known, or is forgotten meanwhile: it has ended.
      return false
    }
  }
}
