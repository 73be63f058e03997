/** Budgets for work that plugins start: groups of the ledger whose caps are set by code. */
import { SvcError } from 'svc/sdk'
import type { BudgetLimits, Reservation, UsageTotals, WorkBudget, WorkEstimate } from 'svc/sdk/safety'

/** The dependencies of the class. */
export interface WorkBudgetDeps {
  limit(group: string, caps: BudgetLimits): void
  spent(group: string): UsageTotals
  /** Remainder of the caps of the groups; a field is left out where no cap applies. */
  left(groups: readonly string[]): BudgetLimits
  reserve(groups: readonly string[], purpose: string, estimate: WorkEstimate): Reservation
  hold(groups: readonly string[], purpose: string, estimate: WorkEstimate): Promise<Reservation>
}

const NAME = /^[\w.:@-]{1,100}$/

/** Contract: `WorkBudget` of the SDK. */
export class LedgerWorkBudget implements WorkBudget {
  readonly groups: readonly string[]
  readonly #deps: WorkBudgetDeps
  readonly #group: string

  /** Throws `BUDGET_NAME`. `within`: the groups of the work that it is a part of, the nearest last. */
  constructor(deps: WorkBudgetDeps, name: string, caps: BudgetLimits, within: readonly string[] = []) {
    if (!NAME.test(name))
      throw new SvcError('BUDGET_NAME', `"${name.slice(0, 100)}" is no name of a budget: use letters, digits and ._:@-`)
    this.#deps = deps
    this.#group = `${within.at(-1) ?? 'work'}/${name}`
    this.groups = [...within, this.#group]
    deps.limit(this.#group, caps)
  }

  spent(): UsageTotals {
    return this.#deps.spent(this.#group)
  }

  reserve(purpose: string, estimate: WorkEstimate): Reservation {
    return this.#deps.reserve(this.groups, purpose, estimate)
  }

  hold(purpose: string, estimate: WorkEstimate): Promise<Reservation> {
    return this.#deps.hold(this.groups, purpose, estimate)
  }

  share(name: string, caps: BudgetLimits): WorkBudget {
    return new LedgerWorkBudget(this.#deps, name, smaller(caps, this.#deps.left(this.groups)), this.groups)
  }
}

/** Of each cap the smaller one. */
function smaller(one: BudgetLimits, two: BudgetLimits): BudgetLimits {
  const pick = (key: keyof BudgetLimits) => {
    const caps = [one[key], two[key]].filter((cap) => cap !== undefined)
    return caps.length > 0 ? { [key]: Math.min(...caps) } : {}
  }
  return { ...pick('usd'), ...pick('tokens'), ...pick('toolCalls'), ...pick('seconds') }
}
