/** Whom a call is counted for, and which cap holds for each. */
import type { BudgetCaps, Spender } from 'svc/sdk'
import type { Config } from './config.ts'

/** One account of the ledger. */
export interface Scope {
  /** Its key in the ledger. */
  readonly id: string
  /** As people know it: "this session". */
  readonly label: string
  /** Where its caps are set. */
  readonly setting: string
  readonly caps: BudgetCaps
}

/** What is known of a moment and a process. */
export interface Place {
  readonly now: number
  readonly profile: string
  readonly config: Config
  readonly groups: ReadonlyMap<string, BudgetCaps>
}

/** From the widest to the narrowest. */
export function scopesOf(
  { sessionId, turnId, groups = [] }: Pick<Spender, 'sessionId' | 'turnId' | 'groups'>,
  { now, profile, config, groups: limits }: Place,
): Scope[] {
  const date = new Date(now)
  const month = `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`
  const day = `${month}-${String(date.getDate()).padStart(2, '0')}`
  const period = (who: 'account' | 'profile', id: string): Scope[] => [
    { id: `${id}/${month}`, label: `${who} this month`, setting: `budget.${who}.month`, caps: config[who].month },
    { id: `${id}/${day}`, label: `${who} today`, setting: `budget.${who}.day`, caps: config[who].day },
  ]
  return [
    ...period('account', 'account'),
    ...period('profile', `profile:${profile}`),
    ...groups.map((group) => ({
      id: `group:${group}`,
      label: group,
      setting: `the caps of ${group}`,
      caps: limits.get(group) ?? {},
    })),
    ...(sessionId
      ? [{ id: `session:${sessionId}`, label: 'this session', setting: 'budget.session', caps: config.session }]
      : []),
    ...(turnId ? [turnScope(turnId, config)] : []),
  ]
}

function turnScope(turnId: string, { turn: { tool_calls: toolCalls, ...caps } }: Config): Scope {
  const all = { ...caps, ...(toolCalls !== undefined && { toolCalls }) }
  return { id: `turn:${turnId}`, label: 'this turn', setting: 'budget.turn', caps: all }
}
