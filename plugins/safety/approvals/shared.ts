/**
 * Standing answers are shared, but those for a folder: on another machine it may be another project. What is being asked is
 * asked where it came up.
 */
import type { SqlValue } from 'svc/sdk/storage'
import type { SharedTableSet } from 'svc/sdk/store'
import { type ApprovalStore, migrations } from './store.ts'

export function sharedTables(file: string, store: Pick<ApprovalStore, 'isSealed' | 'seal'>): SharedTableSet {
  return {
    name: 'approvals',
    file,
    migrations,
    tables: [
      {
        name: 'standing',
        key: ['scope', 'holder', 'subject'],
        scope: "'grant:' || row.scope || ':' || row.holder || ':' || row.subject",
        where: "row.scope <> 'project'",
        // Each home has a key of its own.
        seal: {
          holds: (row) => store.isSealed(row),
          renew: (row: Readonly<Record<string, SqlValue>>) => ({ ...row, seal: store.seal(row) }),
        },
      },
    ],
  }
}
