/** One answer of the model: streams it, and tries again what failed in passing. */
import {
  Clock,
  type Message,
  type ModelEvent,
  type ModelFailure,
  Models,
  type PluginContext,
  Random,
  RequestBuilding,
  type ToolCall,
  type ToolDefinition,
  type TurnEventBody,
} from 'svc/sdk'
import type { Config } from './config.ts'
import { repairHistory } from './repair.ts'
import type { Turn } from './turn.ts'

const BACKOFF_MS = 2000
const MAX_WAIT_MS = 60_000
const MAX_RETRY_AFTER_MS = 600_000

/** What came of it. With a `failure`, text and reasoning are what arrived before it. */
export interface Answer {
  text: string
  reasoning: string
  calls: ToolCall[]
  reason: Extract<ModelEvent, { type: 'end' }>['reason']
  failure?: ModelFailure
}

/** Asks the chosen model and, where that fails before anything was shown, the models to fall back to. */
export async function ask(
  ctx: PluginContext<Config>,
  turn: Turn,
  system: string,
  tools: readonly ToolDefinition[],
): Promise<Answer> {
  const history = await ctx.call(RequestBuilding, repairHistory(turn.messages), turn)
  const messages: Message[] = system ? [{ role: 'system', text: system }, ...history] : [...history]
  const answer = await askOne(ctx, turn, messages, tools)
  if (!mayFallBack(turn, answer)) return answer
  return fallBack(ctx, turn, messages, tools, answer)
}

function mayFallBack(turn: Turn, { failure, text }: Answer): boolean {
  return failure !== undefined && failure.kind !== 'aborted' && !text && !turn.signal.aborted
}

/** Every switch is said; it lasts for this turn. */
async function fallBack(
  ctx: PluginContext<Config>,
  turn: Turn,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  first: Answer,
): Promise<Answer> {
  let answer = first
  for (const choice of await ctx.use(Models).fallbacks()) {
    if (choice.provider.name === turn.choice.provider.name && choice.model === turn.choice.model) continue
    const text = `${answer.failure?.message ?? 'The model failed.'} Switching to ${choice.model} at ${choice.provider.label}.`
    turn.record([{ type: 'notice', text }])
    turn.choice = choice
    answer = await askOne(ctx, turn, messages, tools)
    if (!mayFallBack(turn, answer)) break
  }
  return answer
}

/** Asks one model until there is an answer, text has been shown, or there is no hope. */
async function askOne(
  ctx: PluginContext<Config>,
  turn: Turn,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const answer = await stream(turn, messages, tools)
    const { failure } = answer
    if (!failure?.retryable || answer.text || tries >= ctx.config.max_retries || turn.signal.aborted) return answer
    const waitMs = pause(ctx, failure, tries)
    const seconds = Math.max(1, Math.round(waitMs / 1000))
    const text = `${failure.message} Trying again in ${seconds} s (${tries + 1} of ${ctx.config.max_retries}).`
    turn.record([{ type: 'notice', text }])
    try {
      await ctx.use(Clock).sleep(waitMs, turn.signal)
    } catch {
      return { ...answer, failure: { kind: 'aborted', message: 'interrupted', retryable: false } }
    }
  }
}

function pause(ctx: PluginContext<Config>, failure: ModelFailure, tries: number): number {
  if (failure.retryAfterMs !== undefined) return Math.min(failure.retryAfterMs, MAX_RETRY_AFTER_MS)
  return Math.min(BACKOFF_MS * 2 ** tries, MAX_WAIT_MS) * (1 + ctx.use(Random).next() / 2)
}

async function stream(turn: Turn, messages: readonly Message[], tools: readonly ToolDefinition[]): Promise<Answer> {
  const { provider, model } = turn.choice
  const answer: Answer = { text: '', reasoning: '', calls: [], reason: 'stop' }
  const request = { model, messages, tools, signal: turn.signal, cwd: turn.session.cwd }
  try {
    for await (const events of provider.stream(request)) {
      const seen = collect(turn, answer, Array.isArray(events) ? events : [events])
      turn.record(seen)
      if (answer.failure) break
      await turn.room()
    }
  } catch (error) {
    const message = `The provider ${provider.name} broke its contract: ${error instanceof Error ? error.message : error}`
    answer.failure = { kind: 'unknown', message, retryable: false }
  }
  return answer
}

/** Takes a batch of model events in; neighbouring pieces of text become one visible event. */
function collect(turn: Turn, answer: Answer, events: readonly ModelEvent[]): TurnEventBody[] {
  const seen: TurnEventBody[] = []
  const shown = (type: 'message.delta' | 'reasoning.delta', text: string) => {
    const last = seen.at(-1)
    if (last?.type === type) seen[seen.length - 1] = { type, text: last.text + text }
    else if (text) seen.push({ type, text })
  }
  for (const event of events) {
    if (event.type === 'text') {
      answer.text += event.text
      shown('message.delta', event.text)
    } else if (event.type === 'reasoning') {
      answer.reasoning += event.text
      shown('reasoning.delta', event.text)
    } else if (event.type === 'tool-call') answer.calls.push(event.call)
    else if (event.type === 'usage') {
      turn.spend(event.usage)
      seen.push({ type: 'usage', usage: event.usage })
    } else if (event.type === 'failed') answer.failure = event.failure
    else answer.reason = event.reason
  }
  return seen
}
