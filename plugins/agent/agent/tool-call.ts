/** One tool call: read, prepared, judged, run, and answered whatever happens. */
import {
  AfterToolCall,
  AroundToolCall,
  BeforeToolInput,
  errorMessage,
  logFault,
  type PluginContext,
  type SchemaResult,
  Secrets,
  type Tool,
  type ToolActions,
  type ToolCall,
  type ToolCallEvent,
  type ToolContext,
  type ToolRefusal,
  type ToolResult,
  Tools,
  type TurnEventData,
} from 'svc/sdk'
import { formatIssuePath } from 'svc/sdk/host'
import { Budgets, markUntrusted } from 'svc/sdk/safety'
import type { Config } from './config.ts'
import { toDefinition, validateResult } from './definitions.ts'
import { findTurnPerson } from './person.ts'
import { runChild } from './subagents.ts'
import { deepFreeze, factsOfNone, getToolFacts, validateActs } from './tool-facts.ts'
import { permission } from './tool-gates.ts'
import type { Turn } from './turn.ts'
import { findOrigin } from './untrusted-text.ts'

const INTERRUPTED = 'Not run: the turn was interrupted.'
const LONGEST_SHOWN = 300
/** Characters that plugins may add to a result. */
const MAX_CONTEXT = 10_000

/** A call as it was asked for. */
export interface RequestedCall extends Pick<ToolCall, 'id' | 'name' | 'input'> {
  /** It had begun before svc stopped. */
  readonly begun?: boolean
  /** The call that made it. */
  readonly parent?: string
  /** The answer that it is part of was cut by the output limit. */
  readonly limited?: boolean
}

/** A call that can be judged, or the reason why it cannot. */
export interface Prepared {
  /** With the facts of the tool, and frozen input; gates also see what it would do. */
  readonly request: Omit<ToolCallEvent, 'acts'>
  /** The input as people should see it. */
  readonly shown: unknown
  /** What was changed of what the model wrote. */
  readonly notes: readonly string[]
  readonly tool?: Tool
  readonly refusal?: string
  /** The same as data. */
  readonly cause?: ToolRefusal
}

/** What the model reads of a call, and why it did not run. */
export interface Outcome extends ToolResult {
  readonly refusal?: ToolRefusal
}

type Parsed = { readonly input: unknown; readonly shown: unknown; readonly notes: readonly string[] } | Refusal
interface Refusal {
  readonly refusal: string
  readonly cause: ToolRefusal
}

const INVALID: ToolRefusal = { kind: 'invalid' }
const STOPPED: ToolRefusal = { kind: 'interrupted' }

/** Finds the tool, parses the input and lets plugins change it; what the model plainly meant is taken for what it wrote. */
export async function prepare(ctx: PluginContext<Config>, turn: Turn, asked: RequestedCall): Promise<Prepared> {
  try {
    return await find(ctx, turn, asked)
  } catch (error) {
    logFault(ctx.log, `a call of ${asked.name} could not be prepared`, error, ctx.all(Tools).owner(asked.name))
    return createRefusal(ctx, turn, asked, { refusal: errorMessage(error), cause: INVALID })
  }
}

async function find(ctx: PluginContext<Config>, turn: Turn, asked: RequestedCall): Promise<Prepared> {
  const tool = turn.tools.all.get(asked.name) ?? (await nearTool(turn, asked.name))
  if (!tool) {
    const names = turn.tools.offered.map(({ name }) => name).join(', ') || 'none'
    const refusal = `There is no tool "${asked.name}". The tools are: ${names}.`
    return createRefusal(ctx, turn, asked, { refusal, cause: { kind: 'unknown-tool' } })
  }
  const parsed = await parse(tool, asked)
  if ('refusal' in parsed) return createRefusal(ctx, turn, asked, parsed, tool)
  const other = tool.redirect?.(parsed.input)
  if (!other) return change(ctx, turn, asked, tool, parsed)
  if (turn.tools.all.get(other.name)?.redirect)
    return createRefusal(
      ctx,
      turn,
      asked,
      { refusal: `"${other.name}" cannot be called through ${tool.name}.`, cause: INVALID },
      tool,
    )
  const ready = await find(ctx, turn, { ...asked, name: other.name, input: other.input })
  return { ...ready, notes: [...parsed.notes, ...ready.notes] }
}

