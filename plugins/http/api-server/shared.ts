/** Keys of requests are those of all machines; responses, runs and whose sessions they are stay where they were made. */
import type { SharedTableSet } from 'svc/sdk/store'
import { migrations } from './migrations.ts'

/** The scope of the process that works on the request with this key. */
export function getRequestScope(key: string): string {
  return `request:${key}`
}

export function sharedTables(file: string): SharedTableSet {
  return {
    name: 'api-server',
    file,
    migrations,
    tables: [{ name: 'requests', key: ['key'], scope: "'request:' || row.key" }],
  }
}
