/** One call of a model for side work: money held before and settled after, time limited, failure as data. */
import { Clock, errorMessage, logFault, type Message, Models, type PluginContext, type Usage } from 'svc/sdk'
import {
  type AuxiliaryRequest,
  type AuxiliaryResult,
  createModelFailure,
  type ModelChoice,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  Providers,
} from 'svc/sdk/provider'
import { ModelCalls, type StartedInvocation, totalUsage, toWellFormedMessage } from 'svc/sdk/sessions'
import type { Config, Slot } from './config.ts'

/** Rough measures for what is held back before a call. */
const CHARACTERS_PER_TOKEN = 4
const TOKENS_PER_IMAGE = 1500
const USUAL_OUTPUT = 4096

interface Reply {
  text: string
  usage: Usage | undefined
  failure: ModelFailure | undefined
  end: Extract<ModelEvent, { type: 'end' }>['reason'] | undefined
}

/** The answer, or the failure. Throws `BUDGET_EXCEEDED`. */
export async function oneCall(
  ctx: PluginContext<Config>,
  choice: ModelChoice,
  request: AuxiliaryRequest,
  slot: Slot,
): Promise<AuxiliaryResult | { readonly failure: ModelFailure }> {
  const [provider, model] = [choice.provider.name, choice.model]
  const limit = timeLimit(ctx, request, slot)
  let call: StartedInvocation | undefined
  let failure: ModelFailure | undefined
  try {
    call = await ctx.use(ModelCalls).begin({
      provider: choice.provider,
      request: createModelRequest(choice, request, slot, limit.signal),
      spender: {
        ...(request.sessionId === undefined ? {} : { sessionId: request.sessionId }),
        ...(request.turnId === undefined ? {} : { turnId: request.turnId }),
        ...(request.groups === undefined ? {} : { groups: request.groups }),
        purpose: request.slot,
      },
      estimate: estimate(ctx, choice, request),
    })
    const said = await listen(ctx, call, provider)
    if (said.failure && limit.isOver())
      // Another try would take as long again.
      said.failure = { ...createModelFailure('timeout', `It took longer than ${slot.timeout} s.`), retryable: false }
    // What was begun is paid for, whatever became of it.
    const spent = said.usage ?? (said.text === '' && said.failure ? undefined : {})
    const usage = spent ? call.settle(spent) : {}
    failure = said.failure ?? emptiness(said)
    return failure ? { failure } : { text: said.text.trim(), provider, model, usage }
  } finally {
    limit.cancel()
    call?.end(failure)
  }
}

function timeLimit(ctx: PluginContext<Config>, { signal }: AuxiliaryRequest, { timeout }: Slot) {
  const limit = new AbortController()
  const cancel = ctx.use(Clock).after(timeout * 1000, () => limit.abort())
  const all = AbortSignal.any([ctx.signal, limit.signal, ...(signal ? [signal] : [])])
  return { signal: all, cancel, isOver: () => limit.signal.aborted }
}

function createModelRequest(
  { model }: ModelChoice,
  request: AuxiliaryRequest,
  slot: Slot,
  signal: AbortSignal,
): ModelRequest {
  const temperature = request.temperature ?? slot.temperature
  return {
    model,
    messages: request.messages.map(toWellFormedMessage),
    tools: [],
    signal,
    ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(slot.reasoning === undefined ? {} : { reasoning: slot.reasoning }),
  }
}

async function listen(ctx: PluginContext<Config>, { events }: StartedInvocation, provider: string): Promise<Reply> {
  const said: Reply = { text: '', usage: undefined, failure: undefined, end: undefined }
  try {
    for await (const batch of events) for (const event of [batch].flat()) note(said, event)
  } catch (error) {
    logFault(ctx.log, `the provider ${provider} failed`, error, ctx.all(Providers).owner(provider))
    said.failure = createModelFailure('unknown', `The provider ${provider} broke its contract: ${errorMessage(error)}`)
  }
  return said
}

function note(said: Reply, event: ModelEvent): void {
  if (event.type === 'text') said.text += event.text
  else if (event.type === 'usage') said.usage = totalUsage(said.usage ?? {}, event.usage)
  else if (event.type === 'failed') said.failure = event.failure
  else if (event.type === 'end') said.end = event.reason
}

function emptiness({ text, end }: Reply): ModelFailure | undefined {
  if (text.trim() !== '') return undefined
  const why = { length: ' before its output limit was used up', filtered: ': the service held its answer back' }
  const more = end === 'length' || end === 'filtered' ? why[end] : ''
  return { ...createModelFailure('garbled', `It said nothing${more}.`), retryable: false }
}

function estimate(
  ctx: PluginContext<Config>,
  { provider, model }: ModelChoice,
  { messages, maxOutputTokens }: AuxiliaryRequest,
): { readonly inputTokens: number; readonly outputTokens: number } {
  const most = ctx.use(Models).describe({ provider: provider.name, model }).maxOutputTokens ?? USUAL_OUTPUT
  return {
    inputTokens: messages.reduce((sum, message) => sum + estimateTokens(message), 0),
    outputTokens: Math.min(maxOutputTokens ?? USUAL_OUTPUT, most),
  }
}

function estimateTokens(message: Message): number {
  const images = 'images' in message ? (message.images?.length ?? 0) : 0
  return Math.ceil(message.text.length / CHARACTERS_PER_TOKEN) + images * TOKENS_PER_IMAGE
}
