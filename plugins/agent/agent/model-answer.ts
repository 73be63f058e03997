/** One answer of one model, as it comes in. */
import {
  Clock,
  errorMessage,
  type ImageContent,
  logFault,
  type Message,
  Models,
  type PluginContext,
  type ToolCall,
  type TurnEventData,
  type Usage,
} from 'svc/sdk'
import {
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  type ProviderMetadata,
  Providers,
  type ReasoningLevel,
  type ToolDefinition,
} from 'svc/sdk/provider'
import { ModelCalls, type ServiceTier, type StartedInvocation } from 'svc/sdk/sessions'
import { type Config, countFrom } from './config.ts'
import { withSimilarModel } from './missing-model.ts'
import { chooseTier, noticeOtherTier } from './service-tier.ts'
import type { Turn } from './turn.ts'

const DEFAULT_TIMEOUT_S = 900
const CHARACTERS_A_TOKEN = 4
/** What is nested deeper cannot be written as JSON everywhere: that recurses. */
const DEEPEST_INPUT = 500
/** Not JSON, so the model is asked to send it again. */
const NO_JSON = 'nested too deeply, or no plain data'
/** For a model whose limit is not known. */
const DEFAULT_OUTPUT_TOKENS = 4096

/** What came of it. With a `failure`, text and reasoning are what arrived before it. */
export interface Answer {
  text: string
  reasoning: string
  calls: ToolCall[]
  images: ImageContent[]
  carry?: ProviderMetadata
  /** As the provider counted them. */
  outputTokens?: number | undefined
  reason: Extract<ModelEvent, { type: 'end' }>['reason']
  failure?: ModelFailure
  /** It does not have the form that was asked for, also after a repair: what is wrong. */
  misfit?: string
}

/** Asks once. What arrives is on disk, and then visible, in the same moment. Throws `BUDGET_EXCEEDED`. */
export async function stream(
  ctx: PluginContext<Config>,
  turn: Turn,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): Promise<Answer> {
  const { provider, model } = turn.choice
  const answer: Answer = { text: '', reasoning: '', calls: [], images: [], reason: 'stop' }
  const reasoning = chooseReasoning(ctx, turn)
  const raised = turn.outputLimit === undefined ? {} : { maxOutputTokens: turn.outputLimit }
  const format = turn.shaping?.begin(turn.choice, tools)
  const options = {
    model,
    ...(reasoning && { reasoning }),
    ...raised,
    ...(format && { format }),
  }
  const { digest, length } = turn.digest.of(messages, tools, options)
  const limit = timeLimit(ctx, turn.signal)
  const { session } = turn
  const place = { cwd: session.cwd, conversation: session.id }
  const request = { ...options, ...chooseTier(ctx, turn), messages, tools, signal: limit.signal, ...place }
  const meter = await measure(ctx, turn, request, Math.ceil(length / CHARACTERS_A_TOKEN)).catch((error) => {
    limit.cancel()
    throw error
  })
  turn.recordSoon([{ type: 'model.start', provider: provider.name, model, digest, ...raised }])
  try {
    for await (const events of listen(ctx, provider.name, meter.events, request.signal)) {
      const named = events.map(limit.named)
      const isLast = named.at(-1)?.type === 'failed'
      const seen = collect(turn, meter, answer, isLast ? await withSimilarModel(ctx, turn.choice, named) : named)
      // What comes at once is written at once, and the end of an answer together with what comes of it.
      if (answer.failure) turn.record(seen)
      else turn.recordSoon(seen)
      if (answer.failure) break
      await turn.room()
    }
    // What came was paid for, whether it was counted or not.
    if (!meter.isPaid && hasCome(answer)) turn.record([paid(turn, meter, {})])
  } finally {
    limit.cancel()
    meter.end(answer.failure)
  }
  if (!answer.failure && answer.reason === 'filtered' && isSilent(answer)) answer.failure = heldBack(turn)
  return answer
}

/** Only reasoning was shown so far. */
export function isSilent({ text, images }: Pick<Answer, 'text' | 'images'>): boolean {
  return text.trim() === '' && images.length === 0
}

/** The same request would be refused again, and paid again; another model may see it otherwise. */
function heldBack({ choice: { provider, model } }: Turn): ModelFailure {
  const message = `${provider.label} held the answer of ${model} back: the model refused, or a filter stopped it. Ask in another way or choose another model.`
  return { kind: 'filtered', message, retryable: false }
}

