/** Calls of models: the one place that asks a provider. Provided by the plugin `model-calls`. */
import type { Spender } from './budgets.ts'
import type { Message, Usage } from './messages.ts'
import type { ModelEvent, ModelProvider, ModelRequest } from './providers.ts'
import { type Service, service, type TransformHook, transform } from './token.ts'

/** One call. */
export interface ModelInvocation {
  readonly provider: ModelProvider
  readonly request: ModelRequest
  /** What it is for, and who pays. */
  readonly spender: Omit<Spender, 'provider' | 'model'>
  /** For what the budgets hold until the provider has counted. */
  readonly estimate: { readonly inputTokens: number; readonly outputTokens: number }
}

/** A call that may be made: its money is held. `end` must be called; it gives back what was not settled. */
export interface BegunInvocation {
  /** As the provider yields them. */
  readonly events: AsyncIterable<ModelEvent | readonly ModelEvent[]>
  /** The call took this. Returns it with its price. */
  settle(usage: Usage): Usage
  end(): void
}

/** A model is asked here and nowhere else, so that every gate, redactor, audit and budget sees every call. */
export interface ModelCalls {
  /**
   * Passes `ModelCalling` and holds the money. Throws `BUDGET_EXCEEDED`, `GUARD_MISSING` and `HOOK_STOPPED`; after that
   * failure is an event.
   */
  begin(call: ModelInvocation): Promise<BegunInvocation>
}
export const ModelCalls: Service<ModelCalls> = service('model-calls')

/** What listeners of `ModelCalling` know of a call. */
export interface ModelCallInfo extends Omit<Spender, 'provider' | 'model'> {
  readonly provider: string
  readonly signal: AbortSignal
}

/**
 * A request on its way to a provider, whole: system prompt, conversation and definitions of tools, of turns and of side
 * work. A listener may rewrite messages, for this call only; one without which nothing may go out listens with
 * `{ failure: 'stop' }`. While a plugin that guards it does not run, no model is called.
 */
export const ModelCalling: TransformHook<ModelRequest, ModelCallInfo> = transform('model:calling', {
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
