/** Calls are shared, so that caps are those of all machines. Each is written by the process that makes it. */
import type { SharedTableSet } from 'svc/sdk/store'
import { migrations } from './migrations.ts'

/** The scope of the process that reserves. No row is in it. */
export const BUDGET_SCOPE = 'budget:'

export function sharedTables(file: string): SharedTableSet {
  return {
    name: 'budgets',
    file,
    migrations,
    // The number is the order in which calls came to be known here.
    tables: [{ name: 'calls', key: ['uid'], local: ['id'], scope: "'call:' || row.uid" }],
  }
}