function chooseReasoning(ctx: PluginContext<Config>, turn: Turn): ReasoningLevel | undefined {
  const { reasoning_overrides: overrides, reasoning_effort: effort } = ctx.config
  return turn.options.reasoning ?? overrides[turn.choice.model] ?? effort
}

/** The most that one call may take, whatever it does meanwhile. */
function timeLimit(ctx: PluginContext<Config>, turn: AbortSignal) {
  const seconds = countFrom(ctx, 'SVC_API_TIMEOUT') ?? DEFAULT_TIMEOUT_S
  const call = new AbortController()
  const stop = () => call.abort(turn.reason)
  if (turn.aborted) stop()
  // Of two signals one could be made, but not cheaply.
  else turn.addEventListener('abort', stop, { once: true })
  const cancelTimer = ctx.use(Clock).after(seconds * 1000, () => call.abort(new Error('the call took too long')))
  const message = `The model did not finish its answer within ${seconds} s (SVC_API_TIMEOUT).`
  const failure: ModelFailure = { kind: 'timeout', message, retryable: true }
  return {
    signal: call.signal,
    cancel() {
      cancelTimer()
      turn.removeEventListener('abort', stop)
    },
    /** A call that the limit ended was not interrupted: the journal has the failure that is acted upon. */
    named(event: ModelEvent): ModelEvent {
      const isLimit = call.signal.aborted && !turn.aborted
      return event.type === 'failed' && event.failure.kind === 'aborted' && isLimit
        ? { type: 'failed', failure }
        : event
    },
  }
}

/** Begins the call, and pays for it with what the model reports. Throws what `ModelCalls.begin` does. */
async function measure(
  ctx: PluginContext<Config>,
  turn: Turn,
  request: ModelRequest,
  inputTokens: number,
): Promise<Meter> {
  const { provider, model } = turn.choice
  const { maxOutputTokens: outputTokens = DEFAULT_OUTPUT_TOKENS } = ctx
    .use(Models)
    .describe({ provider: provider.name, model })
  const { sessionId, turnId, options } = turn
  const spender = { sessionId, turnId, purpose: 'turn', ...(options.groups && { groups: options.groups }) }
  const call = await ctx.use(ModelCalls).begin({ provider, request, spender, estimate: { inputTokens, outputTokens } })
  let isPaid = false
  return {
    events: call.events,
    get isPaid() {
      return isPaid
    },
    tier: request.serviceTier,
    settle(usage, used) {
      isPaid = true
      return call.settle(usage, used)
    },
    end: (failure) => call.end(failure),
  }
}

interface Meter {
  readonly events: StartedInvocation['events']
  readonly isPaid: boolean
  /** The tier that was asked for. */
  readonly tier: ServiceTier | undefined
  /** The usage with its price in the tier that was used. */
  settle(usage: Usage, used?: ServiceTier): Usage
  end(failure?: ModelFailure): void
}

function paid(turn: Turn, meter: Meter, counted: Usage, used?: ServiceTier): TurnEventData {
  const usage = meter.settle(counted, used)
  turn.spend(usage)
  return { type: 'usage', usage }
}

function hasCome({ text, reasoning, calls, images, failure }: Answer): boolean {
  return !failure || text !== '' || reasoning !== '' || calls.length > 0 || images.length > 0
}

/** Takes a batch of model events in; neighbouring pieces of text become one visible event. */
function collect(turn: Turn, meter: Meter, answer: Answer, events: readonly ModelEvent[]): TurnEventData[] {
  const seen: TurnEventData[] = []
  for (const event of events) {
    const shown = take(turn, meter, answer, event)
    const other = event.type === 'usage' && noticeOtherTier(turn, meter.tier, event.tier)
    if (other) seen.push(other)
    const last = seen.at(-1)
    if (shown?.type === 'message.delta' && last?.type === 'message.delta')
      seen[seen.length - 1] = { type: 'message.delta', text: last.text + shown.text }
    else if (shown?.type === 'reasoning.delta' && last?.type === 'reasoning.delta')
      seen[seen.length - 1] = { type: 'reasoning.delta', text: last.text + shown.text }
    else if (shown) seen.push(shown)
  }
  return seen
}

