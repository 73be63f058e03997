/** The work of one subagent, from its session to its result. It begins, or goes on where an earlier process left it. */
import {
  Agent,
  Approvals,
  Clock,
  type Dispose,
  errorMessage,
  logFault,
  type PluginContext,
  Secrets,
  type Session,
  Sessions,
  type TurnContext,
  type TurnEvent,
  type TurnEventData,
  type TurnRequest,
} from 'svc/sdk'
import { SubagentEnded, SubagentStarted } from 'svc/sdk/hooks'
import { People } from 'svc/sdk/host'
import { Budgets } from 'svc/sdk/safety'
import { toolCallLabel } from 'svc/sdk/terminal'
import { SubagentNotes } from './child-notes.ts'
import { childPrompt, GO_ON, taskText } from './child-prompt.ts'
import { ChildRecord, type Cut } from './child-record.ts'
import { childTools, SURFACE } from './child-tools.ts'
import type { Config } from './config.ts'
import type { Child, ChildResult, Task, Unit } from './delegation.ts'
import { findStale } from './read-files.ts'
import { storeSummary } from './summary-file.ts'

const TITLE_LENGTH = 60
/** Names of tools that one `subagent.progress` tells of. */
const PROGRESS_TOOLS = 5
const MAX_TEXT = 500
const MIN_TIMEOUT_S = 30

/** Why a subagent was stopped, as the reason of its signal. */
export class Stop extends Error {
  /** `shutdown`: svc stops here and the work goes on later; there is no result yet. */
  readonly kind: 'user' | 'timeout' | 'shutdown'

