/** What of `gateway.db` several machines share. What was overheard in a group stays where it was. */
import { ACCOUNT_SCOPE_SQL, type SharedTableSet } from 'svc/sdk/store'
import { migrations } from './migrations.ts'

export function sharedTables(file: string): SharedTableSet {
  return {
    name: 'gateway',
    file,
    migrations,
    tables: [
      { name: 'inbox', key: ['trace'], local: ['number'], scope: ACCOUNT_SCOPE_SQL },
      { name: 'talks', key: ['talk'], scope: ACCOUNT_SCOPE_SQL },
      {
        name: 'talk_sessions',
        key: ['session'],
        scope: "(SELECT 'account:' || platform FROM talks WHERE talk = row.talk)",
      },
      { name: 'cursors', key: ['platform', 'account'], scope: ACCOUNT_SCOPE_SQL },
    ],
  }
}