/** What comes out is parsed like what the model wrote: gates and the journal see what will run. */
async function change(
  ctx: PluginContext<Config>,
  turn: Turn,
  asked: RequestedCall,
  tool: Tool,
  parsed: Exclude<Parsed, Refusal>,
): Promise<Prepared> {
  const { name } = tool
  const facts = getToolFacts(tool)
  const place = toolTurn(ctx, turn, asked, tool)
  const draft = Object.freeze({ name, input: parsed.shown })
  const changed = await ctx.call(BeforeToolInput, draft, { turn: place, tool: facts })
  if (changed.name !== name) {
    const refusal = `A plugin made it a call of ${changed.name}, which none may. Nothing was run.`
    return createRefusal(ctx, turn, asked, { refusal, cause: INVALID }, tool)
  }
  const isSame = changed.input === parsed.shown
  const final = isSame ? parsed : await parse(tool, { input: changed.input })
  if ('refusal' in final) {
    const refusal = `A plugin changed the arguments. ${final.refusal}`
    return createRefusal(ctx, turn, asked, { refusal, cause: INVALID }, tool)
  }
  const { input, shown, notes } = final
  return { tool, request: { name, input, tool: facts, turn: place }, shown, notes: isSame ? notes : parsed.notes }
}

function createRefusal(
  ctx: PluginContext<Config>,
  turn: Turn,
  asked: RequestedCall,
  why: Refusal,
  tool?: Tool,
): Prepared {
  const { refusal, cause } = why
  const name = tool?.name ?? asked.name
  const facts = tool ? getToolFacts(tool) : factsOfNone(name)
  const place = toolTurn(ctx, turn, asked, tool)
  const { input } = asked
  const request = { name, input, tool: facts, turn: place }
  return { request, shown: input, notes: [], ...(tool && { tool }), refusal, cause }
}

async function parse(tool: Tool, { input, limited }: Pick<RequestedCall, 'input' | 'limited'>): Promise<Parsed> {
  const written =
    typeof input === 'string' ? await parseInput(tool, input, limited) : { object: input ?? {}, notes: [] }
  if ('refusal' in written) return written
  const { object, notes } = written
  const shown = deepFreeze(structuredClone(object))
  const first = await validate(tool, structuredClone(object))
  if (!first.issues) return { input: deepFreeze(first.value), shown, notes }
  const { coerce } = await import('./correct-call.ts')
  const second = await validate(tool, structuredClone(coerce(object, toDefinition(tool).parameters)))
  if (!second.issues) return { input: deepFreeze(second.value), shown, notes }
  const issues = first.issues.map((issue) => ({ path: formatIssuePath(issue), message: issue.message }))
  const words = issues.map(({ path, message }) => `${path || 'arguments'}: ${message}`).join('; ')
  return { refusal: `The arguments of ${tool.name} are wrong. ${words}`, cause: { kind: 'arguments', issues } }
}

/** The beginning of a call is run only where running it changes nothing. */
async function parseInput(
  { name, effect }: Tool,
  text: string,
  limited: boolean | undefined,
): Promise<{ readonly object: unknown; readonly notes: readonly string[] } | Refusal> {
  const { readArguments } = await import('./arguments.ts')
  const { object, cut, repaired } = await readArguments(text)
  if (cut !== undefined && (effect !== 'pure' || !object)) {
    const why = limited ? 'the output limit cut them off' : 'they were cut off'
    const advice = limited ? 'Send the call again with less in it, or in several calls.' : 'Send the whole call again.'
    const refusal = `The arguments of ${name} end inside ${cut}: ${why}. Nothing was run. ${advice}`
    return { refusal, cause: { kind: 'arguments' } }
  }
  if (!object) {
    const refusal = `The arguments of ${name} are not valid JSON. Send them again as one JSON object.`
    return { refusal, cause: { kind: 'arguments' } }
  }
  const taken = JSON.stringify(object)
  const short = taken.length > LONGEST_SHOWN ? `${taken.slice(0, LONGEST_SHOWN)}...` : taken
  return { object, notes: repaired ? [`The arguments of ${name} were repaired: ${short}`] : [] }
}

async function nearTool(turn: Turn, name: string): Promise<Tool | undefined> {
  const { findToolByName } = await import('./correct-call.ts')
  const meant = findToolByName(name, [...turn.tools.all.keys()])
  return meant === undefined ? undefined : turn.tools.all.get(meant)
}

async function validate(tool: Tool, input: unknown): Promise<SchemaResult<unknown>> {
  return tool.input['~standard'].validate(input)
}

