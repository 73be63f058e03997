/** Jobs: made, found, changed. */
import { createHash } from 'node:crypto'
import type { PluginContext } from 'svc/sdk'
import { Config, Random, SvcError } from 'svc/sdk'
import type { JobChanges, JobSchedule, JobSettings, JobState, NewJob, ScheduledJob } from 'svc/sdk/jobs'
import type { StoreTransaction } from 'svc/sdk/store'
import { checkSettings } from './job-input.ts'
import { readModel, withModel } from './job-model.ts'
import type { CronTables, JobRow } from './migrations.ts'
import type { PluginJobRow } from './plugin-jobs.ts'
import { defaultSettings, newRun, toJob } from './rows.ts'
import type { Calendar } from './schedule.ts'
import { CHANGES, type CronStore, type Database } from './store.ts'

const NAME_LENGTH = 60
/** The clock of those that ask for a run may be ahead by so much. */
const AHEAD_MS = 60_000
/** A removed job can be restored for so long. */
export const REMOVED_MS = 30 * 86_400_000

export interface JobTableDeps {
  readonly store: CronStore
  readonly ctx: Pick<PluginContext<unknown>, 'use'>
  calendar(): Promise<Calendar>
}

export class JobTable {
  readonly #deps: JobTableDeps

  constructor(deps: JobTableDeps) {
    this.#deps = deps
  }

  async create(given: NewJob): Promise<ScheduledJob> {
    const { schedule, name, key, ...settings } = given
    const checked = this.#withModel(checkSettings({ ...defaultSettings, ...withoutUndefined(settings) }))
    const database = await this.#deps.store.open()
    const now = await database.now()
    const row: JobRow = {
      id: key === undefined ? this.#deps.ctx.use(Random).hex(6) : toId(key),
      name: checkName(name) ?? makeName(checked.prompt || checked.script || ''),
      state: 'scheduled',
      reason: null,
      schedule: JSON.stringify(schedule),
      settings: JSON.stringify(checked),
      next_due_at: await this.#nextAfter(schedule, now),
      run_count: 0,
      created_at: now,
      updated_at: now,
    }
    return database.transaction(async (tx) => {
      const known = key !== undefined && (await tx.selectFrom('jobs').selectAll().where('id', '=', row.id).execute())[0]
      if (known) return toJob(known)
      await checkChain(tx, row.id, checked.contextFrom)
      await tx.insertInto('jobs').values(row).execute()
      await database.notify(CHANGES, row.id, tx)
      return toJob(row)
    })
  }

  /** By the next due instant, those without one last. */
  async list(options: { readonly all?: boolean }): Promise<readonly ScheduledJob[]> {
    const database = await this.#deps.store.open()
    const states: JobState[] = options.all ? ['scheduled', 'paused', 'completed', 'removed'] : ['scheduled', 'paused']
    const rows = await database.query.selectFrom('jobs').selectAll().where('state', 'in', states).execute()
    const due = (row: JobRow) => (row.state === 'scheduled' ? (row.next_due_at ?? Infinity) : Infinity)
    return rows
      .toSorted(
        (one, other) => (due(one) === due(other) ? 0 : due(one) - due(other)) || one.created_at - other.created_at,
      )
      .map(toJob)
  }

  async get(given: string): Promise<ScheduledJob> {
    const database = await this.#deps.store.open()
    return toJob(await findJob(database.query as StoreTransaction<CronTables>, given))
  }

  /** By its whole id. */
  async find(id: string): Promise<ScheduledJob | undefined> {
    const database = await this.#deps.store.open()
    const row = await database.query.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
    return row && toJob(row)
  }

