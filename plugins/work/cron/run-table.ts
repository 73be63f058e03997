/** Runs: claimed by one process at a time, which alone can write what becomes of them. */
import { SvcError } from 'svc/sdk'
import type { JobRun, JobRunStatus, JobSkipReason, ScheduledJob } from 'svc/sdk/jobs'
import type { StoreTransaction } from 'svc/sdk/store'
import { hasOpenRun } from './instants.ts'
import type { CronTables, RunRow } from './migrations.ts'
import { type RunPhase, toJob, toRun } from './rows.ts'
import { CHANGES, type CronStore, type Database } from './store.ts'

/** A run is left to others when its process has not prolonged it for so long. */
export const LEASE_MS = 60_000
const MAX_OUTPUT = 200_000

/** A run and the right to write it. */
export interface ClaimedRun {
  readonly run: JobRun
  readonly job: ScheduledJob
  /** Larger than that of every process which worked at it before. */
  readonly epoch: number
  /** How far the process before came; `claimed` for a new one. */
  readonly phase: RunPhase
  readonly input?: string
}

/** How a run ended. */
export type RunResult =
  | { readonly outcome: 'ran'; readonly status: JobRunStatus; readonly error?: string; readonly output?: string }
  | { readonly outcome: 'skipped'; readonly reason: JobSkipReason; readonly error?: string }

/** `alive` and `gone`: it is or was a process of this machine. `unknown`: only its lease tells whether it is at work. */
export type HolderState = 'alive' | 'gone' | 'unknown'

export interface ClaimQuestion {
  readonly limit: number
  /** This process. */
  readonly holder: string
  /** Runs of this process, by `runKey`. */
  readonly own: ReadonlySet<string>
  isHere(id: string): boolean
  /** What is known of the process of a holder. */
  judgeHolder(holder: string): HolderState
}

/** What was claimed, and whether there is more that can begin once something else has ended. */
export interface Claims {
  readonly claimed: readonly ClaimedRun[]
  readonly isWaiting: boolean
}

/** Enough to see whether a run can begin: the texts of a run may be long. */
const SEEN = ['job_id', 'due_at', 'kind', 'outcome', 'epoch', 'holder', 'lease_until'] as const
type SeenRun = Pick<RunRow, (typeof SEEN)[number]>

const rowKey = (row: SeenRun): string => `${row.job_id}:${row.due_at}:${row.kind}`

export const runKey = ({ jobId, dueAt, trigger }: Pick<JobRun, 'jobId' | 'dueAt' | 'trigger'>): string =>
  `${jobId}:${dueAt}:${trigger}`

export class RunTable {
  readonly #store: CronStore

  constructor(store: CronStore) {
    this.#store = store
  }

  /** Claims runs that no process has, the oldest first, and those whose process is gone. */
  async claim(question: ClaimQuestion): Promise<Claims> {
    const database = await this.#store.open()
    const now = await database.now()
    const open = database.query
      .selectFrom('runs')
      .select([...SEEN])
      .where('outcome', 'in', ['queued', 'running'])
    const rows = await open.orderBy('due_at').orderBy('job_id').limit(1000).execute()
    // One run of a job at a time, those by hand included.
    const busy = new Set(rows.filter(({ outcome }) => outcome === 'running').map((row) => row.job_id))
    const claimed: ClaimedRun[] = []
    let isWaiting = false
    for (const row of rows) {
      if (!question.isHere(row.job_id) || question.own.has(rowKey(row))) continue
      const mayBegin = row.outcome === 'queued' ? !busy.has(row.job_id) : !isHeld(row, question, now)
      const found =
        mayBegin && claimed.length < question.limit
          ? await database.transaction((tx) => claimRow(tx, row, question.holder, now))
          : undefined
      if (found) claimed.push(found)
      else isWaiting = true
      if (found) busy.add(row.job_id)
    }
    return { claimed, isWaiting }
  }

  /** Says how far it is, durably, before it goes on. Throws `CRON_RUN_LOST`. */
  async note(
    { run, epoch }: ClaimedRun,
    phase: RunPhase,
    facts: { readonly input?: string; readonly sessionId?: string; readonly output?: string } = {},
  ): Promise<void> {
    const database = await this.#store.open()
    await mustChange(database, run, epoch, {
      phase,
      ...(facts.input !== undefined && { input: facts.input }),
      ...(facts.sessionId !== undefined && { session_id: facts.sessionId }),
      ...(facts.output !== undefined && { output: facts.output.slice(0, MAX_OUTPUT) }),
    })
  }