  constructor(kind: Stop['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** A subagent at work, for those who look at it and stop it. */
export interface LiveChild {
  readonly unit: Unit
  readonly id: string
  readonly task: Task
  readonly sessionId: string
  readonly startedAt: number
  readonly record: ChildRecord
  lastTool: string | undefined
  stop(reason: Stop): void
}

export interface ChildRunDeps {
  readonly ctx: PluginContext<Config>
  /** Those at work, by their session. */
  readonly live: Map<string, LiveChild>
  /** Stores the session of a subagent, before its turn begins. */
  readonly begun: (child: Child, sessionId: string) => Promise<void>
  /** Tells the conversation. */
  readonly tell: (event: TurnEventData) => void
  /** The turn that delegated, for hooks. */
  readonly parent: TurnContext
  /** Files that a session has read in this process. */
  readonly readBy: (sessionId: string) => readonly string[]
}

/** Undefined when svc stops before it has ended. */
export async function runChild(
  deps: ChildRunDeps,
  unit: Unit,
  child: Child,
  signal: AbortSignal,
): Promise<ChildResult | undefined> {
  const { ctx, live } = deps
  const task = unit.tasks[child.index] as Task
  const session = await openSession(deps, unit, child, task)
  const control = new AbortController()
  const unfollow = follow(signal, control)
  const record = new ChildRecord()
  const startedAt = ctx.use(Clock).now()
  live.set(session.id, {
    ...{ unit, id: child.id, task, sessionId: session.id, startedAt, record, lastTool: undefined },
    stop: (reason) => control.abort(reason),
  })
  const cancelTimeout = limitTime(ctx, control)
  const connections = connect(ctx, session.id, unit.parent.sessionId)
  const about = {
    parent: deps.parent,
    callId: unit.parent.callId,
    sessionId: session.id,
    goal: task.goal,
    id: child.id,
    role: task.role,
  }
  let cut: Cut | undefined
  let reason = record.reason
  try {
    deps.tell(startEvent(unit, child, { task, sessionId: session.id, model: ctx.config.model || unit.parent.model }))
    await ctx.call(SubagentStarted, about)
    await work(deps, { unit, child, task, session, record, signal: control.signal })
    reason = record.reason
    if (control.signal.aborted && record.reason !== 'completed') cut = cutBy(control.signal.reason)
  } catch (error) {
    cut = control.signal.aborted ? cutBy(control.signal.reason) : { status: 'failed', message: errorMessage(error) }
    if (!control.signal.aborted) logFault(ctx.log, 'a subagent failed', error)
  } finally {
    cancelTimeout()
    unfollow()
    for (const disconnect of connections) await disconnect()
    live.delete(session.id)
  }
  const ms = ctx.use(Clock).now() - startedAt
  const result = await complete(
    deps,
    unit,
    child,
    session,
    record.result({ index: child.index, sessionId: session.id, ms, ...(cut && { cut }) }),
  )
  const isShutdown = isStop(control.signal.reason, 'shutdown')
  if (!isShutdown) deps.tell(completeEvent(child, record, result))
  // Its shells and processes end with this call.
  await ctx.call(SubagentEnded, {
    ...about,
    reason: reason ?? 'interrupted',
    usage: record.usage,
    text: result.error ?? result.summary ?? '',
    durationMs: ms,
  })
  return isShutdown ? undefined : result
}

export function isStop(reason: unknown, kind: Stop['kind']): boolean {
  return reason instanceof Stop && reason.kind === kind
}

async function openSession(deps: ChildRunDeps, unit: Unit, child: Child, task: Task): Promise<Session> {
  const sessions = deps.ctx.use(Sessions)
  if (child.sessionId !== undefined) return sessions.open(child.sessionId)
  const title = `↳ ${[...task.goal.replace(/\s+/g, ' ')].slice(0, TITLE_LENGTH).join('')}`
  const session = sessions.create({ surface: SURFACE, cwd: unit.parent.cwd, title })
  session.setState(SubagentNotes, { id: child.id, depth: unit.depth, role: task.role, files: [] })
  await deps.begun(child, session.id)
  return session
}

interface Work {
  readonly unit: Unit
  readonly child: Child
  readonly task: Task
  readonly session: Session
  readonly record: ChildRecord
  readonly signal: AbortSignal
}

async function work(deps: ChildRunDeps, { unit, child, task, session, record, signal }: Work): Promise<void> {
  const { ctx } = deps
  for (const event of session.events()) record.take(event)
  const agent = ctx.use(Agent)
  if (record.hasBegun && record.reason !== undefined && record.reason !== 'interrupted' && record.reason !== 'crashed')
    return
  const isLeft = record.hasBegun && record.reason === undefined
  const text = record.hasBegun ? GO_ON : taskText(task)
  const events = isLeft
    ? agent.resume(session.id, { signal })
    : agent.run({ ...request(ctx, unit, child, task, session.id), text, signal })
  const seen: Seen = { tools: [], said: '', reasoned: '' }
  for await (const event of events) {
    record.take(event)
    tellEntry(deps, child, session.id, event, seen)
  }
}

function request(ctx: PluginContext<Config>, unit: Unit, child: Child, task: Task, sessionId: string): TurnRequest {
  const { parent, depth, budget } = unit
  const { config } = ctx
  const group = `subagent:${sessionId}`
  if (budget) ctx.find(Budgets)?.limit(group, budget)
  const reasoning = (config.reasoning_effort || parent.reasoning) as TurnRequest['reasoning']
  const isPinned = config.provider !== '' || config.model !== ''
  const model = isPinned
    ? { ...(config.provider && { provider: config.provider }), ...(config.model && { model: config.model }) }
    : { provider: parent.provider, model: parent.model }
  const date = new Date(ctx.use(Clock).now()).toISOString().slice(0, 10)
  return {
    ...model,
    ...(reasoning && { reasoning }),
    sessionId,
    surface: SURFACE,
    purpose: 'subagent',
    source: 'plugin',
    parentTurnId: parent.turnId,
    key: child.id,
    maxIterations: config.max_iterations,
    toolsets: childTools(ctx, parent, task.role),
    groups: [...parent.groups, `session:${parent.sessionId}`, `turn:${parent.turnId}`, group],
    systemPrompt: childPrompt(task, { cwd: parent.cwd, date, depth, maxDepth: config.max_spawn_depth }),
  }
}

/** Its approvals and questions are put to the person of the conversation; without one they are denied. */
function connect(ctx: PluginContext<Config>, id: string, parentId: string): readonly Dispose[] {
  const approvals = ctx.find(Approvals)
  const forwarded = ctx.config.subagent_auto_approve
    ? approvals?.askNothing(id)
    : approvals?.forward(id, () => parentId)
  return [forwarded, ctx.find(People)?.forward(id, () => parentId)].filter((each) => each !== undefined)
}

function limitTime(ctx: PluginContext<Config>, control: AbortController): () => void {
  const { child_timeout_seconds } = ctx.config
  if (child_timeout_seconds === 0) return () => {}
  const seconds = Math.max(MIN_TIMEOUT_S, child_timeout_seconds)
  const stop = () => control.abort(new Stop('timeout', `It was stopped after ${seconds} s.`))
  return ctx.use(Clock).after(seconds * 1000, stop, { background: true })
}

function follow(signal: AbortSignal, control: AbortController): () => void {
  const stop = () => control.abort(signal.reason)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return () => signal.removeEventListener('abort', stop)
}

function cutBy(reason: unknown): Cut {
  if (isStop(reason, 'timeout')) return { status: 'timeout', message: errorMessage(reason) }
  return { status: 'interrupted', message: 'It was interrupted.' }
}

/** With what its tools have changed, and a summary that fits. */
async function complete(
  { ctx, readBy }: ChildRunDeps,
  unit: Unit,
  child: Child,
  session: Session,
  result: ChildResult,
): Promise<ChildResult> {
  const { files = [], read = [], origin } = session.state(SubagentNotes) ?? {}
  const stale = findStale(files, [...(unit.parentRead ?? []), ...readBy(unit.parent.sessionId)])
  const summary = result.summary === null ? {} : await storeSummary(ctx, child.id, result.summary, unit.summaryChars)
  return {
    ...result,
    ...summary,
    ...(files.length > 0 && { files_written: files }),
    ...(stale.length > 0 && { stale_paths: stale }),
    ...(read.length > 0 && { files_read: read }),
    ...(origin !== undefined && { origin }),
  }
}

function startEvent(
  unit: Unit,
  child: Child,
  { task, sessionId, model }: { readonly task: Task; readonly sessionId: string; readonly model: string },
): TurnEventData {
  return {
    type: 'subagent.start',
    id: child.id,
    goal: task.goal,
    sessionId,
    index: child.index,
    count: unit.tasks.length,
    depth: unit.depth,
    model,
    ...(unit.mode === 'background' && { isBackground: true }),
  }
}

function completeEvent(child: Child, record: ChildRecord, result: ChildResult): TurnEventData {
  return {
    type: 'subagent.complete',
    id: child.id,
    ok: result.status === 'completed',
    text: (result.status === 'completed' ? (result.summary ?? '') : (result.error ?? result.summary ?? '')).slice(
      0,
      MAX_TEXT,
    ),
    status: result.status,
    usage: record.usage,
    seconds: result.duration_seconds,
    toolCalls: result.tool_trace.length,
    ...(result.files_written && { filesWritten: result.files_written }),
    ...(result.files_read && { filesRead: result.files_read }),
  }
}

/** What was seen of a subagent and is not told yet. */
interface Seen {
  tools: string[]
  said: string
  reasoned: string
}

/** The entries of a subagent: thinking, tool and progress; its summary comes at the end. */
function tellEntry(
  { ctx, live, tell }: ChildRunDeps,
  { id }: Child,
  sessionId: string,
  event: TurnEvent,
  seen: Seen,
): void {
  if (event.type === 'reasoning.delta') seen.reasoned += event.text
  if (event.type === 'message.complete') seen.said = event.text.trim()
  if (event.type !== 'tool.start') return
  // Its last answer is no thought on the way.
  const thought = (seen.said || seen.reasoned.trim()).slice(0, MAX_TEXT)
  seen.said = ''
  seen.reasoned = ''
  if (thought !== '') tell({ type: 'subagent.thinking', id, text: thought })
  const child = live.get(sessionId)
  if (child) child.lastTool = event.name
  const preview = toolCallLabel(event.input, (text) => ctx.use(Secrets).mask(text))
  tell({ type: 'subagent.tool', id, name: event.name, preview })
  seen.tools.push(event.name)
  if (seen.tools.length < PROGRESS_TOOLS) return
  tell({ type: 'subagent.progress', id, text: seen.tools.splice(0).join(', ') })
}
