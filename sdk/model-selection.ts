/** Which model answers: hooks before one is chosen and before another one is. */
import type { ModelChange, ModelReference, TurnPurpose } from './agent.ts'
import { type Conversation, confirmIn, resolveObjection } from './conversations.ts'
import { type DecideHook, decisionHook, type TransformHook, transformHook } from './declarations.ts'
import { SvcError } from './errors.ts'
import type { Person } from './person.ts'
import type { PluginContext } from './plugin.ts'

/** The purpose for which a model is chosen. @since 0.2 */
export interface ModelSelectionContext {
  /** `turn`, or the slot of an auxiliary model, such as `compression`. */
  readonly purpose: string
  readonly sessionId?: string
  readonly turnId?: string
  /** Of a turn: on whose behalf it runs. */
  readonly turnPurpose?: TurnPurpose
  /** Of a turn: the front end, as `TurnContext.surface`. */
  readonly surface?: string
  /** Of a turn: what was written; left out where a turn continues without a message. */
  readonly text?: string
}

/**
 * Before a model is resolved, for each turn and each piece of side work: a listener names the provider or the model. What is
 * left out is what the configuration chooses. The value that comes in is what the conversation or the slot names. For a turn,
 * a choice that does not exist fails it with the reason; for side work the configured models are asked next. Not called for a
 * turn that continues after a crash: it keeps its model.
 * @since 0.2
 */
export const SelectModel: TransformHook<Partial<ModelReference>, ModelSelectionContext> = transformHook(
  'model:selecting',
  { accepts: isSelection },
)

/** A change of the model that is not made yet. @since 0.2 */
export interface ModelChangeRequest extends ModelChange {
  /** Left out for a fallback, and where a program asks. */
  readonly conversation?: Conversation
}

/**
 * Another model is about to answer: a person or a program chooses it for a conversation or for all, or a turn falls back to
 * it. A listener may deny it or have the person confirm it (`ask`); without a person who can confirm it is denied. A fallback
 * that is denied is left out, and the next one is tried. A listener that fails denies.
 * @since 0.2
 */
export const BeforeModelChange: DecideHook<ModelChangeRequest> = decisionHook('model:before-change', {
  timeoutMs: 30_000,
  verdict: () => ({ decision: 'deny', reason: 'a check of the change failed; see `svc plugins`' }),
})

/**
 * Calls `BeforeModelChange` and throws `MODEL_CHANGE_DENIED` with the reason of the listener that objects. Not called where
 * nothing changes. `confirm` asks the person; default: that of the conversation.
 * @since 0.2
 */
export async function checkModelChange(
  ctx: Pick<PluginContext<unknown>, 'call'>,
  change: ModelChangeRequest,
  confirm: Person['confirm'] | undefined = confirmIn(change.conversation),
): Promise<void> {
  const { from, to } = change
  if (from.provider === to.provider && from.model === to.model) return
  const objection = await resolveObjection(await ctx.call(BeforeModelChange, change), confirm)
  if (objection === undefined) return
  throw new SvcError('MODEL_CHANGE_DENIED', `The model was not changed: ${objection}.`, { status: 403 })
}

function isSelection(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { provider, model } = value as Record<string, unknown>
  return [provider, model].every((part) => part === undefined || (typeof part === 'string' && part !== ''))
}
