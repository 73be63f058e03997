/** Tables of jobs and of their due instants. */
import type { StoreMigration } from 'svc/sdk/store'

export interface JobRow {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly reason: string | null
  /** JSON of `JobSchedule` and of `JobSettings`. */
  readonly schedule: string
  readonly settings: string
  readonly next_due_at: number | null
  readonly run_count: number
  readonly created_at: number
  readonly updated_at: number
}

export interface RunRow {
  readonly job_id: string
  readonly due_at: number
  readonly kind: string
  readonly outcome: string
  readonly reason: string | null
  readonly status: string | null
  readonly error: string | null
  readonly output: string | null
  readonly delivery_error: string | null
  readonly session_id: string | null
  /** How far it is, while it runs: see `RunPhase`. */
  readonly phase: string | null
  /** What the model is told. */
  readonly input: string | null
  readonly holder: string | null
  readonly epoch: number
  readonly lease_until: number | null
  readonly started_at: number | null
  readonly ended_at: number | null
  readonly cost_usd: number | null
}

/** One row, which tells when a gateway last looked. */
export interface TickRow {
  readonly id: number
  readonly at: number
}

export interface CronTables {
  jobs: JobRow
  runs: RunRow
  ticks: TickRow
}

export const migrations: readonly StoreMigration[] = [
  async ({ db }) => {
    await db.schema
      .createTable('jobs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('schedule', 'text', (column) => column.notNull())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('next_due_at', 'bigint')
      .addColumn('run_count', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('jobs_due').on('jobs').columns(['next_due_at']).execute()
    await db.schema
      .createTable('runs')
      .addColumn('job_id', 'text', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('status', 'text')
      .addColumn('error', 'text')
      .addColumn('output', 'text')
      .addColumn('delivery_error', 'text')
      .addColumn('session_id', 'text')
      .addColumn('phase', 'text')
      .addColumn('input', 'text')
      .addColumn('holder', 'text')
      .addColumn('epoch', 'bigint', (column) => column.notNull())
      .addColumn('lease_until', 'bigint')
      .addColumn('started_at', 'bigint')
      .addColumn('ended_at', 'bigint')
      .addColumn('cost_usd', 'double precision')
      .addPrimaryKeyConstraint('runs_key', ['job_id', 'due_at', 'kind'])
      .execute()
    await db.schema.createIndex('runs_open').on('runs').columns(['outcome', 'due_at']).execute()
    await db.schema
      .createTable('ticks')
      .addColumn('id', 'bigint', (column) => column.primaryKey())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .execute()
  },
]
