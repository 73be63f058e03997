/** Calls of models: the one place that asks a provider. Provided by the plugin `model-calls`. */
import type { BudgetScope } from './budgets.ts'
import type { Message, Usage } from './messages.ts'
import type { ModelEvent, ModelProvider, ModelRequest } from './providers.ts'
import { defineService, type Service, type TransformHook, transformHook } from './token.ts'

/** One call. */
export interface ModelInvocation {
  readonly provider: ModelProvider
  readonly request: ModelRequest
  /** What it is for, and who pays. */
  readonly spender: Omit<BudgetScope, 'provider' | 'model'>
  /** For what the budgets hold until the provider has counted. */
  readonly estimate: { readonly inputTokens: number; readonly outputTokens: number }
}

/** A permitted call with a budget reservation. `end` must be called; it releases what was not settled. */
export interface StartedInvocation {
  /** As the provider yields them. */
  readonly events: AsyncIterable<ModelEvent | readonly ModelEvent[]>
  /** The call took this. Returns it with its price. */
  settle(usage: Usage): Usage
  end(): void
}

/** A model is asked here and nowhere else, so that every gate, redactor, audit and budget sees every call. */
export interface ModelCalls {
  /**
   * Passes `BeforeModelCall` and holds the money. Throws `BUDGET_EXCEEDED`, `GUARD_MISSING` and `HOOK_STOPPED`; after that
   * failure is an event.
   */
  begin(call: ModelInvocation): Promise<StartedInvocation>
}
export const ModelCalls: Service<ModelCalls> = defineService('model-calls')

/** What listeners of `BeforeModelCall` know of a call. */
export interface ModelCallContext extends Omit<BudgetScope, 'provider' | 'model'> {
  readonly provider: string
  readonly signal: AbortSignal
}

/**
 * A request on its way to a provider, whole: system prompt, conversation and definitions of tools, of turns and of side
 * work. A listener may rewrite messages, for this call only; one without which nothing may go out listens with
 * `{ failure: 'stop' }`. While a plugin that guards it does not run, no model is called.
 */
export const BeforeModelCall: TransformHook<ModelRequest, ModelCallContext> = transformHook('model:calling', {
  gate: true,
  accepts: isRequest,
})

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool'] satisfies Message['role'][]

function isRequest(value: unknown): boolean {
  const { model, messages, tools, signal } = (value ?? {}) as Record<string, unknown>
  const isMessage = (each: unknown) => {
    const { role, text } = (each ?? {}) as Record<string, unknown>
    return ROLES.includes(role) && typeof text === 'string'
  }
  return (
    typeof model === 'string' &&
    Array.isArray(messages) &&
    messages.every(isMessage) &&
    Array.isArray(tools) &&
    signal instanceof AbortSignal
  )
}