  /** Prolongs the claim. Throws `CRON_RUN_LOST`. */
  async renew({ run, epoch }: ClaimedRun): Promise<void> {
    const database = await this.#store.open()
    await mustChange(database, run, epoch, { lease_until: (await database.now()) + LEASE_MS })
  }

  /** The final row of the instant, and what it means for its job. Throws `CRON_RUN_LOST`. */
  async finish(
    claimed: ClaimedRun,
    result: RunResult & { readonly costUsd?: number; readonly deliveryError?: string },
  ): Promise<JobRun> {
    const database = await this.#store.open()
    const { run, epoch } = claimed
    const now = await database.now()
    const ran = result.outcome === 'ran' ? result : undefined
    return database.transaction(async (tx) => {
      const changes: Partial<RunRow> = {
        outcome: result.outcome,
        reason: result.outcome === 'skipped' ? result.reason : null,
        status: ran?.status ?? null,
        error: result.error?.slice(0, 2000) ?? null,
        ...(ran?.output !== undefined && { output: ran.output.slice(0, MAX_OUTPUT) }),
        ...(result.deliveryError !== undefined && { delivery_error: result.deliveryError.slice(0, 2000) }),
        cost_usd: result.costUsd ?? null,
        ended_at: now,
        ...{ phase: null, input: null, holder: null, lease_until: null },
      }
      await mustChange({ query: tx }, run, epoch, changes)
      await countRun(tx, run)
      await database.notify(CHANGES, run.jobId, tx)
      const row = await ofRun(tx.selectFrom('runs').selectAll(), run).executeTakeFirstOrThrow()
      return toRun(row)
    })
  }

  /** Adds why a message of a run did not arrive; what is known already stays. */
  async noteDelivery(run: Pick<JobRun, 'jobId' | 'dueAt' | 'trigger'>, problem: string): Promise<void> {
    const database = await this.#store.open()
    await database.transaction(async (tx) => {
      const row = await ofRun(tx.selectFrom('runs').selectAll(), run).executeTakeFirst()
      if (!row || row.delivery_error?.includes(problem)) return
      const text = [row.delivery_error, problem].filter((each) => each !== null).join('; ')
      await ofRun(tx.updateTable('runs').set({ delivery_error: text.slice(0, 2000) }), run).execute()
    })
  }

  /** Puts back what was claimed and has not begun, for a process that ends. */
  async release({ run, epoch }: ClaimedRun): Promise<void> {
    const database = await this.#store.open()
    await mustChange(database, run, epoch, { outcome: 'queued', holder: null, lease_until: null, started_at: null })
  }

  /** The newest first. */
  async list(query: {
    readonly jobId?: string | undefined
    readonly outcomes?: readonly string[] | undefined
    readonly limit: number
  }): Promise<readonly JobRun[]> {
    const database = await this.#store.open()
    let select = database.query.selectFrom('runs').selectAll()
    if (query.jobId !== undefined) select = select.where('job_id', '=', query.jobId)
    if (query.outcomes) select = select.where('outcome', 'in', query.outcomes)
    const rows = await select.orderBy('due_at', 'desc').orderBy('job_id').limit(query.limit).execute()
    return rows.map(toRun)
  }

  async get(run: Pick<JobRun, 'jobId' | 'dueAt' | 'trigger'>): Promise<JobRun | undefined> {
    const database = await this.#store.open()
    const row = await ofRun(database.query.selectFrom('runs').selectAll(), run).executeTakeFirst()
    return row && toRun(row)
  }

  /** The job of the run that has this session. */
  async findJob(sessionId: string): Promise<string | undefined> {
    const database = await this.#store.open()
    const select = database.query.selectFrom('runs').select('job_id').where('session_id', '=', sessionId)
    return (await select.executeTakeFirst())?.job_id
  }

  /** Forgets rows of instants before a moment, and jobs that were removed before another. */
  async prune(before: { readonly runs: number; readonly removed: number }): Promise<void> {
    const database = await this.#store.open()
    await database.transaction(async (tx) => {
      const old = tx.deleteFrom('runs').where('outcome', 'not in', ['queued', 'running'])
      await old.where('due_at', '<', before.runs).execute()
      const gone = await tx
        .selectFrom('jobs')
        .select('id')
        .where('state', '=', 'removed')
        .where('updated_at', '<', before.removed)
        .execute()
      for (const { id } of gone) {
        await tx.deleteFrom('runs').where('job_id', '=', id).execute()
        await tx.deleteFrom('jobs').where('id', '=', id).execute()
      }
    })
  }
}

