/** One call: past the gate, with its money held, to the provider. */
import { Clock, errorMessage, logFault, type PluginContext, SvcError, type Usage } from 'svc/sdk'
import { AroundModelCall, BeforeModelCall, ModelCallFinished, type ModelEventStream } from 'svc/sdk/hooks'
import { createModelFailure, type ModelFailure, type ModelRequest } from 'svc/sdk/provider'
import { type BudgetScope, Budgets, type CallEstimate, type Reservation } from 'svc/sdk/safety'
import type { ModelInvocation, StartedInvocation } from 'svc/sdk/sessions'

/** Contract: `ModelCalls.begin` of the SDK. */
export async function beginCall(ctx: PluginContext<undefined>, call: ModelInvocation): Promise<StartedInvocation> {
  const { provider, spender, estimate } = call
  const { signal } = call.request
  const context = { ...spender, provider: provider.name, signal }
  const request = await ctx.call(BeforeModelCall, call.request, context)
  const payer = { ...spender, provider: provider.name, model: request.model }
  const reservation = await reserve(ctx, payer, { ...estimate, tier: request.serviceTier })
  const clock = ctx.use(Clock)
  const startedAt = clock.monotonic()
  let settled: Usage | undefined
  let isOver = false
  try {
    return {
      // A listener rewrites the request; deadlines stay with the caller.
      events: await openStream(ctx, call, { ...request, signal }),
      settle(usage, tier) {
        settled = reservation?.settle(usage, tier) ?? usage
        return settled
      },
      end(failure) {
        if (settled === undefined) reservation?.release()
        if (isOver) return
        isOver = true
        const durationMs = Math.round(clock.monotonic() - startedAt)
        announce(ctx, { ...payer, usage: settled ?? {}, durationMs, ...(failure && { failure }) })
      },
    }
  } catch (error) {
    reservation?.release()
    throw error
  }
}

function announce(
  ctx: PluginContext<undefined>,
  call: BudgetScope & { readonly usage: Usage; readonly durationMs: number; readonly failure?: ModelFailure },
): void {
  ctx
    .call(ModelCallFinished, call)
    .catch((error: unknown) => logFault(ctx.log, 'the end of a model call could not be announced', error))
}

/** The stream of the provider, or what listeners made of it. */
async function openStream(
  ctx: PluginContext<undefined>,
  { provider, spender }: ModelInvocation,
  request: ModelRequest,
): Promise<ModelEventStream> {
  const { signal } = request
  let own: ModelEventStream | undefined
  const attempt = { ...spender, provider: provider.name, signal, request }
  const stream = await ctx.call(AroundModelCall, attempt, async (asked) => {
    // Built only when it is read.
    const inner = {
      [Symbol.asyncIterator]: () => provider.stream({ ...asked.request, signal })[Symbol.asyncIterator](),
    }
    own = inner
    return inner
  })
  if (stream === own) return stream
  if (typeof stream?.[Symbol.asyncIterator] === 'function') return guard(ctx, stream, provider.label)
  const message =
    'A plugin around the call of a model returned something else than a stream of events; see `svc plugins`.'
  throw new SvcError('MODEL_CALL_WRAPPED', message)
}

/** What listeners throw while the stream is read is not charged to the provider. */
async function* guard(ctx: PluginContext<undefined>, stream: ModelEventStream, label: string) {
  try {
    yield* stream
  } catch (error) {
    logFault(ctx.log, 'a plugin around the call of a model failed', error)
    const message = `The answer of ${label} was lost in a plugin around the call: ${errorMessage(error)}`
    yield { type: 'failed', failure: createModelFailure('unknown', message) } as const
  }
}

/** Without a reservation nothing is spent; errors of the budgets themselves are passed on unchanged. */
async function reserve(
  ctx: PluginContext<undefined>,
  payer: BudgetScope,
  estimate: CallEstimate,
): Promise<Reservation | undefined> {
  try {
    return await ctx.find(Budgets)?.hold(payer, estimate)
  } catch (error) {
    if (error instanceof SvcError) throw error
    const message = `The service budgets failed, and no model is called without it: ${errorMessage(error)}; see \`svc plugins\``
    throw new SvcError('BUDGETS_FAILED', message, { cause: error })
  }
}
