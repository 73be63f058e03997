/** The service: caps are checked and reserved in one transaction of the ledger. */
import { type Clock, SvcError, type Usage } from 'svc/sdk'
import type { ModelInfo } from 'svc/sdk/provider'
import type {
  BudgetLimits,
  BudgetScope,
  Budgets,
  CallEstimate,
  Reservation,
  UsageTotals,
  WorkBudget,
  WorkEstimate,
} from 'svc/sdk/safety'
import type { ServiceTier } from 'svc/sdk/sessions'
import type { Standing } from './account-totals.ts'
import { addPrice, assumePrice, computeCost } from './call-cost.ts'
import type { Config } from './config.ts'
import type { Amount, Check, Entry, Ledger } from './ledger.ts'
import { groupAccount, listScopes, type Scope, sessionAccount, turnAccount } from './scopes.ts'
import type { SharedTurns } from './shared-turns.ts'
import { LedgerWorkBudget } from './work-budget.ts'

export interface BudgetDeps {
  readonly config: Config
  readonly ledger: Ledger
  readonly profile: string
  /** Caps of groups, which are set once for the life of the process. */
  readonly groups: Map<string, BudgetLimits>
  readonly clock: () => Clock
  /** Undefined: no other machine spends from the same caps. */
  readonly turns?: SharedTurns
  readonly describe: (model: { readonly provider: string; readonly model: string }) => ModelInfo
}

/** Checked before a model call, and before a tool: an exhausted tool cap does not prevent the model from answering. */
const ofModel = ['usd', 'tokens', 'seconds'] as const
const ofTool = ['toolCalls', 'seconds'] as const

const amounts = { usd: 'US dollars', tokens: 'tokens', toolCalls: 'tool calls', seconds: 'seconds' } as const

type Spender = Pick<BudgetScope, 'sessionId' | 'turnId' | 'groups'>

/** Contract: `Budgets` of the SDK. */
export class LedgerBudgets implements Budgets {
  readonly #deps: BudgetDeps
  readonly #hasCaps: boolean

  constructor(deps: BudgetDeps) {
    this.#deps = deps
    this.#hasCaps = /\d/.test(JSON.stringify(deps.config))
  }

  limit(group: string, caps: BudgetLimits): void {
    this.#deps.groups.set(group, caps)
  }

  open(name: string, caps: BudgetLimits): WorkBudget {
    return new LedgerWorkBudget(
      {
        limit: (group, limits) => this.limit(group, limits),
        spent: (group) => this.spent({ group }),
        left: (groups) => this.#left(groups),
        reserve: (groups, purpose, estimate) => this.#reserveWork(groups, purpose, estimate),
        hold: (groups, purpose, estimate) =>
          this.#together({ groups }, () => this.#reserveWork(groups, purpose, estimate)),
      },
      name,
      caps,
    )
  }

  /** Where caps hold for a session and the work of this process, and what was spent there; the widest first. */
  standings(sessionId: string): readonly (Scope & { readonly spent: UsageTotals })[] {
    const { ledger, groups, clock } = this.#deps
    const scopes = this.#scopes({ sessionId, groups: [...groups.keys()] }, clock().now())
    return scopes.map((scope) => ({ ...scope, spent: ledger.spent(scope) }))
  }

