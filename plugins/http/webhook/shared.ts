/** Events that were taken and answers that were delivered: the gateway that has the account of this platform next is not to repeat them. */
import { getAccountScope, type SharedTableSet } from 'svc/sdk/store'
import { migrations } from './store.ts'

const scope = `'${getAccountScope('webhook')}'`

export function sharedTables(file: string): SharedTableSet {
  return {
    name: 'webhook',
    file,
    migrations,
    tables: [
      { name: 'events', key: ['route', 'id'], scope },
      { name: 'receipts', key: ['key'], scope },
    ],
  }
}
