/**
 * Looks at the boards: deals with workers that ended, hang or lost their claim, then gives ready tasks to new ones. What takes long goes
 * on beside the looks. All that it must know after a crash is on the boards and in the records of workers.
 */
import type { DispatchOptions } from 'svc/sdk/kanban'
import { type DispatchReport, newReport } from './report.ts'
import { RunCare } from './run-care.ts'
import { TaskStarter } from './start-tasks.ts'
import type { DispatcherDeps, DispatchState } from './state.ts'

export class Dispatcher {
  readonly #state: DispatchState
  readonly #care: RunCare
  readonly #starter: TaskStarter

  constructor(deps: DispatcherDeps) {
    this.#state = { deps, exits: new Map(), works: new Map(), starting: new Set(), late: [], pauses: new Map() }
    this.#care = new RunCare(this.#state)
    this.#starter = new TaskStarter(this.#state)
  }

  /** One look. Not to be called again before it has resolved. */
  async tick(options: DispatchOptions = {}): Promise<DispatchReport> {
    const report = newReport()
    const boards = this.#state.deps.boards()
    if (options.isDry !== true) {
      await this.#care.look(report, options)
      report.promoted.push(...(await boards.recompute(null)))
    }
    await this.#starter.start(report, options)
    this.#takeLate(report)
    report.under_way.push(...[...this.#state.works.keys()].map((key) => key.split('.')[0] ?? key))
    return report
  }

  /** Resolves when nothing goes on beside the looks; what ended is added to the report. */
  async settled(report: DispatchReport): Promise<void> {
    while (this.#state.works.size > 0) await Promise.all(this.#state.works.values())
    report.under_way.length = 0
    this.#takeLate(report)
  }

  #takeLate(report: DispatchReport): void {
    report.ended.push(...this.#state.late.splice(0))
  }
}
