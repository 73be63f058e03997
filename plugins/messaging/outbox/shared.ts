/** What of `outbox.db` several machines share. Copies of attached files stay where they are. */
import { ACCOUNT_SCOPE_SQL, type SharedTableSet } from 'svc/sdk/store'
import { migrations } from './migrations.ts'

/** Messages may be posted everywhere: the process that is connected to the platform sends them. */
export function sharedTables(file: string): SharedTableSet {
  return {
    name: 'outbox',
    file,
    migrations,
    tables: [
      { name: 'messages', key: ['key'], local: ['number'], scope: ACCOUNT_SCOPE_SQL, isOpen: true },
      {
        name: 'parts',
        key: ['message', 'part'],
        references: { message: { table: 'messages', number: 'number', key: 'key' } },
        scope: ACCOUNT_SCOPE_SQL,
        isOpen: true,
      },
      { name: 'destinations', key: ['target'], scope: ACCOUNT_SCOPE_SQL, isOpen: true },
    ],
  }
}
