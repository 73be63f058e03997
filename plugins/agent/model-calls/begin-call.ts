/** One call: past the gate, with its money held, to the provider. */
import { errorMessage, type PluginContext, SvcError } from 'svc/sdk'
import { BeforeModelCall } from 'svc/sdk/hooks'
import { type BudgetScope, Budgets, type Reservation } from 'svc/sdk/safety'
import type { ModelInvocation, StartedInvocation } from 'svc/sdk/sessions'

/** Contract: `ModelCalls.begin` of the SDK. */
export async function beginCall(ctx: PluginContext<undefined>, call: ModelInvocation): Promise<StartedInvocation> {
  const { provider, spender, estimate } = call
  const { signal } = call.request
  const request = await ctx.call(BeforeModelCall, call.request, { ...spender, provider: provider.name, signal })
  const payer = { ...spender, provider: provider.name, model: request.model }
  const reservation = reserve(ctx, payer, estimate)
  let isSettled = false
  return {
    // Built only with listeners. A listener rewrites the request; deadlines stay with the caller.
    events: { [Symbol.asyncIterator]: () => provider.stream({ ...request, signal })[Symbol.asyncIterator]() },
    settle(usage) {
      isSettled = true
      return reservation?.settle(usage) ?? usage
    },
    end() {
      if (!isSettled) reservation?.release()
    },
  }
}

/** Without a reservation nothing is spent; errors of the budgets themselves are passed on unchanged. */
function reserve(
  ctx: PluginContext<undefined>,
  payer: BudgetScope,
  estimate: ModelInvocation['estimate'],
): Reservation | undefined {
  try {
    return ctx.find(Budgets)?.reserve(payer, estimate)
  } catch (error) {
    if (error instanceof SvcError) throw error
    const message = `The service budgets failed, and no model is called without it: ${errorMessage(error)}; see \`svc plugins\``
    throw new SvcError('BUDGETS_FAILED', message, { cause: error })
  }
}