  #left(groups: readonly string[]): BudgetLimits {
    const now = this.#deps.clock().now()
    const scopes = this.#scopes({ groups }, now).filter(({ id }) => id.startsWith('group:'))
    const standings = this.#deps.ledger.standings(now, scopes)
    const left = (key: 'usd' | 'tokens' | 'toolCalls') =>
      scopes.flatMap(({ caps }, at) => {
        const [cap, standing] = [caps[key], standings[at]]
        return cap === undefined || !standing ? [] : [Math.max(0, cap - standing[key])]
      })
    const least = (key: 'usd' | 'tokens' | 'toolCalls') => {
      const all = left(key)
      return all.length > 0 ? { [key]: Math.min(...all) } : {}
    }
    return { ...least('usd'), ...least('tokens'), ...least('toolCalls') }
  }

  /** What it takes is known before, so caps are not overshot. */
  #reserveWork(groups: readonly string[], purpose: string, { usd = 0, tokens = 0 }: WorkEstimate): Reservation {
    const { ledger, profile, clock } = this.#deps
    const now = clock().now()
    const session = undefined
    const entry: Entry = {
      at: now,
      profile,
      session,
      turn: session,
      groups,
      purpose,
      provider: 'plugin',
      model: purpose,
    }
    const scopes = this.#scopes({ groups }, now)
    const guess = { input: tokens, costUsd: usd }
    const check = checker(scopes, now, ofModel, { usd, tokens })
    const call = scopes.length === 0 ? undefined : ledger.hold(entry, scopes, { usd, tokens }, guess, check)
    let isOver = false
    const release = () => {
      if (!isOver && call !== undefined) ledger.release(call)
      isOver = true
    }
    return {
      settle(usage) {
        const paid = { ...usage, costUsd: usage.costUsd ?? usd }
        if (isOver) return paid
        isOver = true
        const taken = { tokens: (usage.input ?? 0) + (usage.output ?? 0), usd: paid.costUsd }
        if (call === undefined) ledger.add(entry, paid, taken)
        else ledger.settle(call, entry, paid, taken)
        return paid
      },
      release,
      [Symbol.dispose]: release,
    }
  }

  hold(spender: BudgetScope, estimate: Parameters<Budgets['hold']>[1]): Promise<Reservation> {
    return this.#together(spender, () => this.reserve(spender, estimate))
  }

  /** Where a cap holds, machines reserve one after the other. */
  async #together(spender: Spender, reserve: () => Reservation): Promise<Reservation> {
    const { turns, clock } = this.#deps
    return this.#scopes(spender, clock().now()).length > 0 && turns ? turns.take(reserve) : reserve()
  }

  reserve(spender: BudgetScope, estimate: CallEstimate): Reservation {
    const { ledger, profile, describe } = this.#deps
    const now = this.#deps.clock().now()
    const { sessionId: session, turnId: turn, groups = [], purpose, provider, model } = spender
    const entry: Entry = { at: now, profile, session, turn, groups, purpose, provider, model }
    const scopes = this.#scopes(spender, now)
    const info = describe({ provider, model })
    const { inputTokens: input, outputTokens: output, tier } = estimate
    const guess = { input, output }
    // Nothing is held where no cap is: the call is written down when it is over.
    const call =
      scopes.length === 0
        ? undefined
        : ledger.hold(entry, scopes, computeAmount(guess, info, tier), guess, checker(scopes, now, ofModel))
    let isOver = false
    const release = () => {
      if (!isOver && call !== undefined) ledger.release(call)
      isOver = true
    }
    return {
      settle(usage, used = tier) {
        const paid = addPrice(usage, info, used)
        if (isOver) return paid
        // A service that does not count is taken at the estimate: caps must hold with it too.
        const isCounted = usage.input !== undefined || usage.output !== undefined
        const taken = computeAmount(isCounted ? usage : { ...guess, ...pickCost(usage) }, info, used)
        if (call === undefined) ledger.add(entry, paid, taken)
        else ledger.settle(call, entry, paid, taken)
        isOver = true
        return paid
      },
      release,
      [Symbol.dispose]: release,
    }
  }

  countTool(spender: Parameters<Budgets['countTool']>[0]): void {
    const now = this.#deps.clock().now()
    const scopes = this.#scopes(spender, now).filter(
      ({ caps }) => caps.toolCalls !== undefined || caps.seconds !== undefined,
    )
    if (scopes.length > 0) this.#deps.ledger.countTool(now, scopes, checker(scopes, now, ofTool))
  }

  spent(of: { readonly sessionId: string } | { readonly turnId: string } | { readonly group: string }) {
    const { ledger } = this.#deps
    if ('sessionId' in of) return ledger.spent(sessionAccount(of.sessionId))
    return ledger.spent('turnId' in of ? turnAccount(of.turnId) : groupAccount(of.group))
  }

  summarize(by: Parameters<Budgets['summarize']>[0], since: number): ReturnType<Budgets['summarize']> {
    return this.#deps.ledger.summary(by, since)
  }

  /** Most installations have no caps, and are asked for each call. */
  #scopes(spender: Spender, now: number): Scope[] {
    if (!this.#hasCaps && this.#deps.groups.size === 0) return []
    const { config, profile, groups } = this.#deps
    return listScopes(spender, { now, profile, config, groups })
  }
}

const pickCost = ({ costUsd }: Usage): Usage => (costUsd === undefined ? {} : { costUsd })

/** What caps count: a call without a known price counts at the assumed one. */
function computeAmount(usage: Usage, info: ModelInfo, tier: ServiceTier | undefined): Amount {
  return {
    tokens: (usage.input ?? 0) + (usage.output ?? 0),
    usd: usage.costUsd ?? computeCost(assumePrice(info, tier), usage),
  }
}

/** `more`: what is known to be spent now, which must fit as a whole. */
function checker(
  scopes: readonly Scope[],
  now: number,
  keys: readonly (keyof typeof amounts)[],
  more: WorkEstimate = {},
): Check {
  return (id, standing) => {
    const scope = scopes.find((one) => one.id === id)
    return scope && refusalBeyond(scope, standing, now, keys, more)
  }
}

function refusalBeyond(
  { caps, label, setting }: Scope,
  standing: Standing,
  now: number,
  keys: readonly (keyof typeof amounts)[],
  more: { readonly [Key in keyof typeof amounts]?: number } = {},
): SvcError | undefined {
  const used = { ...standing, seconds: (now - standing.firstAt) / 1000 }
  for (const key of keys) {
    const cap = caps[key]
    const wanted = more[key] ?? 0
    if (cap === undefined || (wanted > 0 ? used[key] + wanted <= cap : used[key] < cap)) continue
    const name = key === 'toolCalls' ? 'tool_calls' : key
    const spent = key === 'usd' ? used.usd.toFixed(4) : Math.round(used[key])
    return new SvcError(
      'BUDGET_EXCEEDED',
      `The budget is used up: ${spent} of ${cap} ${amounts[key]} for ${label}${wanted > 0 ? `, and ${wanted} more are needed` : ''}. Raise ${setting}.${name}, or see \`svc usage\`.`,
      { status: 429 },
    )
  }
  return undefined
}
