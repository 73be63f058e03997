/** What of `gateway.db` several machines share. What was overheard in a group stays where it was. */
import type { SharedTableSet } from 'svc/sdk/store'
import { migrations } from './migrations.ts'

/** The scope in which the process that is connected to the account of a platform writes. */
export function getAccountScope(platform: string): string {
  return `account:${platform}`
}

const ofPlatform = "'account:' || row.platform"

export function sharedTables(file: string): SharedTableSet {
  return {
    name: 'gateway',
    file,
    migrations,
    tables: [
      { name: 'inbox', key: ['trace'], local: ['number'], scope: ofPlatform },
      { name: 'talks', key: ['talk'], scope: ofPlatform },
      {
        name: 'talk_sessions',
        key: ['session'],
        scope: "(SELECT 'account:' || platform FROM talks WHERE talk = row.talk)",
      },
      { name: 'cursors', key: ['platform', 'account'], scope: ofPlatform },
    ],
  }
}
