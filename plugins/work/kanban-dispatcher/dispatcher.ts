/**
 * Looks at the boards: deals with workers that ended, hang or lost their claim, then gives ready tasks to new ones. What takes long goes
 * on beside the looks. All that it must know after a crash is on the boards and in the records of workers.
 */
import { logFault } from 'svc/sdk'
import type { DispatchOptions } from 'svc/sdk/kanban'
import { cleanScratch } from './clean-scratch.ts'
import { type DispatchReport, newReport } from './report.ts'
import { RunCare } from './run-care.ts'
import { TaskStarter } from './start-tasks.ts'
import type { DispatcherDeps, DispatchState } from './state.ts'

/** Between two looks at the scratch folders. */
const CLEAN_MS = 60_000

export class Dispatcher {
  readonly #state: DispatchState
  readonly #care: RunCare
  readonly #starter: TaskStarter
  #cleanedAt = Number.NEGATIVE_INFINITY

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
      await this.#clean()
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

  /** A folder that cannot be removed keeps no task from its worker. */
  async #clean(): Promise<void> {
    const { clock, config, folders, boards, records, log } = this.#state.deps
    const now = clock.monotonic()
    if (config().keep_workspaces || now - this.#cleanedAt < CLEAN_MS) return
    this.#cleanedAt = now
    try {
      const removed = await cleanScratch({ folder: folders.workspaces, boards, records }, { isThorough: false })
      if (removed.length > 0) log.info('scratch folders of tasks that are done were removed', { tasks: removed })
    } catch (error) {
      logFault(log, 'scratch folders could not be removed', error)
    }
  }

  #takeLate(report: DispatchReport): void {
    report.ended.push(...this.#state.late.splice(0))
  }
}
