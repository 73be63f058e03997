/** One answer of the model: streams it, and tries again what failed in passing. */
import {
  BeforeModelRequest,
  Clock,
  errorCode,
  errorMessage,
  logFault,
  type Message,
  Models,
  type PluginContext,
  Random,
} from 'svc/sdk'
import { ModelChanged } from 'svc/sdk/hooks'
import { retryDelayMs, type ToolDefinition } from 'svc/sdk/provider'
import { checkModelChange, type ModelChangeRequest } from 'svc/sdk/sessions'
import type { Config } from './config.ts'
import { type Answer, stream } from './model-answer.ts'
import { findNextHidden, withoutPictures } from './pictures.ts'
import { repairHistory } from './repair-conversation.ts'
import { createReference, type Turn } from './turn.ts'

/** Times that a conversation is made shorter because it was refused as too long. */
const MAX_COMPRESSIONS = 3

/** Asks the chosen model and, where that fails before anything was shown, the models to fall back to. */
export async function ask(
  ctx: PluginContext<Config>,
  turn: Turn,
  system: string,
  tools: readonly ToolDefinition[],
): Promise<Answer> {
  const answer = await askFitting(ctx, turn, system, tools)
  return mayFallBack(turn, answer) ? fallBack(ctx, turn, system, tools, answer) : answer
}

/** Asks the model of the turn; what it refuses as too long, too large or not to be seen is made to fit and asked again. */
async function askFitting(
  ctx: PluginContext<Config>,
  turn: Turn,
  system: string,
  tools: readonly ToolDefinition[],
): Promise<Answer> {
  let compressions = 0
  let messages = await prepareMessages(ctx, turn, system, tools, 'new')
  for (;;) {
    const answer = await askOne(ctx, turn, messages, tools)
    if (!mayFallBack(turn, answer)) return answer
    if (hidePictures(turn, messages, answer)) {
      messages = await prepareMessages(ctx, turn, system, tools, 'new')
      continue
    }
    const isTooLong = answer.failure?.kind === 'context-overflow' || answer.failure?.kind === 'payload-too-large'
    if (!isTooLong || compressions++ >= MAX_COMPRESSIONS) return answer
    const before = turn.edition
    messages = await prepareMessages(ctx, turn, system, tools, 'refused')
    if (turn.edition === before) return answer
  }
}

/** Whether pictures are left out from now on, because the service did not take them or all that was sent with them. */
function hidePictures(turn: Turn, messages: readonly Message[], { failure }: Answer): boolean {
  const isRefused = failure?.kind === 'picture-refused'
  if (!failure || (!isRefused && failure.kind !== 'payload-too-large')) return false
  const hidden = findNextHidden(messages, { from: turn.hiddenPictures, wanted: isRefused ? 'all' : 'older' })
  if (!hidden) return false
  turn.hiddenPictures = hidden
  const what = hidden === 'all' ? 'pictures' : 'older pictures'
  turn.record([{ type: 'notice', text: `${failure.message} Asking again without ${what}.` }])
  return true
}

/** What is sent: the conversation as plugins leave it, which may be a shorter one. */
async function prepareMessages(
  ctx: PluginContext<Config>,
  turn: Turn,
  system: string,
  tools: readonly ToolDefinition[],
  state: 'new' | 'refused',
): Promise<Message[]> {
  const { signal, choice } = turn
  const repaired = repairHistory(turn.messages)
  const history = await ctx.call(BeforeModelRequest, repaired, {
    ...turn.context,
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
  const sound = withoutPictures(history === repaired ? repaired : repairHistory(history), turn.hiddenPictures)
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
    if (turn.shaping?.canAsk(choice) === false) continue
    const change = { from: createReference(turn.choice), to: createReference(choice), reason: 'fallback' } as const
    if (!(await mayChange(ctx, turn, change))) continue
    const { name: provider, label } = choice.provider
    const { model } = choice
    const text = `${answer.failure?.message ?? 'The model failed.'} Switching to ${model} at ${label}.`
    turn.record([{ type: 'notice', text, fallback: { provider, model, label } }])
    turn.choice = choice
    await ctx.call(ModelChanged, { sessionId: turn.sessionId, turnId: turn.turnId, ...change })
    // Its window may be a smaller one, and it may see what the other did not.
    turn.hiddenPictures = 'none'
    answer = await askFitting(ctx, turn, system, tools)
    if (!mayFallBack(turn, answer)) break
  }
  return answer
}

/** A fallback that a plugin denies is said and left out. */
async function mayChange(
  ctx: PluginContext<Config>,
  turn: Turn,
  change: Pick<ModelChangeRequest, 'from' | 'to' | 'reason'>,
): Promise<boolean> {
  const { sessionId, turnId } = turn
  const { person } = turn.context
  try {
    await checkModelChange(ctx, { sessionId, turnId, ...change }, person.isReachable ? person.confirm : undefined)
    return true
  } catch (error) {
    if (errorCode(error) !== 'MODEL_CHANGE_DENIED') throw error
    logFault(ctx.log, 'a model to fall back to was denied', error)
    turn.record([{ type: 'notice', text: errorMessage(error) }])
    return false
  }
}

/** Calls one model until there is an answer, text has been shown, or retrying is useless. */
async function askOne(
  ctx: PluginContext<Config>,
  turn: Turn,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const answer = await stream(ctx, turn, messages, tools)
    const { failure } = answer
    const isShown = answer.text !== '' && !turn.shaping?.isHeld
    if (!failure?.retryable || isShown || tries >= ctx.config.max_retries || turn.signal.aborted) return answer
    const jitter = ctx.use(Random).next()
    const waitMs = retryDelayMs(failure, tries, jitter)
    const seconds = Math.max(1, Math.round(waitMs / 1000))
    const retry = { attempt: tries + 1, limit: ctx.config.max_retries, waitMs, jitter }
    const text = `${failure.message} Trying again in ${seconds} s (${retry.attempt} of ${retry.limit}).`
    turn.record([{ type: 'notice', text, retry }])
    try {
      await ctx.use(Clock).sleep(waitMs, turn.signal)
    } catch {
      return { ...answer, failure: { kind: 'aborted', message: 'interrupted', retryable: false } }
    }
  }
}
