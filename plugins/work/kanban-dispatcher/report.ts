/** What a look at the boards has done. */
import type { RunOutcome } from 'svc/sdk/kanban'

export interface DispatchReport {
  /** Ids of tasks that became ready. */
  promoted: string[]
  started: StartedTask[]
  /** Runs that were ended, and those whose task was completed after its checks. */
  ended: { readonly task: string; readonly outcome: RunOutcome; readonly error?: string }[]
  /** Tasks whose checks are being looked at, or whose worker is being ended. */
  under_way: string[]
  /** Leases that were prolonged because their worker lives. */
  extended: string[]
  /** Ready tasks that were not started. */
  skipped: { readonly task: string; readonly reason: string }[]
}

export interface StartedTask {
  readonly task: string
  readonly assignee: string
  readonly workspace?: string
  readonly pid?: number
}

export function newReport(): DispatchReport {
  return { promoted: [], started: [], ended: [], under_way: [], extended: [], skipped: [] }
}
