/** What of `gateway.db` several machines share. */
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
      { name: 'marks', key: ['platform', 'chat', 'message'], scope: ACCOUNT_SCOPE_SQL },
      { name: 'overheard', key: ['number'], scope: "'account:' || json_extract(row.place, '$[0]')" },
    ],
    // Numbers say what was heard first, and up to where it was told: each file counted from one.
    prepare(database, base) {
      database.prepare('UPDATE overheard SET number = number + ?').run(base)
      database.prepare("UPDATE cursors SET value = value + ? WHERE platform = 'overheard'").run(base)
    },
  }
}
