/** What the parts of a dispatcher share. */
import type { Clock, Logger, Random } from 'svc/sdk'
import type { Boards, RunEnd, Task, TaskRun } from 'svc/sdk/kanban'
import type { CheckDeps } from './checks.ts'
import type { Config } from './config.ts'
import type { WorkerFolders } from './folders.ts'
import type { ProfileList } from './profile-list.ts'
import type { WorkerRecords } from './records.ts'
import type { DispatchReport } from './report.ts'
import type { ProgramEnd } from './run-program.ts'
import type { WorkerExit } from './worker-process.ts'

export interface DispatcherDeps {
  readonly boards: () => Boards
  readonly records: WorkerRecords
  readonly folders: WorkerFolders
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly config: () => Config
  readonly profiles: ProfileList
  /** The program that workers are, up to its options. */
  readonly program: () => readonly string[]
  readonly git: (args: readonly string[], cwd: string) => Promise<ProgramEnd>
  readonly checks: () => CheckDeps
  /** Something happened that a look should see. */
  readonly wake: () => void
  readonly signal: AbortSignal
}

/** What the parts of a look share. */
export interface DispatchState {
  readonly deps: DispatcherDeps
  /** Ends of workers that this process started, by claim. */
  readonly exits: Map<string, () => Promise<WorkerExit>>
  /** What goes on beside the looks, by claim. */
  readonly works: Map<string, Promise<void>>
  /** Claims whose worker is being started. */
  readonly starting: Set<string>
  /** What ended beside the looks and is not in a report yet. */
  readonly late: DispatchReport['ended']
  /** Until when nothing is started for a profile, by the monotonic clock. */
  readonly pauses: Map<string, number>
}

/** The key of a claim. */
export function claimKey({ taskId, epoch }: { readonly taskId: string; readonly epoch: number }): string {
  return `${taskId}.${epoch}`
}

/** Ends a run unless its task has gone on meanwhile. Returns whether it was ended. */
export async function endRun(
  { deps }: Pick<DispatchState, 'deps'>,
  run: Pick<TaskRun, 'taskId' | 'epoch'>,
  end: RunEnd,
  report: Pick<DispatchReport, 'ended'>,
): Promise<Task | undefined> {
  try {
    const task = await deps.boards().endRun(run, { failureLimit: deps.config().failure_limit, ...end })
    const { outcome, error } = end
    report.ended.push({ task: run.taskId, outcome, ...(error !== undefined && { error }) })
    deps.log.info('a run was ended', { task: run.taskId, epoch: run.epoch, outcome, error })
    return task
  } catch (error) {
    if (isLost(error)) return undefined
    throw error
  }
}

/** The task is with another worker now, or over: what was to be done about its run is not needed any more. */
export function isLost(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return code === 'KANBAN_LEASE_LOST' || code === 'KANBAN_TASK_UNKNOWN'
}
