/** One run from its beginning, or from where a crash left it, to its result. */
import { mkdir } from 'node:fs/promises'
import {
  Agent,
  Clock,
  Config,
  errorMessage,
  Home,
  logFault,
  type PluginContext,
  Secrets,
  Sessions,
  SvcError,
  type TurnEvent,
} from 'svc/sdk'
import { type Job, type JobRun, Jobs } from 'svc/sdk/jobs'
import type { Config as Settings } from './config.ts'
import { deliver } from './deliver.ts'
import { openGroups, readSpent } from './job-budget.ts'
import { readDrift, readModel } from './job-model.ts'
import { findPluginJob } from './plugin-jobs.ts'
import { composePrompt } from './prompt.ts'
import type { ClaimedRun, RunResult, RunTable } from './run-table.ts'
import { runScript, saysNothingToDo } from './script.ts'

/** A run that so many processes died of is not tried again. */
const MAX_ATTEMPTS = 3
const MAX_SILENT_CHARS = 64

export interface RunnerDeps {
  readonly ctx: PluginContext<Settings>
  readonly runs: RunTable
}

type Result = RunResult & { readonly costUsd?: number }

/** Runs it and writes what became of it. Throws `CRON_RUN_LOST` when another process has it meanwhile. */
export async function runClaimed(deps: RunnerDeps, claimed: ClaimedRun, signal: AbortSignal): Promise<JobRun> {
  const { ctx, runs } = deps
  const { job, run, phase } = claimed
  let result: Result
  try {
    result =
      phase === 'deliver'
        ? { outcome: 'ran', status: 'ok', output: run.output ?? '' }
        : await work(deps, claimed, signal)
  } catch (error) {
    logFault(ctx.log, 'a scheduled run failed', error)
    result = failed(error, signal)
  }
  const text = shownText(job.name, result, await readLast(runs, claimed))
  if (text === undefined || job.id.startsWith('plugin:')) return runs.finish(claimed, result)
  if (result.outcome === 'ran' && result.status === 'ok') await runs.note(claimed, 'deliver', { output: text })
  const problem = await deliver(ctx, { job, run, text })
  return runs.finish(claimed, { ...result, ...(problem !== undefined && { deliveryError: problem }) })
}

/** The run of the job before this one that was not left out for a later one. */
async function readLast(runs: RunTable, { run }: ClaimedRun): Promise<JobRun | undefined> {
  const found = await runs.list({ jobId: run.jobId, outcomes: ['ran', 'skipped'], limit: 1 })
  return found[0]
}

/** What people are told; undefined: nothing. That a job is not run is told once, not for each of its instants. */
function shownText(name: string, result: Result, last: JobRun | undefined): string | undefined {
  if (result.outcome === 'skipped' && result.error !== undefined && last?.reason !== result.reason)
    return `The job ${name} is not run any more. ${result.error}`
  if (result.outcome !== 'ran' || result.status === 'silent') return undefined
  if (result.status === 'ok') return result.output
  return `The job ${name} ${result.status === 'crashed' ? 'was cut off' : 'failed'}: ${result.error ?? 'no reason is known'}`
}

function failed(error: unknown, signal: AbortSignal): Result {
  const why = signal.aborted ? `interrupted: ${errorMessage(signal.reason)}` : errorMessage(error)
  return { outcome: 'ran', status: 'failed', error: why }
}

async function work(deps: RunnerDeps, claimed: ClaimedRun, signal: AbortSignal): Promise<Result> {
  const { phase, epoch, job, run } = claimed
  if (phase === 'script') return crashed('its process died while a program of it was at work')
  if (epoch > MAX_ATTEMPTS) return crashed(`${MAX_ATTEMPTS} processes died of it`)
  const pluginJob = findPluginJob(deps.ctx.all(Jobs), job.id)
  if (pluginJob) return runPluginJob(deps, claimed, { item: pluginJob, signal })
  if (phase === 'agent' && run.sessionId !== undefined) return continueTurn(deps, claimed, signal)
  return begin(deps, claimed, signal)
}

const crashed = (error: string): Result => ({ outcome: 'ran', status: 'crashed', error })

async function begin({ ctx, runs }: RunnerDeps, claimed: ClaimedRun, signal: AbortSignal): Promise<Result> {
  const { job, run } = claimed
  const spent = readSpent(ctx, claimed)
  if (spent !== undefined) return { outcome: 'skipped', reason: 'budget', error: spent }
  const drift = readDrift(job, readModel(ctx.use(Config)))
  if (drift !== undefined) return { outcome: 'skipped', reason: 'model', error: drift }
  const cwd = job.cwd ?? ctx.use(Home).path('workspace')
  await mkdir(cwd, { recursive: true })
  let script: string | undefined
  if (job.script !== undefined) {
    await runs.note(claimed, 'script')
    const folder = ctx.use(Home).path('scripts')
    const timeoutMs = ctx.config.script_seconds * 1000
    const output = await runScript({ folder, script: job.script, cwd, timeoutMs, clock: ctx.use(Clock), signal })
    script = ctx.use(Secrets).mask(output)
    if (saysNothingToDo(script)) return { outcome: 'skipped', reason: 'script' }
    if (job.isScriptOnly) return judgeAnswer(ctx, script)
  }
  const input = await composePrompt({ ctx, runs }, { job, run, cwd, ...(script !== undefined && { script }) })
  const session = ctx.use(Sessions).create({ surface: 'cron', cwd, title: job.name })
  await runs.note(claimed, 'agent', { input, sessionId: session.id })
  return runTurn(ctx, claimed, { sessionId: session.id, input, signal })
}

