/** How a dispatcher and a worker process of the kanban board meet: by variables, an exit code, and a report in a file. */

/**
 * Environment variables that a dispatcher gives to a worker. `SVC_KANBAN_TASK` and `SVC_KANBAN_EPOCH` name the claim;
 * `SVC_KANBAN_REPORT` the file that the worker may write its report into; `SVC_KANBAN_RUN` is another text in each claim, by
 * which all that the worker starts can be found: its name must not look like that of a secret, which commands do not get.
 * @since 0.2
 */
export const WORKER_VARIABLES = {
  task: 'SVC_KANBAN_TASK',
  epoch: 'SVC_KANBAN_EPOCH',
  report: 'SVC_KANBAN_REPORT',
  token: 'SVC_KANBAN_RUN',
} as const

/**
 * The exit code of a worker whose model service refused it for a while. It counts no failure.
 * Source: `EX_TEMPFAIL` of sysexits(3).
 * @since 0.2
 */
export const RATE_LIMIT_EXIT = 75

/** What a worker leaves when it ends by itself: its parent may have ended before, with whom its exit code is lost. As JSON in a file. @since 0.2 */
export interface WorkerReport {
  readonly exitCode: number
  /** One line for people. */
  readonly error?: string
}

/** Undefined for a text that is no report, such as a file that was cut. @since 0.2 */
export function parseWorkerReport(text: string): WorkerReport | undefined {
  try {
    const { exitCode, error } = (JSON.parse(text) ?? {}) as Partial<Record<keyof WorkerReport, unknown>>
    if (!Number.isInteger(exitCode)) return undefined
    return { exitCode: exitCode as number, ...(typeof error === 'string' && { error }) }
  } catch {
    return undefined
  }
}