/** Judges a prepared call, runs it if it may run, and returns what the model reads. Does not throw. */
export async function perform(ctx: PluginContext<Config>, turn: Turn, prepared: Prepared): Promise<Outcome> {
  const { tool, refusal, cause = INVALID } = prepared
  let request: ToolCallEvent = Object.freeze({ ...prepared.request, acts: Object.freeze({}) })
  let speaker: Speaker = 'svc'
  let result: ToolResult
  let added: string | undefined
  try {
    if (turn.signal.aborted) return await refuse(ctx, turn, request, INTERRUPTED, STOPPED)
    if (refusal !== undefined || !tool) return await refuse(ctx, turn, request, refusal ?? 'Not run.', cause)
    const { groups } = turn.options
    ctx.find(Budgets)?.countTool({ sessionId: turn.sessionId, turnId: turn.turnId, ...(groups && { groups }) })
    request = Object.freeze({ ...request, acts: await readActs(tool, request) })
    const { allow, reason = 'denied', context, ...more } = await permission(ctx, request)
    added = context
    if (!allow) {
      const advice = more.advice === undefined ? '' : ` ${more.advice}.`
      const cause = { kind: 'denied', reason, ...more } as const
      return addContext(ctx, await refuse(ctx, turn, request, `Not allowed: ${reason}.${advice}`, cause), context)
    }
    if (turn.signal.aborted) return await refuse(ctx, turn, request, INTERRUPTED, STOPPED)
    if (tool.effect !== 'pure') {
      turn.record([{ type: 'tool.running', callId: request.turn.callId }], [], 'beforeVisible')
      await turn.settled()
    }
    speaker = 'tool'
    const { name, input } = request
    const given = await ctx.call(AroundToolCall, request, async (asked) =>
      validateResult(name, await tool.run(input, asked.turn)),
    )
    result = validateResult(name, given)
  } catch (error) {
    logFault(ctx.log, `the tool ${request.name} failed`, error, ctx.all(Tools).owner(request.name))
    result = createFailedResult(errorMessage(error))
  }
  return addContext(ctx, await tell(ctx, turn, request, result, speaker), added)
}

/** A plugin's text stands behind a result, and outside of what is marked as data. */
function addContext<T extends ToolResult>(ctx: PluginContext<Config>, result: T, context: string | undefined): T {
  return context ? { ...result, text: appendContext(ctx, result.text, context) } : result
}

/** The text of a result with what plugins add to it, masked and within bounds. */
export function appendContext(ctx: PluginContext<Config>, text: string, context: string): string {
  return `${text}\n\n[Note: ${shorten(ctx.use(Secrets).mask(context), MAX_CONTEXT)}]`
}

async function refuse(
  ctx: PluginContext<Config>,
  turn: Turn,
  request: ToolCallEvent,
  text: string,
  refusal: ToolRefusal,
): Promise<Outcome> {
  const { data } = maskData(ctx.use(Secrets), refusal)
  return { ...(await tell(ctx, turn, request, createFailedResult(text), 'svc')), refusal: data as ToolRefusal }
}

/** What a call would do, in the words of its tool. A tool that cannot say so is not run. */
async function readActs(tool: Tool, { name, input, turn }: ToolCallEvent): Promise<ToolActions> {
  const { cwd, sessionId } = turn
  return tool.acts ? validateActs(name, await tool.acts(input, { cwd, sessionId })) : {}
}

function toolTurn(
  ctx: PluginContext<Config>,
  turn: Turn,
  { id: callId, begun, parent }: RequestedCall,
  tool: Tool | undefined,
): ToolContext {
  let calls = 0
  // A key makes an idempotent call safe to repeat; of the others only people know.
  const again = begun === true && tool?.effect !== 'idempotent' && tool?.effect !== 'pure'
  const own: ToolContext = {
    ...turn.context,
    callId,
    ...(parent !== undefined && { parent }),
    signal: turn.signal,
    key: `${turn.turnId}:${callId}`,
    ...(again && { again }),
    person: findTurnPerson(ctx, turn),
    progress: (text) => turn.record([{ type: 'tool.progress', callId, text: ctx.use(Secrets).mask(text) }]),
    emit: (event) => turn.record([event], [], 'beforeReturn'),
    origins: () => turn.origins(),
    tools: () => [...turn.tools.all.keys()],
    groups: turn.options.groups ?? [],
    async permit(acts) {
      if (!tool) return { allow: false, reason: 'there is no such tool' }
      const { name } = tool
      try {
        const sound = validateActs(name, acts)
        // Gates that read the input see the received part.
        const asked = { name, input: sound, tool: getToolFacts(tool), turn: own, acts: sound }
        const { context: _, ...allowed } = await permission(ctx, Object.freeze(asked))
        return allowed
      } catch (error) {
        logFault(ctx.log, `a check of ${name} failed`, error, ctx.all(Tools).owner(name))
        return { allow: false, reason: errorMessage(error) }
      }
    },
    async call(name, input) {
      const inner = await prepare(ctx, turn, { id: `${callId}.${++calls}`, name, input, parent: callId })
      turn.recordSoon(createIntentEvents(inner))
      const result = await perform(ctx, turn, inner)
      turn.recordSoon([createCompleteEvents(inner, result)])
      return result
    },
    child: (request) => runChild(ctx, { turn, context: own, tool: tool && turn.tools.all.get(tool.name) }, request),
  }
  return own
}

