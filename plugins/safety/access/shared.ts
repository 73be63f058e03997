/** What of `access.db` several machines share: who may write, and who asked to. */
import type { SharedTableSet } from 'svc/sdk/store'
import { migrations } from './store.ts'

const ofPerson = "'access:' || row.platform || ':' || row.user"

export function sharedTables(file: string): SharedTableSet {
  return {
    name: 'access',
    file,
    migrations,
    tables: [
      { name: 'requests', key: ['platform', 'user'], scope: ofPerson },
      { name: 'asked', key: ['platform', 'user'], scope: ofPerson },
      { name: 'pairings', key: ['platform', 'user'], scope: ofPerson },
      { name: 'mistakes', key: ['platform'], scope: "'access:' || row.platform" },
    ],
  }
}