/** Held by a process that may be at work, or not for long enough without a sign of life. */
function isHeld(row: SeenRun, { judgeHolder }: ClaimQuestion, now: number): boolean {
  const state = row.holder === null ? 'unknown' : judgeHolder(row.holder)
  return state === 'unknown' ? (row.lease_until ?? 0) > now : state === 'alive'
}

/** Undefined when it is not to begin now. */
async function claimRow(
  tx: StoreTransaction<CronTables>,
  seen: SeenRun,
  holder: string,
  now: number,
): Promise<ClaimedRun | undefined> {
  const row = await ofRow(tx.selectFrom('runs').selectAll(), seen).executeTakeFirst()
  if (row?.outcome !== seen.outcome || row.epoch !== seen.epoch) return undefined
  const jobRow = await tx.selectFrom('jobs').selectAll().where('id', '=', row.job_id).executeTakeFirst()
  if (!jobRow) return undefined
  const job = toJob(jobRow)
  if (row.outcome === 'queued' && (await isBlocked(tx, row, job))) return undefined
  const epoch = row.epoch + 1
  const changes = {
    outcome: 'running',
    epoch,
    holder,
    lease_until: now + LEASE_MS,
    started_at: row.started_at ?? now,
    phase: row.phase ?? 'claimed',
  }
  await ofRow(tx.updateTable('runs').set(changes), row).execute()
  const run = toRun({ ...row, ...changes })
  const phase = changes.phase as RunPhase
  return { run, job, epoch, phase, ...(row.input !== null && { input: row.input }) }
}

/** Others are at work for this job, or those that it takes its context from are not done. */
async function isBlocked(tx: StoreTransaction<CronTables>, row: RunRow, job: ScheduledJob): Promise<boolean> {
  const running = await tx
    .selectFrom('runs')
    .select('due_at')
    .where('job_id', '=', row.job_id)
    .where('outcome', '=', 'running')
    .executeTakeFirst()
  if (running) return true
  if (job.contextFrom.length === 0) return false
  const before = await tx
    .selectFrom('runs')
    .select('due_at')
    .where('job_id', 'in', [...job.contextFrom])
    .where('outcome', 'in', ['queued', 'running'])
    .where('due_at', '<=', row.due_at)
    .executeTakeFirst()
  return before !== undefined
}

/** Completes the job when it has run as often as it was to, or when nothing more is due. */
async function countRun(tx: StoreTransaction<CronTables>, run: JobRun): Promise<void> {
  const row = await tx.selectFrom('jobs').selectAll().where('id', '=', run.jobId).executeTakeFirst()
  if (!row) return
  const { repeat } = toJob(row)
  const count = row.run_count + (run.trigger === 'schedule' ? 1 : 0)
  const isDone = repeat !== undefined && count >= repeat
  if (isDone)
    await tx
      .updateTable('runs')
      .set({ outcome: 'expired' })
      .where('job_id', '=', row.id)
      .where('outcome', '=', 'queued')
      .where('kind', '=', 'schedule')
      .execute()
  const isOver = row.state === 'scheduled' && (isDone || (row.next_due_at === null && !(await hasOpenRun(tx, row.id))))
  const changes = { run_count: count, ...(isOver && { state: 'completed', next_due_at: null }) }
  await tx.updateTable('jobs').set(changes).where('id', '=', row.id).execute()
}

interface Filtered<Query> {
  where(column: 'job_id' | 'kind', is: '=', value: string): Query
  where(column: 'due_at', is: '=', value: number): Query
}

function ofRun<Query extends Filtered<Query>>(query: Query, run: Pick<JobRun, 'jobId' | 'dueAt' | 'trigger'>): Query {
  return query.where('job_id', '=', run.jobId).where('due_at', '=', run.dueAt).where('kind', '=', run.trigger)
}

const ofRow = <Query extends Filtered<Query>>(query: Query, row: SeenRun): Query =>
  query.where('job_id', '=', row.job_id).where('due_at', '=', row.due_at).where('kind', '=', row.kind)

/** Throws `CRON_RUN_LOST` when another process has the run, or has ended it. */
async function mustChange(
  { query }: Pick<Database, 'query'>,
  run: JobRun,
  epoch: number,
  changes: Partial<RunRow>,
): Promise<void> {
  const [result] = await query
    .updateTable('runs')
    .set(changes)
    .where('job_id', '=', run.jobId)
    .where('due_at', '=', run.dueAt)
    .where('kind', '=', run.trigger)
    .where('outcome', '=', 'running')
    .where('epoch', '=', epoch)
    .execute()
  if (Number(result?.numUpdatedRows ?? 0) === 1) return
  throw new SvcError('CRON_RUN_LOST', `The run of ${run.jobId} was taken over by another process.`, { status: 409 })
}