  async edit(given: string, { name, schedule, ...changes }: JobChanges): Promise<ScheduledJob> {
    const now = await (await this.#deps.store.open()).now()
    const next = schedule && (await this.#nextAfter(schedule, now))
    const calendar = await this.#deps.calendar()
    return this.change(given, async (tx, row) => {
      if (row.state === 'removed') throw refused(row, 'was removed; restore it first')
      if (row.id.startsWith('plugin:')) throw refused(row, 'belongs to a plugin; it can only be paused')
      const before = toJob(row)
      const settings = this.#withModel(
        checkSettings({ ...defaultSettings, ...JSON.parse(row.settings), ...withoutNull(changes) }),
      )
      await checkChain(tx, row.id, settings.contextFrom)
      const isOpen = before.state === 'completed' && (schedule !== undefined || settings.repeat === undefined)
      const due = next ?? (isOpen ? (calendar.nextAfter(before.schedule, now) ?? null) : row.next_due_at)
      return {
        name: checkName(name) ?? row.name,
        settings: JSON.stringify(settings),
        ...(schedule && { schedule: JSON.stringify(schedule) }),
        next_due_at: due,
        ...(isOpen && due !== null && { state: 'scheduled', run_count: 0 }),
      }
    })
  }

  pause(given: string, reason: string | undefined): Promise<ScheduledJob> {
    return this.change(given, async (tx, row) => {
      if (row.state === 'paused') return {}
      if (row.state !== 'scheduled') throw refused(row, `is ${row.state}`)
      await skipQueued(tx, row.id, 'paused')
      return { state: 'paused', reason: reason?.slice(0, 500) ?? null, next_due_at: null }
    })
  }

  async resume(given: string): Promise<ScheduledJob> {
    const calendar = await this.#deps.calendar()
    return this.change(given, async (_, row, now) => {
      // Who resumes it agrees to the model that there is now. A job of a plugin has none.
      const isOwn = !row.id.startsWith('plugin:')
      const settings = isOwn
        ? { settings: JSON.stringify(this.#withModel(JSON.parse(row.settings) as JobSettings)) }
        : { settings: row.settings }
      if (row.state === 'scheduled') return settings.settings === row.settings ? {} : settings
      if (row.state !== 'paused') throw refused(row, `is ${row.state}`)
      return { ...afresh(row, calendar, now), ...settings }
    })
  }

  remove(given: string): Promise<ScheduledJob> {
    return this.change(given, async (tx, row) => {
      if (row.id.startsWith('plugin:')) throw refused(row, 'belongs to a plugin; pause it, or switch the plugin off')
      await skipQueued(tx, row.id, 'removed')
      return { state: 'removed', next_due_at: null }
    })
  }

  async restore(given: string): Promise<ScheduledJob> {
    const calendar = await this.#deps.calendar()
    return this.change(given, async (_, row, now) => {
      if (row.state !== 'removed') throw refused(row, 'was not removed')
      return afresh(row, calendar, now)
    })
  }

  /** A run besides those of the schedule: for this moment, or for `at`, which has one at most. */
  async trigger(given: string, at?: number): Promise<{ readonly id: string; readonly dueAt: number }> {
    let dueAt = 0
    const job = await this.change(given, async (tx, row, now) => {
      if (row.state === 'removed') throw refused(row, 'was removed; restore it first')
      if (at !== undefined) {
        dueAt = checkMoment(at, now)
        if (await hasRun(tx, row.id, dueAt)) return {}
      }
      const { last } = await tx
        .selectFrom('runs')
        .select((each) => each.fn.max('due_at').as('last'))
        .where('job_id', '=', row.id)
        .where('kind', '=', 'manual')
        .executeTakeFirstOrThrow()
      if (at === undefined) dueAt = Math.max(now, (last ?? 0) + 1)
      await tx
        .insertInto('runs')
        .values(newRun({ job_id: row.id, due_at: dueAt, kind: 'manual', outcome: 'queued' }))
        .execute()
      return {}
    })
    return { id: job.id, dueAt }
  }

  /** Jobs that plugins have now: made, and changed where their plugin changed them. A person's pause stays. */
  async adopt(jobs: readonly PluginJobRow[]): Promise<void> {
    const database = await this.#deps.store.open()
    const known = await database.query.selectFrom('jobs').selectAll().where('id', 'like', 'plugin:%').execute()
    const now = await database.now()
    for (const job of jobs) {
      if (known.some((row) => row.id === job.id && isSamePluginJob(row, job))) continue
      const next = await this.#nextAfter(job.schedule, now)
      await database.transaction((tx) => adoptJob(tx, { job, next, now }))
    }
  }

  /** Changes one row in a transaction; nothing is written where nothing changes. */
  async change(
    given: string,
    work: (tx: StoreTransaction<CronTables>, row: JobRow, now: number) => Promise<Partial<JobRow>>,
  ): Promise<ScheduledJob> {
    const database: Database = await this.#deps.store.open()
    const now = await database.now()
    return database.transaction(async (tx) => {
      const row = await findJob(tx, given)
      const changes = await work(tx, row, now)
      await database.notify(CHANGES, row.id, tx)
      if (Object.keys(changes).length === 0) return toJob(row)
      const changed = { ...row, ...changes, updated_at: now }
      await tx
        .updateTable('jobs')
        .set({ ...changes, updated_at: now })
        .where('id', '=', row.id)
        .execute()
      return toJob(changed)
    })
  }

  #withModel(settings: JobSettings): JobSettings {
    return withModel(settings, readModel(this.#deps.ctx.use(Config)))
  }

  /** Throws `CRON_NEVER`. */
  async #nextAfter(schedule: JobSchedule, now: number): Promise<number> {
    const next = (await this.#deps.calendar()).nextAfter(schedule, now)
    if (next !== undefined) return next
    throw new SvcError('CRON_NEVER', 'Nothing would ever run: the schedule is never due from now on.', { status: 400 })
  }
}

async function adoptJob(
  tx: StoreTransaction<CronTables>,
  { job, next, now }: { readonly job: PluginJobRow; readonly next: number; readonly now: number },
): Promise<void> {
  const { id, name, schedule, settings } = job
  const row = await tx.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
  const texts = { name, settings: JSON.stringify(settings), updated_at: now }
  const times = { schedule: JSON.stringify(schedule), next_due_at: row && row.state !== 'scheduled' ? null : next }
  if (!row) {
    const own = { id, state: 'scheduled', reason: null, run_count: 0, created_at: now }
    await tx
      .insertInto('jobs')
      .values({ ...own, ...texts, ...times })
      .execute()
  } else {
    const changes = isSameSchedule(JSON.parse(row.schedule), schedule) ? texts : { ...texts, ...times }
    await tx.updateTable('jobs').set(changes).where('id', '=', id).execute()
  }
}

function isSamePluginJob(row: JobRow, { name, schedule, settings }: PluginJobRow): boolean {
  const isSame = row.name === name && row.settings === JSON.stringify(settings)
  return isSame && isSameSchedule(JSON.parse(row.schedule), schedule)
}

/** An interval is the same wherever it counts from. */
function isSameSchedule(one: JobSchedule, other: JobSchedule): boolean {
  if (one.kind === 'every' && other.kind === 'every') return one.everyMs === other.everyMs
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Due from now on; completed where nothing comes any more. */
function afresh(row: JobRow, calendar: Calendar, now: number): Partial<JobRow> {
  const next = calendar.nextAfter(JSON.parse(row.schedule) as JobSchedule, now)
  const { repeat } = toJob(row)
  const isOver = next === undefined || (repeat !== undefined && row.run_count >= repeat)
  return { state: isOver ? 'completed' : 'scheduled', reason: null, next_due_at: isOver ? null : next }
}

/** By id, by the beginning of an id, or by name. Throws `CRON_UNKNOWN` and `CRON_AMBIGUOUS`. */
async function findJob(tx: StoreTransaction<CronTables>, given: string): Promise<JobRow> {
  const text = given.trim()
  const exact = await tx.selectFrom('jobs').selectAll().where('id', '=', text).executeTakeFirst()
  if (exact) return exact
  const all = await tx.selectFrom('jobs').selectAll().execute()
  const [alive, gone] = [all.filter(({ state }) => state !== 'removed'), all.filter(({ state }) => state === 'removed')]
  const forms: ((row: JobRow) => boolean)[] = [
    ({ name }) => name === text,
    ({ name }) => name.toLowerCase() === text.toLowerCase(),
    ({ id }) => text.length >= 4 && id.startsWith(text),
  ]
  for (const rows of [alive, gone])
    for (const fits of forms) {
      const found = rows.filter(fits)
      if (found.length === 1 && found[0]) return found[0]
      if (found.length > 1) {
        const ids = found.map(({ id }) => id).join(', ')
        throw new SvcError('CRON_AMBIGUOUS', `Several jobs are called "${text.slice(0, 60)}": ${ids}.`, { status: 409 })
      }
    }
  throw new SvcError('CRON_UNKNOWN', `There is no job "${text.slice(0, 60)}".`, { status: 404 })
}

async function hasRun(tx: StoreTransaction<CronTables>, id: string, dueAt: number): Promise<boolean> {
  const rows = tx.selectFrom('runs').select('due_at').where('job_id', '=', id).where('kind', '=', 'manual')
  return (await rows.where('due_at', '=', dueAt).executeTakeFirst()) !== undefined
}

function checkMoment(at: number, now: number): number {
  if (Number.isSafeInteger(at) && at > 0 && at <= now + AHEAD_MS) return at
  throw new SvcError('CRON_INPUT', 'The moment of a run is a whole number of milliseconds, and not in the future.', {
    status: 400,
    param: 'at',
  })
}

/** 12 hexadecimal digits, as those that are drawn. */
function toId(key: string): string {
  if (key.length >= 1 && key.length <= 200) return createHash('sha256').update(key).digest('hex').slice(0, 12)
  throw new SvcError('CRON_INPUT', 'The key of a job has 1 to 200 characters.', { status: 400, param: 'key' })
}

async function skipQueued(tx: StoreTransaction<CronTables>, id: string, reason: 'paused' | 'removed'): Promise<void> {
  await tx
    .updateTable('runs')
    .set({ outcome: 'skipped', reason })
    .where('job_id', '=', id)
    .where('outcome', '=', 'queued')
    .execute()
}

/** Throws `CRON_INPUT` for jobs that are not there, and for a job that would wait for itself. */
async function checkChain(tx: StoreTransaction<CronTables>, id: string, from: readonly string[]): Promise<void> {
  const waiting = [...from]
  const seen = new Set<string>()
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at === id) throw new SvcError('CRON_INPUT', 'A job cannot wait for its own output.', { status: 400 })
    if (seen.has(at)) continue
    seen.add(at)
    const row = await tx.selectFrom('jobs').selectAll().where('id', '=', at).executeTakeFirst()
    if (!row) throw new SvcError('CRON_INPUT', `There is no job with the id ${at.slice(0, 60)}.`, { status: 400 })
    waiting.push(...toJob(row).contextFrom)
  }
}

function refused(row: JobRow, why: string): SvcError {
  return new SvcError('CRON_REFUSED', `The job ${row.name} ${why}.`, { status: 409 })
}

function checkName(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const line = name.replaceAll(/\s+/g, ' ').trim()
  if (line !== '' && line.length <= 200) return line
  throw new SvcError('CRON_INPUT', 'The name of a job has 1 to 200 characters.', { status: 400, param: 'name' })
}

function makeName(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return [...line].length > NAME_LENGTH ? `${[...line].slice(0, NAME_LENGTH - 1).join('')}…` : line || 'job'
}

function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T
}

/** Undefined stays as it is, null is left out. */
function withoutNull(changes: object): object {
  return Object.fromEntries(
    Object.entries(changes).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value === null ? undefined : value]],
    ),
  )
}