/** After a crash: the turn goes on where it was; if it had not begun, it begins. */
async function continueTurn({ ctx }: RunnerDeps, claimed: ClaimedRun, signal: AbortSignal): Promise<Result> {
  const { run, input = '' } = claimed
  const sessionId = run.sessionId ?? ''
  const sessions = ctx.use(Sessions)
  // The session is where the other machine was.
  if (!sessions.list({ surface: 'cron' }).some(({ id }) => id === sessionId) && !isThere(sessions, sessionId))
    return crashed('its process died, and its session is on another machine')
  if (sessions.open(sessionId).events().length === 0) return runTurn(ctx, claimed, { sessionId, input, signal })
  const answer = await readTurn(ctx.use(Agent).resume(sessionId, { signal }))
  if (answer.reason !== undefined) return judgeTurn(ctx, answer)
  // It had ended before the crash.
  const last = sessions.open(sessionId).messages().at(-1)
  return last?.role === 'assistant' ? judgeAnswer(ctx, last.text) : crashed('its process died during the turn')
}

function isThere(sessions: Sessions, id: string): boolean {
  try {
    return sessions.open(id).id === id
  } catch {
    return false
  }
}

async function runTurn(
  ctx: PluginContext<Settings>,
  claimed: ClaimedRun,
  { sessionId, input, signal }: { readonly sessionId: string; readonly input: string; readonly signal: AbortSignal },
): Promise<Result> {
  const { provider, model, toolsets } = claimed.job
  const turn = ctx.use(Agent).run({
    sessionId,
    text: input,
    surface: 'cron',
    purpose: 'scheduled',
    source: 'plugin',
    groups: openGroups(ctx, claimed),
    signal,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(toolsets !== undefined && { toolsets }),
  })
  return judgeTurn(ctx, await readTurn(turn))
}

interface TurnAnswer {
  text: string
  error?: string
  reason?: Extract<TurnEvent, { type: 'turn.end' }>['reason']
  costUsd?: number
}

/** The last answer: what came between calls of tools was for no reader. */
async function readTurn(events: AsyncIterable<TurnEvent>): Promise<TurnAnswer> {
  const answer: TurnAnswer = { text: '' }
  for await (const event of events) {
    if (event.type === 'message.complete') answer.text = event.text
    else if (event.type === 'tool.start') answer.text = ''
    else if (event.type === 'error') answer.error = event.message
    else if (event.type === 'turn.end') {
      answer.reason = event.reason
      if (event.usage.costUsd !== undefined) answer.costUsd = event.usage.costUsd
    }
  }
  return answer
}

function judgeTurn(ctx: PluginContext<Settings>, { text, error, reason, costUsd }: TurnAnswer): Result {
  const cost = costUsd !== undefined ? { costUsd } : {}
  if (error === undefined && reason === 'completed') return { ...judgeAnswer(ctx, text), ...cost }
  const why = error ?? (reason === 'max-iterations' ? 'it took more model calls than it may' : `the turn was ${reason}`)
  return { outcome: 'ran', status: 'failed', error: why, ...(text.trim() && { output: text }), ...cost }
}

/** Done is what said something, or said that there is nothing to say. */
function judgeAnswer({ config }: PluginContext<Settings>, answer: string): Result {
  const text = answer.trim()
  if (text === '') return { outcome: 'ran', status: 'failed', error: 'it ended without any output' }
  const words = config.silence.map((word) => word.toUpperCase())
  const isSilent = text.length <= MAX_SILENT_CHARS && words.includes(text.toUpperCase().replace(/[.!]$/, ''))
  return isSilent ? { outcome: 'ran', status: 'silent' } : { outcome: 'ran', status: 'ok', output: text }
}

async function runPluginJob(
  { ctx, runs }: RunnerDeps,
  claimed: ClaimedRun,
  { item, signal }: { readonly item: Job; readonly signal: AbortSignal },
): Promise<Result> {
  const { dueAt, trigger } = claimed.run
  await runs.note(claimed, 'script')
  const groups = openGroups(ctx, claimed)
  let problem: unknown
  const work = async () => {
    try {
      return { text: await item.run({ dueAt, trigger, signal, groups }) }
    } catch (error) {
      problem = error
      throw error
    }
  }
  const done = await ctx.all(Jobs).attempt(item, work)
  if (!done) throw problem ?? new SvcError('CRON_REFUSED', 'the plugin of this job is suspended after several failures')
  const text = typeof done.text === 'string' ? done.text.trim() : ''
  return text === '' ? { outcome: 'ran', status: 'silent' } : { outcome: 'ran', status: 'ok', output: text }
}
