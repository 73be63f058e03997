/** Gives ready tasks to workers: the larger priority first, then the older, within all caps. */
import { errorMessage, SvcError } from 'svc/sdk'
import {
  type DispatchOptions,
  type Task,
  type TaskCard,
  type TaskLease,
  type TaskRun,
  WORKER_VARIABLES,
} from 'svc/sdk/kanban'
import { getMachineName } from 'svc/sdk/kit/process'
import { ownHolder, parseHolder } from './holder.ts'
import type { WorkerRecord } from './records.ts'
import type { DispatchReport } from './report.ts'
import { claimKey, type DispatchState, endRun, isLost } from './state.ts'
import { openLog } from './worker-log.ts'
import { endWorker, startWorker, toIdentity } from './worker-process.ts'
import { openWorkspace } from './workspace.ts'

/** Ready tasks that are looked at in one look, beyond what can be started: caps of boards and profiles leave some out. */
const MAX_LOOKED = 500
const BY = 'dispatcher'

export class TaskStarter {
  readonly #state: DispatchState

  constructor(state: DispatchState) {
    this.#state = state
  }

  async start(report: DispatchReport, options: DispatchOptions): Promise<void> {
    const { deps } = this.#state
    const room = Math.min(options.max ?? Number.POSITIVE_INFINITY, await this.#countRoom())
    const ready = await deps.boards().claimable({ board: options.board ?? null, limit: MAX_LOOKED })
    for (const card of ready) {
      if (report.started.length >= room) report.skipped.push({ task: card.id, reason: 'cap' })
      else if (options.isDry === true) this.#foretell(card, report)
      else await this.#startOne(card, report, options)
    }
  }

  /** Workers of this machine that may be added. */
  async #countRoom(): Promise<number> {
    const { deps } = this.#state
    const runs = await deps.boards().runs({ board: null, isOpen: true, limit: 1000 })
    const here = runs.filter(
      ({ worker, holder }) => (worker?.machine ?? parseHolder(holder)?.machine) === getMachineName(),
    )
    return Math.max(0, deps.config().max_workers - here.length)
  }

  #foretell(card: TaskCard, report: DispatchReport): void {
    const assignee = card.assignee ?? this.#state.deps.profiles.fallback
    const reason = this.#reasonNot(assignee)
    if (reason === undefined) report.started.push({ task: card.id, assignee })
    else report.skipped.push({ task: card.id, reason })
  }

  /** Why nothing can be started for a profile now. */
  #reasonNot(assignee: string): string | undefined {
    const { deps, pauses } = this.#state
    if (!deps.profiles.has(assignee)) return 'unknown-profile'
    return (pauses.get(assignee) ?? 0) > deps.clock.monotonic() ? 'rate-limit' : undefined
  }

  async #startOne(card: TaskCard, report: DispatchReport, options: DispatchOptions): Promise<void> {
    const { deps } = this.#state
    const boards = deps.boards()
    const config = deps.config()
    try {
      const { assignee = deps.profiles.fallback } = card
      const reason = this.#reasonNot(assignee)
      if (reason !== undefined) return void report.skipped.push({ task: card.id, reason })
      if (card.assignee === undefined) await boards.assign(card.id, assignee, { by: BY, reason: 'it had no assignee' })
      const caps = {
        ...(config.max_per_board !== undefined && { board: config.max_per_board }),
        ...(config.max_per_profile !== undefined && { assignee: config.max_per_profile }),
      }
      const claim = await boards.claim(card.id, { holder: ownHolder(), caps })
      if (claim.refused !== undefined) return void report.skipped.push({ task: card.id, reason: claim.refused })
      await this.#launch(claim, report, options)
    } catch (error) {
      if (!isLost(error)) throw error
      report.skipped.push({ task: card.id, reason: 'status' })
    }
  }

  async #launch(claim: Claim, report: DispatchReport, options: DispatchOptions): Promise<void> {
    const { starting } = this.#state
    const key = claimKey(claim.lease)
    starting.add(key)
    try {
      await this.#spawn(claim, report)
    } catch (error) {
      if (isLost(error)) throw error
      this.#state.deps.log.warn('no worker could be started', { task: claim.task.id, error })
      const end = {
        outcome: 'spawn_failed',
        error: `No worker could be started: ${errorMessage(error)}`,
        isPermanent: error instanceof SvcError && error.code === 'KANBAN_WORKSPACE',
        failureLimit: options.failureLimit ?? this.#state.deps.config().failure_limit,
      } as const
      await endRun(this.#state, claim.lease, end, report)
    } finally {
      starting.delete(key)
    }
  }

  async #spawn({ task, run, lease }: Claim, report: DispatchReport): Promise<void> {
    const { deps, exits } = this.#state
    const board = await deps.boards().board(task.board)
    const workspace = await openWorkspace(task, board, { folder: deps.folders.workspaces, git: deps.git })
    const profile = task.assignee ?? deps.profiles.fallback
    const record: WorkerRecord = {
      ...{ taskId: task.id, epoch: lease.epoch, runId: run.id, profile, workspace },
      token: deps.random.hex(16),
    }
    deps.records.write(record)
    const heading = `${new Date(deps.clock.now()).toISOString()} run ${run.id} of ${task.id} by ${profile}`
    const log = openLog(deps.folders.logs, task.id, { maxBytes: deps.config().log_bytes, heading })
    const worker = await startWorker({
      command: [...deps.program(), '--profile', profile, 'kanban', 'work'],
      cwd: workspace,
      variables: {
        [WORKER_VARIABLES.task]: task.id,
        [WORKER_VARIABLES.epoch]: String(lease.epoch),
        [WORKER_VARIABLES.report]: deps.records.reportFile(record),
        [WORKER_VARIABLES.token]: record.token,
      },
      log,
    })
    exits.set(claimKey(lease), worker.wait)
    void worker.ended.then(() => deps.wake())
    deps.records.write({ ...record, mark: worker.mark })
    report.started.push({ task: task.id, assignee: profile, workspace, pid: worker.mark.pid })
    try {
      await deps.boards().started(lease, toIdentity(worker.mark))
    } catch (error) {
      if (!isLost(error)) throw error
      // A person took the task back, or the worker is done already: it ends itself, and is ended where it does not.
      const { mark } = worker
      const isOver = (await deps.boards().get(task.id)).status !== 'running'
      if (!isOver) await endWorker({ mark, token: record.token }, { graceMs: 0, clock: deps.clock })
    }
  }
}

interface Claim {
  readonly task: Task
  readonly run: TaskRun
  readonly lease: TaskLease
}
