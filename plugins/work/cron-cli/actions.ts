/** What the subcommands of `svc cron` do. */
import { type CliArguments, type CliContext, confirmCommand, errorCode, SvcError } from 'svc/sdk'
import type { CronJobs, JobChanges, JobOutcome, JobSuggestion, NewJob, ScheduledJob } from 'svc/sdk/jobs'
import { formatColumns, formatCount, hasFlag, printJson, printParts, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { Action } from './cli.ts'
import { formatDistance, formatDue, formatJobs, formatRuns } from './format.ts'
import { getList, getNumber, getText, readChanges, readSkillChanges } from './options.ts'

export const add: Action = async (jobs, input, io) => {
  const [words = '', prompt] = input.args
  const read = await readWords(jobs, words, input, io)
  if (!read) return 1
  const task = prompt ?? read.prompt
  const { name = read.name, ...settings } = {
    ...dropNull(await readChanges(jobs, input.options)),
    ...(task !== undefined && { prompt: task }),
    ...(getText(input.options, 'name') !== undefined && { name: getText(input.options, 'name') as string }),
    ...(getText(input.options, 'origin') !== undefined && { origin: getText(input.options, 'origin') as string }),
  }
  const job = await jobs.create({ ...settings, schedule: read.schedule, ...(name !== undefined && { name }) })
  if (hasFlag(input, 'json')) printJson(io, job)
  else {
    const next = job.nextDueAt === undefined ? '' : ` It is due ${formatDue(job, job.nextDueAt)}.`
    io.out(`Added ${safeLine(job.name)} (${job.id}).${next}\n`)
    await warnWithoutGateway(jobs, io)
  }
  return 0
}

/** A schedule as it was typed, or as a model read it and a person agreed to it. */
async function readWords(
  jobs: CronJobs,
  words: string,
  { options }: CliArguments,
  io: CliContext,
): Promise<Pick<JobSuggestion, 'schedule' | 'prompt' | 'name'> | undefined> {
  const zone = readZone(options)
  try {
    return { schedule: await jobs.parse(words, zone) }
  } catch (error) {
    if (errorCode(error) !== 'CRON_SCHEDULE' || !/[a-z]{3,} /i.test(words) || !(io.interactive || io.confirm))
      throw error
  }
  const found = await jobs.suggest(words, { ...zone, signal: io.signal })
  await showSuggestion(jobs, found, io)
  return (await confirmCommand(io, 'Add it?', {})) ? found : undefined
}

async function showSuggestion(jobs: CronJobs, found: JobSuggestion, io: CliContext): Promise<void> {
  const times = await jobs.preview(found.schedule, { count: 3 })
  const facts = [
    ['schedule', jobs.describe(found.schedule)],
    ['due', times.map((at) => formatDue(found, at)).join(', ')],
    ...(found.prompt === undefined ? [] : [['prompt', found.prompt]]),
  ]
  io.out(`${formatColumns(facts).join('\n')}\n`)
}

export const list: Action = async (jobs, input, io) => {
  const found = await jobs.list({ all: hasFlag(input, 'all') })
  if (hasFlag(input, 'json')) printJson(io, { jobs: found })
  else if (found.length === 0) io.out('There are no jobs. Add one: svc cron add "every 2h" "Look for new mail"\n')
  else
    await printParts(
      io,
      [...formatJobs(jobs, found), formatCount(found.length, 'job')].map((line) => `${line}\n`),
    )
  return 0
}

export const show: Action = async (jobs, input, io) => {
  const job = await jobs.get(input.args[0] ?? '')
  const [times, runs] = [
    job.state === 'scheduled' ? await jobs.preview(job.schedule, { count: 5 }) : [],
    await jobs.runs({ job: job.id, limit: 10 }),
  ]
  if (hasFlag(input, 'json')) {
    printJson(io, { ...job, next: times, runs })
    return 0
  }
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['id', job.id],
    ['name', job.name],
    ['state', job.reason === undefined ? job.state : `${job.state}: ${job.reason}`],
    ['schedule', jobs.describe(job.schedule)],
    ['due', times.map((at) => formatDue(job, at)).join(', ') || undefined],
    ['deliver', job.deliver.join(', ')],
    ['misfire', job.misfire === 'all' ? `all, ${job.catchUp} at most` : job.misfire],
    ['script', job.script && `${job.script}${job.isScriptOnly ? ' (no model)' : ''}`],
    ['with skills', job.skills.join(', ') || undefined],
    ['model', [job.provider, job.model].filter((part) => part !== undefined).join('/') || undefined],
    ['toolsets', job.toolsets?.join(', ')],
    ['context', job.contextFrom.join(', ') || undefined],
    ['budget', job.budgetUsd === undefined ? undefined : `$${job.budgetUsd}`],
    ['runs', job.repeat === undefined ? String(job.runCount) : `${job.runCount} of ${job.repeat}`],
  ]
  const rows = facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const prompt = job.prompt === '' ? '' : `\n${safeBlock(job.prompt.trim())}\n`
  const history = runs.length === 0 ? '' : `\n${formatRuns(runs, [job]).join('\n')}\n`
  io.out(`${formatColumns(rows).join('\n')}\n${prompt}${history}`)
  return 0
}

