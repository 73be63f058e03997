/** Money and other limits: reserved before it is spent, settled after. Provided by the plugin `budgets`. */

import { defineService, type Service } from './declarations.ts'
import type { Usage } from './messages.ts'
import type { ServiceTier } from './providers.ts'

/** The scopes that spend. Each of them counts the amount, and the caps of each apply. @since 0.2 */
export interface BudgetScope {
  readonly sessionId?: string
  readonly turnId?: string
  /** A scheduled job, a task of a board, a subagent: `job:nightly`. Its caps come from `limit`. */
  readonly groups?: readonly string[]
  /** What the call is for: `turn`, or the slot of an auxiliary model. */
  readonly purpose: string
  readonly provider: string
  readonly model: string
}

/** Upper limits of what may be spent. A field that is left out has no limit. @since 0.2 */
export interface BudgetLimits {
  readonly usd?: number | undefined
  /** Tokens read and written. */
  readonly tokens?: number | undefined
  readonly toolCalls?: number | undefined
  readonly seconds?: number | undefined
}

/**
 * A budget reservation for one call. One of the two methods must be called; a second call does nothing. With `using` it is
 * released unless it was settled.
 * @since 0.1
 */
export interface Reservation extends Disposable {
  /**
   * The call took this, in this tier (left out: the one of the estimate). Returns it with its price, or as unpriced where the price of
   * the tier is not known.
   */
  settle(usage: Usage, tier?: ServiceTier): Usage
  /** The call never happened. */
  release(): void
}

/** The amount spent. @since 0.2 */
export interface UsageTotals extends Usage {
  readonly modelCalls: number
}

/** What a part of some work is expected to take; left out: nothing of it. @since 0.2 */
export interface WorkEstimate {
  readonly usd?: number
  readonly tokens?: number
}

/**
 * A budget for work that a plugin starts: a job, an import, a crawl. Turns spend from it when they run with its `groups`
 * (`Agent.run({ groups: budget.groups })`), everything else by `reserve`.
 * @since 0.2
 */
export interface WorkBudget {
  /** Of the work and of all that it is a part of. */
  readonly groups: readonly string[]
  /** Of this work and its parts, model calls included. */
  spent(): UsageTotals
  /**
   * Holds room for something that no model call counts, such as a paid search, before it is done; `purpose` names it in `svc usage`.
   * Throws `BUDGET_EXCEEDED` when what is left of a cap, here or of something that the work is a part of, is less than the
   * estimate. `settle({ costUsd, input, output })` says what it took.
   */
  reserve(purpose: string, estimate: WorkEstimate): Reservation
  /** The same over all machines that share tables; see `Budgets.hold`. */
  hold(purpose: string, estimate: WorkEstimate): Promise<Reservation>
  /** A budget for a part of the work: it counts here as well, and its caps are at most what is left here now. */
  share(name: string, caps: BudgetLimits): WorkBudget
}

/** How model calls are grouped; `day` is that of the time zone of this machine, `model` is `provider/model`. @since 0.2 */
export type UsageColumn = 'day' | 'provider' | 'model' | 'session' | 'purpose' | 'profile'

/** What a group of model calls took. @since 0.2 */
export interface UsageSummary extends Usage {
  readonly name: string
  readonly calls: number
  /** Calls under way, or cut off by a crash. */
  readonly unsettled: number
}

/** What a model call may take. @since 0.2 */
export interface CallEstimate {
  readonly inputTokens: number
  readonly outputTokens: number
  /** The tier that is asked for. */
  readonly tier?: ServiceTier | undefined
}

/** Several processes of one home spend from one ledger. @since 0.1 */
export interface Budgets {
  /**
   * Holds room for one model call, before it is made. Throws `BUDGET_EXCEEDED`, with the cap and what to do, once a cap
   * is used up by settled and reserved amounts: caps are exceeded by one answer at most, however many calls are made at the
   * same time. A model without a known price counts as the most expensive one that is known.
   */
  reserve(spender: BudgetScope, estimate: CallEstimate): Reservation
  /**
   * The same over all machines that share tables, whose calls of the same moment `reserve` does not know. Rejects also with the codes of
   * `SharedScopes.hold`: what the others spend is not known then. Where nothing is shared it is `reserve`.
   * @since 0.2
   */
  hold(spender: BudgetScope, estimate: CallEstimate): Promise<Reservation>
  /** Counts a tool call of a turn, for the groups of the turn too. Throws `BUDGET_EXCEEDED` when there was none left. */
  countTool(spender: { readonly sessionId: string; readonly turnId: string; readonly groups?: readonly string[] }): void
  /**
   * Opens a budget for work; its caps hold until the process ends. The name says what is counted together, also over restarts:
   * `nightly:2026-11-27` for a budget of one night. Throws `BUDGET_NAME` for a name that has other characters than letters,
   * digits and `._:@-`, or more than 100.
   */
  open(name: string, caps: BudgetLimits): WorkBudget
  /** Sets the caps of a group; they hold until the process ends. */
  limit(group: string, caps: BudgetLimits): void
  /** Sums of the model calls since a moment (milliseconds since 1970), the dearest group first. */
  summarize(by: UsageColumn, since: number): readonly UsageSummary[]
  /** What one of them has spent so far. */
  spent(of: { readonly sessionId: string } | { readonly turnId: string } | { readonly group: string }): UsageTotals
}
export const Budgets: Service<Budgets> = defineService('budgets')