/** What people are shown of a call before it runs: what will run, and what was changed of it. */
export function createIntentEvents({ request, shown, notes }: Prepared): TurnEventData[] {
  const { callId, parent } = request.turn
  return [
    ...notes.map((text) => ({ type: 'notice', text }) as const),
    { type: 'tool.start', callId, ...(parent !== undefined && { parent }), name: request.name, input: shown },
  ]
}

/** What front ends show of a result. */
export function createCompleteEvents({ request }: Prepared, result: Outcome): TurnEventData {
  const { text, data, images, files, failed: isFailed, refusal } = result
  const more = { ...(data !== undefined && { data }), ...(images && { images }), ...(files && { files }) }
  const told = { ...more, ...(refusal && { refusal }) }
  return { type: 'tool.complete', callId: request.turn.callId, name: request.name, ok: !isFailed, text, ...told }
}

/** A result that says what went wrong. */
function createFailedResult(text: string): ToolResult {
  return { text, failed: true }
}

/** Who speaks: the tool and what it met, or svc about the call. */
type Speaker = 'tool' | 'svc'

/** The only way on which a result reaches the model: past the plugins, then masked, bounded and marked. Does not throw. */
async function tell(
  ctx: PluginContext<Config>,
  turn: Turn,
  request: ToolCallEvent,
  result: ToolResult,
  speaker: Speaker,
): Promise<ToolResult> {
  try {
    const done = validateResult(request.name, await ctx.call(AfterToolCall, result, request))
    // A listener that rewrites a text does not make it the user's.
    return shape(ctx, request, turn, { ...(result.origin && { origin: result.origin }), ...done }, speaker)
  } catch (error) {
    logFault(ctx.log, `a result of ${request.name} could not be checked`, error)
    return shape(ctx, request, turn, createFailedResult(`The result is held back: ${errorMessage(error)}`), 'svc')
  }
}

/** Secrets masked, kept within bounds, and marked as data when it is not the user's own. */
function shape(
  ctx: PluginContext<Config>,
  { turn: { callId, parent }, tool }: ToolCallEvent,
  turn: Turn,
  result: ToolResult,
  speaker: Speaker,
): ToolResult {
  const secrets = ctx.use(Secrets)
  const text = shorten(secrets.mask(result.text), ctx.config.max_result_chars)
  const { data, origin: _, ...rest } = result
  const origin = speaker === 'svc' ? undefined : (findOrigin(tool, result) ?? turn.foreignBelow(callId))
  if (origin !== undefined) turn.readForeign(origin, parent)
  // A tool that made the call needs the exact text; its own result is marked.
  const isMarked = origin !== undefined && (parent === undefined || tool.untrusted === true)
  return { ...rest, ...maskData(secrets, data), text: isMarked ? markUntrusted(text, origin) : text }
}

/** Data for front ends is recorded too. Data that cannot be serialized is omitted; front ends show the text then. */
function maskData(secrets: Secrets, data: unknown): { readonly data?: unknown } {
  const json = plainJson(data)
  if (json === undefined) return {}
  const clean = secrets.mask(json)
  return { data: clean === json ? data : (parsedJson(clean) ?? parsedJson(json, maskedValue(secrets))) }
}

/** For a secret that spans several strings, or is a number. */
function maskedValue(secrets: Secrets): (key: string, value: unknown) => unknown {
  return (_key, value) => {
    if (typeof value === 'string') return secrets.mask(value)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [secrets.mask(key), item]))
    if (typeof value !== 'number') return value
    return secrets.mask(String(value)) === String(value) ? value : '***'
  }
}

function parsedJson(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive)
  } catch {
    return undefined
  }
}

function plainJson(data: unknown): string | undefined {
  try {
    return JSON.stringify(data)
  } catch {
    return undefined
  }
}

function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = Math.floor(limit * 0.4)
  const left = text.length - limit
  return `${text.slice(0, head)}\n[${left} characters left out]\n${text.slice(text.length - (limit - head))}`
}
