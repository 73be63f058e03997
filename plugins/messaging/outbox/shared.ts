/** What of `outbox.db` several machines share. Copies of attached files stay where they are. */
import type { SharedTableSet } from 'svc/sdk/store'
import { migrations } from './migrations.ts'

/** The scope in which the process that is connected to the account of a platform writes. */
export function getAccountScope(platform: string): string {
  return `account:${platform}`
}

const ofPlatform = "'account:' || row.platform"

/** Messages may be posted everywhere: the process that is connected to the platform sends them. */
export function sharedTables(file: string): SharedTableSet {
  return {
    name: 'outbox',
    file,
    migrations,
    tables: [
      { name: 'messages', key: ['key'], local: ['number'], scope: ofPlatform, isOpen: true },
      {
        name: 'parts',
        key: ['message', 'part'],
        references: { message: { table: 'messages', number: 'number', key: 'key' } },
        scope: ofPlatform,
        isOpen: true,
      },
      { name: 'destinations', key: ['target'], scope: ofPlatform, isOpen: true },
    ],
  }
}