export const edit: Action = async (jobs, input, io) => {
  const { options } = input
  const before = await jobs.get(input.args[0] ?? '')
  const schedule = getText(options, 'schedule')
  const changes: JobChanges = {
    ...(await readChanges(jobs, options)),
    ...readSkillChanges(before, options),
    ...(schedule !== undefined && { schedule: await jobs.parse(schedule, readZone(options)) }),
    ...(schedule === undefined &&
      readZone(options).timeZone !== undefined &&
      inZone(before, readZone(options).timeZone)),
    ...(getText(options, 'prompt') !== undefined && { prompt: getText(options, 'prompt') as string }),
    ...(getText(options, 'name') !== undefined && { name: getText(options, 'name') as string }),
    ...(options['agent'] === true && { isScriptOnly: false }),
  }
  if (Object.keys(changes).length === 0) throw new SvcError('CLI_USAGE', 'Say what is to change: svc cron edit --help.')
  return printJob(jobs, await jobs.edit(before.id, changes), 'Changed', input, io)
}

function inZone({ schedule }: ScheduledJob, timeZone: string | undefined): JobChanges {
  if (schedule.kind !== 'expression' || timeZone === undefined)
    throw new SvcError('CLI_USAGE', '--timezone is for jobs with a cron expression, or goes with --schedule.')
  return { schedule: { ...schedule, timeZone } }
}

export const pause: Action = async (jobs, input, io) =>
  printJob(jobs, await jobs.pause(input.args[0] ?? '', getText(input.options, 'reason')), 'Paused', input, io)
export const resume: Action = async (jobs, input, io) =>
  printJob(jobs, await jobs.resume(input.args[0] ?? ''), 'Resumed', input, io)
export const restore: Action = async (jobs, input, io) =>
  printJob(jobs, await jobs.restore(input.args[0] ?? ''), 'Restored', input, io)

export const remove: Action = async (jobs, input, io) => {
  const job = await jobs.remove(input.args[0] ?? '')
  if (hasFlag(input, 'json')) printJson(io, job)
  else io.out(`Removed ${safeLine(job.name)}. To bring it back: svc cron restore ${job.id}\n`)
  return 0
}

export const run: Action = async (jobs, input, io) => {
  const begun = await jobs.trigger(input.args[0] ?? '')
  if (!hasFlag(input, 'wait')) {
    if (hasFlag(input, 'json')) printJson(io, begun)
    else io.out(`Queued. A gateway begins it within seconds; to run it here: svc cron tick\n`)
    return 0
  }
  io.err('Running ...\n')
  const { runs } = await jobs.tick({ signal: io.signal })
  const ended = runs.find(
    ({ jobId, dueAt, trigger }) => jobId === begun.jobId && dueAt === begun.dueAt && trigger === 'manual',
  )
  if (!ended)
    throw new SvcError('CRON_ELSEWHERE', 'Another process runs it: svc cron history shows what becomes of it.')
  if (hasFlag(input, 'json')) printJson(io, ended)
  else if (ended.output !== undefined) io.out(`${safeBlock(ended.output)}\n`)
  else
    io.out(
      `${ended.status ?? ended.reason ?? ended.outcome}${ended.error === undefined ? '' : `: ${safeLine(ended.error)}`}\n`,
    )
  return ended.status === 'failed' || ended.status === 'crashed' ? 1 : 0
}

