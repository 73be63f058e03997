/** What a call may cost, and what it did cost. */
import { Budgets, Models, type PluginContext, type Usage } from 'svc/sdk'
import type { Config } from './config.ts'
import type { Turn } from './turn.ts'

/** Of a model whose limit nobody knows. */
const DEFAULT_OUTPUT_TOKENS = 4096

/** Holds room in the budgets for a call, and pays for it with what the model reports. Throws `BUDGET_EXCEEDED`. */
export function measure(ctx: PluginContext<Config>, turn: Turn, inputTokens: number): Meter {
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

/** Pays for one call. */
export interface Meter {
  /** The usage with its price. */
  settle(usage: Usage): Usage
  end(): void
}
