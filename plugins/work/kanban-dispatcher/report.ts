/** What a look at the boards has done, while it is written. */
import type { DispatchReport as Finished } from 'svc/sdk/kanban'

export type DispatchReport = { -readonly [K in keyof Finished]: Finished[K][number][] }

export type StartedTask = DispatchReport['started'][number]

export function newReport(): DispatchReport {
  return { promoted: [], started: [], ended: [], under_way: [], extended: [], skipped: [] }
}
