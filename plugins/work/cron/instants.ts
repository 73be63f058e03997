/** Writes the rows of due instants: one for each, however often and by how many processes they are looked for. */
import type { JobSchedule } from 'svc/sdk/jobs'
import type { StoreTransaction } from 'svc/sdk/store'
import { defaultGraceMs, judgeInstants } from './due.ts'
import type { CronTables, JobRow } from './migrations.ts'
import { newRun, toJob } from './rows.ts'
import type { Calendar } from './schedule.ts'
import { CHANGES, type Database } from './store.ts'

/** Rows of one transaction: others can write between two of them. */
const BATCH = 500

export interface Due {
  readonly database: Database
  readonly calendar: Calendar
  /** Whether this process can run the job: one of a plugin that is not loaded here is left to others. */
  isHere(id: string): boolean
}

/** Returns how many rows were written. */
export async function writeDueInstants(due: Due): Promise<number> {
  const { database, isHere } = due
  const now = await database.now()
  const jobs = await database.query
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', 'scheduled')
    .where('next_due_at', '<=', now)
    .orderBy('next_due_at')
    .execute()
  let count = 0
  for (const { id } of jobs) {
    if (!isHere(id)) continue
    for (let more = true; more; ) {
      const written = await database.transaction((tx) => writeBatch(due, tx, id, now))
      count += written.count
      more = written.more
    }
  }
  return count
}

async function writeBatch(
  { database, calendar }: Due,
  tx: StoreTransaction<CronTables>,
  id: string,
  now: number,
): Promise<{ readonly count: number; readonly more: boolean }> {
  const row = await tx.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
  if (row?.state !== 'scheduled' || row.next_due_at === null || row.next_due_at > now) return { count: 0, more: false }
  const schedule = JSON.parse(row.schedule) as JobSchedule
  const instants = calendar.between(schedule, row.next_due_at, now, BATCH)
  const next = calendar.nextAfter(schedule, instants.at(-1) ?? now)
  const isPart = next !== undefined && next <= now
  await insertRows(tx, row, await judge(tx, row, { calendar, instants, isPart, now }))
  const isOver = next === undefined && !(await hasOpenRun(tx, id))
  const changes = { next_due_at: next ?? null, ...(isOver && { state: 'completed' }) }
  await tx.updateTable('jobs').set(changes).where('id', '=', id).execute()
  await database.notify(CHANGES, id, tx)
  return { count: instants.length, more: isPart }
}

interface Judged {
  readonly calendar: Calendar
  readonly instants: readonly number[]
  readonly isPart: boolean
  readonly now: number
}

async function judge(tx: StoreTransaction<CronTables>, row: JobRow, { calendar, instants, isPart, now }: Judged) {
  const job = toJob(row)
  const open = await tx
    .selectFrom('runs')
    .select(['due_at', 'outcome'])
    .where('job_id', '=', row.id)
    .where('kind', '=', 'schedule')
    .where('outcome', 'in', ['queued', 'running'])
    .orderBy('due_at')
    .execute()
  const graceMs = job.graceMs ?? defaultGraceMs(job.schedule, instants.at(-1) ?? now, calendar)
  return judgeInstants({
    ...{ instants, isPart, now, graceMs },
    misfire: job.misfire,
    catchUp: job.catchUp,
    queued: open.flatMap(({ due_at, outcome }) => (outcome === 'queued' ? [due_at] : [])),
    isRunning: open.some(({ outcome }) => outcome === 'running'),
  })
}

async function insertRows(
  tx: StoreTransaction<CronTables>,
  { id }: JobRow,
  { rows, changed }: ReturnType<typeof judgeInstants>,
): Promise<void> {
  if (rows.length > 0) {
    const values = rows.map(({ dueAt, outcome, reason }) =>
      newRun({ job_id: id, due_at: dueAt, kind: 'schedule', outcome, reason: reason ?? null }),
    )
    // The key refuses a second row: it would mean that two processes judged one instant.
    await tx
      .insertInto('runs')
      .values(values)
      .onConflict((conflict) => conflict.columns(['job_id', 'due_at', 'kind']).doNothing())
      .execute()
  }
  for (const { dueAt, outcome } of changed)
    await tx
      .updateTable('runs')
      .set({ outcome })
      .where('job_id', '=', id)
      .where('due_at', '=', dueAt)
      .where('kind', '=', 'schedule')
      .where('outcome', '=', 'queued')
      .execute()
}

export async function hasOpenRun(tx: StoreTransaction<CronTables>, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('runs')
    .select('due_at')
    .where('job_id', '=', id)
    .where('outcome', 'in', ['queued', 'running'])
    .executeTakeFirst()
  return row !== undefined
}
