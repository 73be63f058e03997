/** All labels are shared: of two for one message the later one counts. */
import type { SharedTableSet } from 'svc/sdk/store'
import { migrations } from './store.ts'

export function sharedTables(file: string): SharedTableSet {
  return {
    name: 'session-tree',
    file,
    migrations,
    tables: [{ name: 'labels', key: ['session', 'at'], scope: "'label:' || row.session || ':' || row.at" }],
  }
}
