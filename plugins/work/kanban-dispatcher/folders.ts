/** Where files of workers are. All profiles share them, as they share the boards. */
import { join } from 'node:path'
import type { Home } from 'svc/sdk'

/** Absolute paths. */
export interface WorkerFolders {
  /** Tools may read and write here, as nowhere else in the home. */
  readonly workspaces: string
  readonly logs: string
  /** What tells a later dispatcher of workers; closed to tools. */
  readonly records: string
}

export function findFolders({ root }: Pick<Home, 'root'>): WorkerFolders {
  return {
    workspaces: join(root, 'workspace', 'kanban'),
    logs: join(root, 'logs', 'kanban'),
    records: join(root, 'data', 'kanban-dispatcher', 'workers'),
  }
}