/** Adds one event to the answer and returns what is visible of it. */
function take(turn: Turn, meter: Meter, answer: Answer, event: ModelEvent): TurnEventData | undefined {
  switch (event.type) {
    case 'text':
      answer.text += event.text
      return event.text ? { type: 'message.delta', text: event.text } : undefined
    case 'reasoning':
      answer.reasoning += event.text
      return event.text ? { type: 'reasoning.delta', text: event.text } : undefined
    case 'tool-call':
      answer.calls.push(turn.withOwnId(event.call))
      return undefined
    case 'image':
      answer.images.push(event.image)
      return { type: 'image', image: event.image }
    case 'usage':
      answer.outputTokens = event.usage.output
      return paid(turn, meter, event.usage, event.tier)
    case 'failed':
      answer.failure = event.failure
      return { type: 'model.end', reason: 'failed', failure: event.failure }
    case 'end':
      answer.reason = event.reason
      if (event.carry) answer.carry = event.carry
      return { type: 'model.end', reason: event.reason, ...cutCalls(answer) }
  }
}

function cutCalls({ reason, calls }: Answer): { readonly cutCalls?: readonly string[] } {
  const isCut = reason === 'length' || reason === 'filtered'
  return isCut && calls.length > 0 ? { cutCalls: calls.map(({ name }) => name) } : {}
}

/** Batches of events up to the last one. A provider that throws, says no more or makes no sense has failed. */
async function* listen(
  ctx: PluginContext<Config>,
  provider: string,
  events: StartedInvocation['events'],
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[]> {
  if (signal.aborted) return yield [failedCall(signal, 'aborted', 'interrupted')]
  try {
    for await (const given of events) {
      const batch = (Array.isArray(given) ? given : [given]).map(validateEvent)
      const last = batch.findIndex(({ type }) => type === 'end' || type === 'failed')
      yield last < 0 ? batch : batch.slice(0, last + 1)
      if (last >= 0) return
    }
  } catch (error) {
    logFault(ctx.log, `the provider ${provider} failed`, error, ctx.all(Providers).owner(provider))
    yield [failedCall(signal, 'unknown', `The provider ${provider} has a fault: ${describeError(error)}`)]
    return
  }
  const advice = 'Send the message again or choose another model.'
  yield [failedCall(signal, 'cut', `The provider ${provider} ended its answer in the middle. ${advice}`)]
}

/** The code that stopped the turn knows why there is no answer. */
function failedCall(signal: AbortSignal, kind: ModelFailure['kind'], message: string): ModelEvent {
  const failure = signal.aborted
    ? ({ kind: 'aborted', message: 'The call was interrupted.', retryable: false } as const)
    : { kind, message, retryable: false }
  return { type: 'failed', failure }
}

/** Throws for a malformed event. */
function validateEvent(event: ModelEvent): ModelEvent {
  switch (event?.type) {
    case 'text':
    case 'reasoning':
      if (typeof event.text !== 'string') throw new Error('it sent a text that is not a string.')
      return event
    case 'tool-call': {
      const { id, name, input } = event.call ?? {}
      if (typeof id !== 'string' || typeof name !== 'string') throw new Error('it sent a call without id or name.')
      return canBeWritten(input) ? event : { type: 'tool-call', call: { id, name, input: NO_JSON } }
    }
    case 'usage':
      return { ...event, usage: validateUsage(event.usage) }
    case 'image':
    case 'end':
    case 'failed':
      return event
    default:
      throw new Error('it sent what is no event.')
  }
}

function canBeWritten(input: unknown): boolean {
  try {
    return !isDeeper(input, DEEPEST_INPUT) && (input === undefined || JSON.stringify(input) !== undefined)
  } catch {
    return false
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}

/** Counts only: anything else is as good as not reported. */
function validateUsage(usage: Usage): Usage {
  const counts = Object.entries(usage ?? {}).filter(([, count]) => Number.isFinite(count) && count >= 0)
  return Object.fromEntries(counts)
}

function describeError(error: unknown): string {
  return isSlip(error) ? `its code failed (${errorMessage(error)}).` : errorMessage(error).slice(0, 1000)
}

/** An error of the language, whose message is for programmers. */
function isSlip(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError
}