export const history: Action = async (jobs, input, io) => {
  const [job] = input.args
  const limit = getNumber(input.options, 'limit') ?? 20
  const outcomes = getList(input.options, 'outcome') as readonly JobOutcome[] | undefined
  const runs = await jobs.runs({ limit, ...(job !== undefined && { job }), ...(outcomes && { outcomes }) })
  if (hasFlag(input, 'json')) printJson(io, { runs })
  else if (runs.length === 0) io.out('Nothing was due yet. svc cron list shows what is next.\n')
  else
    await printParts(
      io,
      formatRuns(runs, await jobs.list({ all: true })).map((line) => `${line}\n`),
    )
  return 0
}

export const preview: Action = async (jobs, input, io) => {
  const words = input.args[0] ?? ''
  const count = getNumber(input.options, 'count') ?? 5
  const read = await readOrSuggest(jobs, words, input, io)
  const times = await jobs.preview(read.schedule, { count })
  if (hasFlag(input, 'json')) printJson(io, { ...read, times })
  else io.out(`${jobs.describe(read.schedule)}\n${times.map((at) => `  ${formatDue(read, at)}\n`).join('')}`)
  return 0
}

async function readOrSuggest(
  jobs: CronJobs,
  words: string,
  { options }: CliArguments,
  io: CliContext,
): Promise<Pick<JobSuggestion, 'schedule'>> {
  try {
    return { schedule: await jobs.parse(words, readZone(options)) }
  } catch (error) {
    if (errorCode(error) !== 'CRON_SCHEDULE' || !/[a-z]{3,} /i.test(words)) throw error
    return jobs.suggest(words, { ...readZone(options), signal: io.signal })
  }
}

export const status: Action = async (jobs, input, io) => {
  const now = await jobs.status()
  if (hasFlag(input, 'json')) {
    printJson(io, now)
    return 0
  }
  const { scheduled, paused, completed } = now.jobs
  const facts = [
    ['jobs', `${scheduled} scheduled, ${paused} paused, ${completed} completed`],
    ['runs', `${now.running} running, ${now.queued} queued`],
    ['next', now.nextDueAt === undefined ? 'nothing is due' : formatDistance(now.nextDueAt, now.now)],
    [
      'gateway',
      now.lastTickAt === undefined
        ? 'none looked yet: svc gateway run'
        : `looked ${formatDistance(now.lastTickAt, now.now)}`,
    ],
  ]
  io.out(`${formatColumns(facts).join('\n')}\n`)
  return 0
}

export const tick: Action = async (jobs, input, io) => {
  const { instants, runs } = await jobs.tick({ signal: io.signal })
  if (hasFlag(input, 'json')) printJson(io, { instants, runs })
  else if (runs.length === 0) io.out(`${formatCount(instants, 'due time')}; nothing to run.\n`)
  else
    await printParts(
      io,
      formatRuns(runs, await jobs.list({ all: true })).map((line) => `${line}\n`),
    )
  return runs.some(({ status: end }) => end === 'failed' || end === 'crashed') ? 1 : 0
}

/** Nothing of a job happens while no gateway looks for it. */
async function warnWithoutGateway(jobs: CronJobs, io: CliContext): Promise<void> {
  const { lastTickAt, now } = await jobs.status()
  if (lastTickAt !== undefined && now - lastTickAt < 180_000) return
  io.err('No gateway runs that would begin it. Start one: svc gateway run\n')
}

function printJob(jobs: CronJobs, job: ScheduledJob, done: string, input: CliArguments, io: CliContext): number {
  if (hasFlag(input, 'json')) printJson(io, job)
  else {
    const next = job.nextDueAt === undefined ? '' : `, due ${formatDue(job, job.nextDueAt)}`
    io.out(`${done} ${safeLine(job.name)}: ${safeLine(jobs.describe(job.schedule))}${next}.\n`)
  }
  return 0
}

const readZone = (options: CliArguments['options']): { readonly timeZone?: string } => {
  const timeZone = getText(options, 'timezone')
  return timeZone === undefined || timeZone === '' ? {} : { timeZone }
}

function dropNull(changes: JobChanges): Partial<NewJob> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null))
}
