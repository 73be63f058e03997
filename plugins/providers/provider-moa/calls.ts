/** The calls of the models of a mixture: each passes the gates and pays from the budgets of the call of the mixture. */
import { Clock, errorMessage, logFault, type Message, Models, type PluginContext, SvcError, type Usage } from 'svc/sdk'
import type { ModelCallAttempt } from 'svc/sdk/hooks'
import { createModelFailure, type ModelChoice, type ModelEvent, type ModelFailure } from 'svc/sdk/provider'
import { ModelCalls, type ServiceTier, type StartedInvocation, totalUsage } from 'svc/sdk/sessions'
import { type Config, type ModelName, NAME, type Preset } from './config.ts'
import { type Opinion, toAdviser } from './conversation.ts'
import { formatModel } from './presets.ts'

const CHARACTERS_PER_TOKEN = 4
const USUAL_OUTPUT = 4096

/** The provider and the model, or why they cannot be asked. */
export async function choose(ctx: PluginContext<Config>, name: ModelName): Promise<ModelChoice | ModelFailure> {
  try {
    const choice = await ctx.use(Models).choose(name)
    if (choice.provider.name !== NAME) return choice
    return createModelFailure('invalid', 'A mixture cannot be one of its own models. Change the preset in moa.presets.')
  } catch (error) {
    return toFailure(error)
  }
}

export const isFailure = (value: object): value is ModelFailure => 'kind' in value && 'retryable' in value

/** One of the first answers. */
export async function askAdviser(
  ctx: PluginContext<Config>,
  { preset, name, attempt }: { readonly preset: Preset; readonly name: ModelName; readonly attempt: ModelCallAttempt },
): Promise<Opinion | ModelFailure> {
  const choice = await choose(ctx, name)
  if (isFailure(choice)) return choice
  const { images } = ctx.use(Models).describe({ provider: choice.provider.name, model: choice.model })
  const { reference_temperature: temperature, max_tokens: maxOutputTokens } = preset
  const limit = new AbortController()
  const cancel = ctx.use(Clock).after(preset.timeout * 1000, () => limit.abort())
  const signal = AbortSignal.any([attempt.signal, limit.signal])
  const messages = toAdviser(attempt.request.messages, images !== false)
  let text = ''
  let failure: ModelFailure | undefined
  try {
    const options = { ...(temperature !== undefined && { temperature }), maxOutputTokens }
    const call = await begin(ctx, attempt, {
      choice,
      messages,
      tools: [],
      signal,
      purpose: 'moa_reference',
      ...options,
    })
    for await (const event of paid(call)) {
      if (event.type === 'text') text += event.text
      else if (event.type === 'failed') failure = event.failure
    }
  } catch (error) {
    logFault(ctx.log, `the model ${formatModel(name)} of a mixture failed`, error)
    failure = toFailure(error)
  } finally {
    cancel()
  }
  if (limit.signal.aborted && !attempt.signal.aborted)
    return createModelFailure('timeout', `It took longer than ${preset.timeout} s.`)
  if (failure) return failure
  return text.trim() === ''
    ? createModelFailure('garbled', 'It gave no text.')
    : { model: formatModel(name), text: text.trim() }
}

/** What a call of a mixture is made of. */
export interface Asked {
  readonly choice: ModelChoice
  readonly messages: readonly Message[]
  readonly tools: ModelCallAttempt['request']['tools']
  readonly signal: AbortSignal
  readonly purpose: string
  readonly temperature?: number
  readonly maxOutputTokens?: number
}

/** Throws what `ModelCalls.begin` does. */
export function begin(ctx: PluginContext<Config>, attempt: ModelCallAttempt, asked: Asked): Promise<StartedInvocation> {
  const { choice, purpose, ...own } = asked
  const { sessionId, turnId, groups, request } = attempt
  const size = JSON.stringify([own.messages, own.tools]).length
  return ctx.use(ModelCalls).begin({
    provider: choice.provider,
    request: { ...request, ...own, model: choice.model },
    spender: {
      ...(sessionId !== undefined && { sessionId }),
      ...(turnId !== undefined && { turnId }),
      ...(groups !== undefined && { groups }),
      purpose,
    },
    estimate: {
      inputTokens: Math.ceil(size / CHARACTERS_PER_TOKEN),
      outputTokens: own.maxOutputTokens ?? USUAL_OUTPUT,
    },
  })
}

/** The events of a call, which is settled with what its provider counted, and ended however it ends. */
export async function* paid(call: StartedInvocation): AsyncGenerator<ModelEvent> {
  let usage: Usage | undefined
  let tier: ServiceTier | undefined
  let failure: ModelFailure | undefined
  let hasCome = false
  try {
    for await (const batch of call.events)
      for (const event of [batch].flat()) {
        if (event.type === 'usage') {
          usage = totalUsage(usage ?? {}, event.usage)
          tier = event.tier
        } else if (event.type === 'failed') failure = event.failure
        else hasCome = true
        yield event
      }
  } finally {
    if (usage || hasCome) call.settle(usage ?? {}, tier)
    call.end(failure)
  }
}

/** What was thrown before or instead of an answer. */
export function toFailure(error: unknown): ModelFailure {
  const isCap = error instanceof SvcError && error.code === 'BUDGET_EXCEEDED'
  const kind = isCap ? 'billing' : error instanceof SvcError ? 'invalid' : 'unknown'
  return createModelFailure(kind, errorMessage(error))
}
