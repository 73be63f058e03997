/** Calls of models: the one place that asks a provider. Provided by the plugin `model-calls`. */
import type { BudgetScope } from './budgets.ts'
import {
  defineService,
  type NotifyHook,
  notifyHook,
  type Service,
  type TransformHook,
  transformHook,
  type WrapHook,
  wrapHook,
} from './declarations.ts'
import type { Message, Usage } from './messages.ts'
import type { ModelEvent, ModelFailure, ModelProvider, ModelRequest, ServiceTier } from './providers.ts'

/** One call. @since 0.1 */
export interface ModelInvocation {
  readonly provider: ModelProvider
  readonly request: ModelRequest
  /** What it is for, and who pays. */
  readonly spender: Omit<BudgetScope, 'provider' | 'model'>
  /** For what the budgets hold until the provider has counted. */
  readonly estimate: { readonly inputTokens: number; readonly outputTokens: number }
}

/** A permitted call with a budget reservation. `end` must be called; it releases what was not settled. @since 0.2 */
export interface StartedInvocation {
  /** As the provider yields them. */
  readonly events: AsyncIterable<ModelEvent | readonly ModelEvent[]>
  /** The call took this, in this tier; left out: the one that was asked for. Returns it with its price. */
  settle(usage: Usage, tier?: ServiceTier): Usage
  /** The call is over; `failure` says why it has no answer. */
  end(failure?: ModelFailure): void
}

/**
 * A model is asked here and nowhere else, so that every gate, redactor, audit and budget sees every call.
 * @since 0.1
 */
export interface ModelCalls {
  /**
   * Passes `BeforeModelCall` and holds the money. Throws `BUDGET_EXCEEDED`, `GUARD_MISSING` and `HOOK_STOPPED`; after that
   * failure is an event. Listeners of `AroundModelCall` run here, too: `HOOK_FAILED`, `MODEL_CALL_WRAPPED`.
   */
  begin(call: ModelInvocation): Promise<StartedInvocation>
}
export const ModelCalls: Service<ModelCalls> = defineService('model-calls')

/** What listeners of `BeforeModelCall` know of a call. @since 0.2 */
export interface ModelCallContext extends Omit<BudgetScope, 'provider' | 'model'> {
  readonly provider: string
  readonly signal: AbortSignal
}

/**
 * A request on its way to a provider, whole: system prompt, conversation and definitions of tools, of turns and of side
 * work. A listener may rewrite messages, for this call only; one without which nothing may go out listens with
 * `{ failure: 'stop' }`. While a plugin that guards it does not run, no model is called.
 * @since 0.2
 */
export const BeforeModelCall: TransformHook<ModelRequest, ModelCallContext> = transformHook('model:calling', {
  gate: 'installation',
  accepts: isRequest,
})

/** A call, as it is about to be made. @since 0.2 */
export interface ModelCallAttempt extends ModelCallContext {
  readonly request: ModelRequest
}

/** The events of a call, alone or several that came together. @since 0.2 */
export type ModelEventStream = AsyncIterable<ModelEvent | readonly ModelEvent[]>

/**
 * Around the stream of a call of a model, after `BeforeModelCall`, for turns and side work: caches, recordings, redaction of
 * answers. A listener may pass a changed request to `next`, which begins the call when the stream is read, and returns that
 * stream or one of its own. The provider stays, and so does the signal. A stream that throws fails the call.
 * @since 0.2
 */
export const AroundModelCall: WrapHook<ModelCallAttempt, ModelEventStream> = wrapHook('model:streaming', {
  failure: 'fail',
  mayPass: (before, after) => after?.provider === before.provider && isRequest(after.request),
})

/** A call that is over. @since 0.2 */
export interface FinishedModelCall extends Omit<ModelCallContext, 'signal'> {
  readonly model: string
  /** With its price; empty where nothing was used or counted. */
  readonly usage: Usage
  /** From the request to the end of the answer, in milliseconds. */
  readonly durationMs: number
  /** Left out: there is an answer. */
  readonly failure?: ModelFailure
}

/**
 * A call of a model is over: of a turn (`purpose` is `turn`) or of side work (`purpose` is its slot). Called for each attempt. Not
 * called for calls that were refused before they began, as by a budget.
 * @since 0.2
 */
export const ModelCallFinished: NotifyHook<FinishedModelCall> = notifyHook('model:finished')

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool'] satisfies Message['role'][]

function isRequest(value: unknown): boolean {
  const { model, messages, tools, signal, headers } = (value ?? {}) as Record<string, unknown>
  const isMessage = (each: unknown) => {
    const { role, text } = (each ?? {}) as Record<string, unknown>
    return ROLES.includes(role) && typeof text === 'string'
  }
  return (
    typeof model === 'string' &&
    Array.isArray(messages) &&
    messages.every(isMessage) &&
    Array.isArray(tools) &&
    signal instanceof AbortSignal &&
    (headers === undefined || areHeaders(headers))
  )
}

/** Names are tokens of HTTP (RFC 9110, 5.6.2); a value has no character that ends a line or cannot be sent. */
function areHeaders(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(
    ([name, text]) =>
      /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof text === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(text),
  )
}
