/** Tasks in triage are planned beside the looks: a model takes its time, and workers must not wait for it. */
import { type Clock, type Logger, logFault } from 'svc/sdk'
import type { TaskPlanner } from 'svc/sdk/kanban'

export interface PlanningDeps {
  /** Undefined where no plugin plans. */
  readonly planner: () => Promise<Pick<TaskPlanner, 'planDue'> | undefined>
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
  /** Between two beginnings, however often the boards are looked at: each costs money. */
  readonly intervalMs: () => number
}

export class Planning {
  readonly #deps: PlanningDeps
  #begunAt = Number.NEGATIVE_INFINITY
  #work: Promise<void> | undefined

  constructor(deps: PlanningDeps) {
    this.#deps = deps
  }

  /** A look has been made: what is due is planned, unless that is under way or was just done. */
  looked(): void {
    const { clock, intervalMs, signal } = this.#deps
    const now = clock.monotonic()
    if (this.#work || signal.aborted || now - this.#begunAt < intervalMs()) return
    this.#begunAt = now
    this.#work = this.plan().finally(() => {
      this.#work = undefined
    })
  }

  /** Once, to its end. Does not throw: the next look tries again. */
  async plan(): Promise<void> {
    const { planner, log, signal } = this.#deps
    try {
      await (await planner())?.planDue(signal)
    } catch (error) {
      if (!signal.aborted) logFault(log, 'the tasks in triage were not planned; they are tried again', error)
    }
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#work
  }
}
