/** The tables of delegations in the shared store. */
import type { Selectable, StoreMigration } from 'svc/sdk/store'

export interface Tables {
  units: {
    id: string
    call_key: string
    /** The session whose turn delegated. */
    session: string
    mode: 'inline' | 'background'
    state: 'running' | 'finished' | 'told'
    /** `Unit` as JSON. */
    unit: string
    created_at: number
    ended_at: number | null
    stopped: number
    /** Counts the processes that had it. */
    epoch: number
    owner_host: string
    owner_pid: number
    owner_identity: string
    /** Tells two kernels of one process apart. */
    owner_nonce: string
    claimed_until: number
  }
  children: {
    unit: string
    place: number
    id: string
    session: string | null
    /** `ChildResult` as JSON, once it has ended. */
    result: string | null
  }
}

export type UnitRow = Selectable<Tables['units']>

export const migrations: StoreMigration[] = [
  async ({ db }) => {
    await db.schema
      .createTable('units')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('call_key', 'text', (column) => column.notNull().unique())
      .addColumn('session', 'text', (column) => column.notNull())
      .addColumn('mode', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('unit', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .addColumn('stopped', 'bigint', (column) => column.notNull())
      .addColumn('epoch', 'bigint', (column) => column.notNull())
      .addColumn('owner_host', 'text', (column) => column.notNull())
      .addColumn('owner_pid', 'bigint', (column) => column.notNull())
      .addColumn('owner_identity', 'text', (column) => column.notNull())
      .addColumn('owner_nonce', 'text', (column) => column.notNull())
      .addColumn('claimed_until', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('units_by_session').on('units').columns(['session', 'state']).execute()
    await db.schema.createIndex('units_by_state').on('units').columns(['state', 'created_at']).execute()
    await db.schema
      .createTable('children')
      .addColumn('unit', 'text', (column) => column.notNull())
      .addColumn('place', 'bigint', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('session', 'text')
      .addColumn('result', 'text')
      .addPrimaryKeyConstraint('children_by_place', ['unit', 'place'])
      .execute()
  },
]
