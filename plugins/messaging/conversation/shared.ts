/** Messages that wait are those of the process in which they were typed; when it has ended, those of the process that continues them. */
import type { SharedTableSet } from 'svc/sdk/store'
import { migrations } from './migrations.ts'

/** The scope of what waits in one process. */
export function getWaitingScope(owner: string): string {
  return `waiting:${owner}`
}

export function sharedTables(file: string): SharedTableSet {
  return {
    name: 'conversation',
    file,
    migrations,
    tables: [{ name: 'waiting', key: ['number'], scope: "'waiting:' || row.owner", where: 'row.owner IS NOT NULL' }],
  }
}
