/** The tool calls of one answer: what may run side by side does, the rest waits its turn. */
import type { Message, PluginContext, ToolCall, ToolResult, TurnEventData } from 'svc/sdk'
import { AfterToolBatch } from 'svc/sdk/hooks'
import type { Config } from './config.ts'
import { type ReadSteer, readSteers, steerEvent } from './steers.ts'
import {
  appendContext,
  createCompleteEvents,
  createIntentEvents,
  type Prepared,
  perform,
  prepare,
  type RequestedCall,
} from './tool-call.ts'
import type { Turn } from './turn.ts'

/** A call that is ready to run, or refused. */
export interface Job {
  readonly call: ToolCall
  readonly prepared: Prepared
  /** Files it touches. */
  readonly paths: readonly string[]
  readonly parallel: boolean
  /** Reads only: may overlap with others that do. */
  readonly pure: boolean
}

/** What a crash left of a call: its result, or the trace that it had begun. */
export type RecoveredResult = ToolResult | 'begun'

/** What the model wants, as people are shown it. */
export function intents(jobs: readonly Job[]): TurnEventData[] {
  return jobs.flatMap(({ prepared }) => createIntentEvents(prepared))
}

/** `limited`: the output limit cut the answer that the calls are part of. */
export function createJobs(
  ctx: PluginContext<Config>,
  turn: Turn,
  calls: readonly RequestedCall[],
  answer: { readonly limited?: boolean } = {},
): Promise<Job[]> {
  return Promise.all(calls.map((call) => createJob(ctx, turn, { ...call, ...answer })))
}

/**
 * Answers calls that are part of the conversation: the results become messages, in the order of the calls. `told` are the
 * intents that are on disk: where another input comes out of them now, people are shown that one too.
 */
export async function answerCalls(
  ctx: PluginContext<Config>,
  turn: Turn,
  calls: readonly ToolCall[],
  found: ReadonlyMap<string, RecoveredResult> = new Map(),
  told: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const jobs = await createJobs(
    ctx,
    turn,
    calls.map((call) => ({ ...call, begun: found.get(call.id) === 'begun' })),
  )
  const isNew = ({ call, prepared }: Job) =>
    typeof (found.get(call.id) ?? 'begun') === 'string' && told.get(call.id) !== JSON.stringify(prepared.shown)
  turn.recordSoon(intents(jobs.filter(isNew)))
  await recordAnswers(ctx, turn, await runJobs(ctx, turn, jobs, found))
}

/**
 * Without waiting for the disk: a result that a power cut takes with it leaves a call whose effect is unknown, and that
 * is what it is then. The next intent or answer carries it to the disk.
 */
export async function recordAnswers(
  ctx: PluginContext<Config>,
  turn: Turn,
  answers: readonly Message[],
): Promise<void> {
  const said = turn.running.takeSteers()
  const steers = said.length > 0 ? await readSteers(ctx, turn, said) : []
  turn.recordSoon(
    steers.map((steer) => steerEvent([steer])),
    answers.map((message, index) => (index === answers.length - 1 ? addSteers(message, steers) : message)),
  )
}

function addSteers(message: Message, steers: readonly ReadSteer[]): Message {
  if (message.role !== 'tool' || steers.length === 0) return message
  return {
    ...message,
    text: `${message.text}\n\n[The user says meanwhile: ${steers.map(({ text }) => text).join('\n')}]`,
  }
}

/** Runs the jobs and returns their answers, in the order of the calls. Intents are durable already. */
export async function runJobs(
  ctx: PluginContext<Config>,
  turn: Turn,
  jobs: readonly Job[],
  found: ReadonlyMap<string, RecoveredResult> = new Map(),
): Promise<Message[]> {
  const results = new Map<Job, ToolResult>()
  const run = async (job: Job, earlier: readonly Promise<void>[]) => {
    const known = found.get(job.call.id)
    if (known !== undefined && known !== 'begun') return void results.set(job, known)
    // A refusal takes no time: without this, its place among the other results would depend on how they are grouped.
    if (job.prepared.refusal !== undefined) await Promise.all(earlier)
    const given = await perform(ctx, turn, job.prepared)
    results.set(job, turn.guard.note(job.call, given, job.pure ? 'pure' : 'other'))
    turn.recordSoon([createCompleteEvents(job.prepared, given)])
  }
  for (const group of groups(jobs, ctx.config.max_parallel_tools)) {
    const running: Promise<void>[] = []
    for (const job of group) running.push(run(job, [...running]))
    await Promise.all(running)
  }
  const context = turn.signal.aborted ? undefined : await readBatchContext(ctx, turn, jobs, results)
  return jobs.map((job, index) => {
    const { text = '', images, failed: isFailed } = results.get(job) ?? {}
    const isLast = index === jobs.length - 1
    return {
      role: 'tool',
      callId: job.call.id,
      text: context && isLast ? appendContext(ctx, text, context) : text,
      ...(images && { images }),
      ...(isFailed && { failed: isFailed }),
    }
  })
}

/** What plugins add behind all results. */
async function readBatchContext(
  ctx: PluginContext<Config>,
  turn: Turn,
  jobs: readonly Job[],
  results: ReadonlyMap<Job, ToolResult>,
): Promise<string | undefined> {
  if (jobs.length === 0) return undefined
  const calls = jobs.map((job) => {
    const { name, input, tool } = job.prepared.request
    return { callId: job.call.id, name, input, tool, result: results.get(job) ?? { text: '' } }
  })
  const { context } = await ctx.call(AfterToolBatch, { calls }, { ...turn.context, signal: turn.signal })
  return context
}

async function createJob(ctx: PluginContext<Config>, turn: Turn, call: RequestedCall): Promise<Job> {
  const prepared = await prepare(ctx, turn, call)
  const { tool, refusal, request } = prepared
  if (refusal !== undefined || !tool) return { call, prepared, paths: [], parallel: true, pure: true }
  const paths = tool.paths?.(request.input, turn.session.cwd) ?? []
  return { call, prepared, paths, parallel: tool.parallel ?? false, pure: tool.effect === 'pure' }
}

/** Cuts the calls into groups that run one after the other. A call that is not parallel forms its own group. */
export function groups<T extends Pick<Job, 'parallel' | 'paths' | 'pure'>>(jobs: readonly T[], most: number): T[][] {
  const result: T[][] = []
  let open: T[] | undefined
  for (const job of jobs) {
    const fits = open && job.parallel && open.length < most && !open.some((other) => conflict(other, job))
    if (fits) open?.push(job)
    else {
      const group = [job]
      result.push(group)
      open = job.parallel ? group : undefined
    }
  }
  return result
}

function conflict(a: Pick<Job, 'paths' | 'pure'>, b: Pick<Job, 'paths' | 'pure'>): boolean {
  return !(a.pure && b.pure) && a.paths.some((one) => b.paths.some((two) => overlap(one, two)))
}

/** The same path, or one inside the other's folder. */
function overlap(one: string, two: string): boolean {
  return one === two || one.startsWith(`${two}/`) || two.startsWith(`${one}/`)
}
