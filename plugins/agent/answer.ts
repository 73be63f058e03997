/** One answer of one model, as it comes in. */
import {
  Budgets,
  type Carry,
  Clock,
  type Image,
  type Message,
  type ModelEvent,
  type ModelFailure,
  Models,
  type PluginContext,
  type ReasoningLevel,
  type ToolCall,
  type ToolDefinition,
  type TurnEventBody,
  type Usage,
} from 'svc/sdk'
import { type Config, countFrom } from './config.ts'
import type { Turn } from './turn.ts'

const DEFAULT_TIMEOUT_S = 900
const CHARACTERS_A_TOKEN = 4
/** Of a model whose limit nobody knows. */
const DEFAULT_OUTPUT_TOKENS = 4096

/** What came of it. With a `failure`, text and reasoning are what arrived before it. */
export interface Answer {
  text: string
  reasoning: string
  calls: ToolCall[]
  images: Image[]
  carry?: Carry
  reason: Extract<ModelEvent, { type: 'end' }>['reason']
  failure?: ModelFailure
}

/** Asks once. What arrives is on disk and visible at once. Throws `BUDGET_EXCEEDED`. */
export async function stream(
  ctx: PluginContext<Config>,
  turn: Turn,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): Promise<Answer> {
  const { provider, model } = turn.choice
  const answer: Answer = { text: '', reasoning: '', calls: [], images: [], reason: 'stop' }
  const reasoning = reasoningOf(ctx, turn)
  const options = { model, ...(reasoning && { reasoning }) }
  const { digest, length } = turn.digest.of(messages, tools, options)
  const meter = measure(ctx, turn, Math.ceil(length / CHARACTERS_A_TOKEN))
  turn.record([{ type: 'model.start', provider: provider.name, model, digest }])
  const limit = timeLimit(ctx, turn.signal)
  const { session } = turn
  const request = { ...options, messages, tools, signal: limit.signal, cwd: session.cwd, conversation: session.id }
  try {
    for await (const events of provider.stream(request)) {
      turn.record(collect(turn, meter, answer, Array.isArray(events) ? events : [events]))
      if (answer.failure) break
      await turn.room()
    }
  } catch (error) {
    const message = `The provider ${provider.name} broke its contract: ${error instanceof Error ? error.message : error}`
    answer.failure = { kind: 'unknown', message, retryable: false }
    turn.record([{ type: 'model.end', reason: 'failed', failure: answer.failure }])
  } finally {
    limit.cancel()
    meter.end()
  }
  if (answer.failure?.kind === 'aborted' && limit.isOver()) answer.failure = limit.failure
  return answer
}

function reasoningOf(ctx: PluginContext<Config>, turn: Turn): ReasoningLevel | undefined {
  const { reasoning_overrides: overrides, reasoning_effort: effort } = ctx.config
  return turn.options.reasoning ?? overrides[turn.choice.model] ?? effort
}

/** The most that one call may take, whatever it does meanwhile. */
function timeLimit(ctx: PluginContext<Config>, turn: AbortSignal) {
  const seconds = countFrom(ctx, 'SVC_API_TIMEOUT') ?? DEFAULT_TIMEOUT_S
  const over = new AbortController()
  const cancel = ctx.use(Clock).after(seconds * 1000, () => over.abort(new Error('the call took too long')))
  const message = `The model did not finish its answer within ${seconds} s (SVC_API_TIMEOUT).`
  const failure: ModelFailure = { kind: 'timeout', message, retryable: true }
  return {
    signal: AbortSignal.any([turn, over.signal]),
    cancel,
    failure,
    isOver: () => over.signal.aborted && !turn.aborted,
  }
}

/** Holds room in the budgets for a call, and pays for it with what the model reports. Throws `BUDGET_EXCEEDED`. */
function measure(ctx: PluginContext<Config>, turn: Turn, inputTokens: number): Meter {
  const { provider, model } = turn.choice
  const { maxOutputTokens: outputTokens = DEFAULT_OUTPUT_TOKENS } = ctx
    .use(Models)
    .describe({ provider: provider.name, model })
  const { sessionId, turnId, options } = turn
  const spender = { sessionId, turnId, purpose: 'turn', provider: provider.name, model }
  const reservation = ctx
    .find(Budgets)
    ?.reserve({ ...spender, ...(options.groups && { groups: options.groups }) }, { inputTokens, outputTokens })
  let isPaid = false
  return {
    settle(usage) {
      isPaid = true
      return reservation?.settle(usage) ?? usage
    },
    end() {
      if (!isPaid) reservation?.release()
    },
  }
}

interface Meter {
  /** The usage with its price. */
  settle(usage: Usage): Usage
  end(): void
}

/** Takes a batch of model events in; neighbouring pieces of text become one visible event. */
function collect(turn: Turn, meter: Meter, answer: Answer, events: readonly ModelEvent[]): TurnEventBody[] {
  const seen: TurnEventBody[] = []
  for (const event of events) {
    const shown = take(turn, meter, answer, event)
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
function take(turn: Turn, meter: Meter, answer: Answer, event: ModelEvent): TurnEventBody | undefined {
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
    case 'usage': {
      const usage = meter.settle(event.usage)
      turn.spend(usage)
      return { type: 'usage', usage }
    }
    case 'failed':
      answer.failure = event.failure
      return { type: 'model.end', reason: 'failed', failure: event.failure }
    case 'end':
      answer.reason = event.reason
      if (event.carry) answer.carry = event.carry
      return { type: 'model.end', reason: event.reason }
  }
}
