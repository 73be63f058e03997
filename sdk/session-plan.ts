/** The plan of a session: the steps that a model wrote down for its work. The tool `todo` writes it, front ends show it. */

import { type DecideHook, decisionHook } from './declarations.ts'
import { defineSessionState, type SessionState } from './session-state.ts'

/** @since 0.1 */
export type PlanStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled'

/** One step of a plan. @since 0.1 */
export interface PlanStep {
  /** Unique in the plan. */
  readonly id: string
  readonly content: string
  readonly status: PlanStatus
}

const STATUSES: readonly unknown[] = [
  'pending',
  'in_progress',
  'completed',
  'cancelled',
] satisfies readonly PlanStatus[]

/** Read and written with `Session.state` and `Session.setState`. Absent: no plan. @since 0.1 */
export const SessionPlan: SessionState<readonly PlanStep[]> = defineSessionState('session:plan', {
  undo: 'restores',
  parse: (value) => (Array.isArray(value) && value.every(isStep) ? value : undefined),
})

/** A change of a plan that is not made yet. @since 0.2 */
export interface PlanChange {
  readonly sessionId: string
  /** Left out where no turn changes it. */
  readonly turnId?: string
  readonly before: readonly PlanStep[]
  readonly after: readonly PlanStep[]
}

/**
 * The model is about to change the plan of a session: steps are added, begun, completed or dropped. A listener may deny it, and
 * the model reads the reason; `ask` denies, too. A listener that fails has no say.
 * @since 0.2
 */
export const BeforePlanChange: DecideHook<PlanChange> = decisionHook('plan:changing', {
  timeoutMs: 600_000,
  verdict: () => ({ decision: 'abstain' }),
})

function isStep(value: unknown): value is PlanStep {
  const { id, content, status } = (value ?? {}) as Partial<Record<keyof PlanStep, unknown>>
  return typeof id === 'string' && typeof content === 'string' && STATUSES.includes(status)
}
