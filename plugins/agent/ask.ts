/** One answer of the model: streams it, and tries again what failed in passing. */
import {
  Clock,
  type Message,
  Models,
  type PluginContext,
  Random,
  RequestBuilding,
  retryDelay,
  type ToolDefinition,
} from 'svc/sdk'
import { type Answer, stream } from './answer.ts'
import type { Config } from './config.ts'
import { repairHistory } from './repair.ts'
import type { Turn } from './turn.ts'

/** Asks the chosen model and, where that fails before anything was shown, the models to fall back to. */
export async function ask(
  ctx: PluginContext<Config>,
  turn: Turn,
  system: string,
  tools: readonly ToolDefinition[],
): Promise<Answer> {
  let messages = await messagesOf(ctx, turn, system, tools, 'new')
  let answer = await askOne(ctx, turn, messages, tools)
  if (answer.failure?.kind === 'context-overflow') {
    const before = turn.edition
    messages = await messagesOf(ctx, turn, system, tools, 'refused')
    if (turn.edition !== before) answer = await askOne(ctx, turn, messages, tools)
  }
  if (!mayFallBack(turn, answer)) return answer
  return fallBack(ctx, turn, system, tools, answer)
}

/** What is sent: the conversation as plugins leave it, which may be a shorter one. */
async function messagesOf(
  ctx: PluginContext<Config>,
  turn: Turn,
  system: string,
  tools: readonly ToolDefinition[],
  state: 'new' | 'refused',
): Promise<Message[]> {
  const { sessionId, turnId, surface, signal, choice } = turn
  const repaired = repairHistory(turn.messages)
  const history = await ctx.call(RequestBuilding, repaired, {
    sessionId,
    turnId,
    surface,
    signal,
    provider: choice.provider.name,
    model: choice.model,
    fixedTokens: turn.fixedTokens(system, tools),
    ...(turn.lastInputTokens !== undefined && { lastInputTokens: turn.lastInputTokens }),
    overflowed: state === 'refused',
    emit: (event) => turn.record([event]),
    flush: () => turn.record([]),
  })
  turn.readAgain()
  const sound = history === repaired ? repaired : repairHistory(history)
  return system ? [turn.systemMessage(system), ...sound] : [...sound]
}

function mayFallBack(turn: Turn, { failure, text }: Answer): boolean {
  return failure !== undefined && failure.kind !== 'aborted' && !text.trim() && !turn.signal.aborted
}

/** Every switch is said; it lasts for this turn. */
async function fallBack(
  ctx: PluginContext<Config>,
  turn: Turn,
  system: string,
  tools: readonly ToolDefinition[],
  first: Answer,
): Promise<Answer> {
  let answer = first
  for (const choice of await ctx.use(Models).fallbacks()) {
    if (choice.provider.name === turn.choice.provider.name && choice.model === turn.choice.model) continue
    const text = `${answer.failure?.message ?? 'The model failed.'} Switching to ${choice.model} at ${choice.provider.label}.`
    turn.record([{ type: 'notice', text }])
    turn.choice = choice
    // Its window may be a smaller one.
    answer = await askOne(ctx, turn, await messagesOf(ctx, turn, system, tools, 'new'), tools)
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
    const answer = await stream(ctx, turn, messages, tools)
    const { failure } = answer
    if (!failure?.retryable || answer.text || tries >= ctx.config.max_retries || turn.signal.aborted) return answer
    const waitMs = retryDelay(failure, tries, ctx.use(Random).next())
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
