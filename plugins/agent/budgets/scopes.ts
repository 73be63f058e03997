/** Whom a call is counted for, and which cap holds for each. */
import type { BudgetLimits, BudgetScope } from 'svc/sdk/safety'
import type { Account } from './account-totals.ts'
import type { Config } from './config.ts'

/** One account of the ledger. */
export interface Scope extends Account {
  /** As people know it: "this session". */
  readonly label: string
  /** Where its caps are set. */
  readonly setting: string
  readonly caps: BudgetLimits
}

/** What is known of a moment and a process. */
export interface ScopeContext {
  readonly now: number
  readonly profile: string
  readonly config: Config
  readonly groups: ReadonlyMap<string, BudgetLimits>
}

/** Those on which a cap holds, from the widest to the narrowest. */
export function listScopes(
  { sessionId, turnId, groups = [] }: Pick<BudgetScope, 'sessionId' | 'turnId' | 'groups'>,
  { now, profile, config, groups: limits }: ScopeContext,
): Scope[] {
  const all: Scope[] = [
    ...periods('account', config.account, { id: 'account', where: 'true', values: [] }, now),
    ...periods('profile', config.profile, { id: `profile:${profile}`, where: 'profile = ?', values: [profile] }, now),
    // What a subagent spends counts for the sessions and turns above it, by groups of their names.
    ...groups.flatMap((group) => {
      const [, kind, id = ''] = /^(session|turn):(.+)$/.exec(group) ?? []
      if (kind === 'session')
        return [{ ...sessionAccount(id), label: 'the session above', setting: 'budget.session', caps: config.session }]
      return kind === 'turn' ? [{ ...turnScope(id, config), label: 'the turn above' }] : []
    }),
    ...groups.map((group) => ({
      ...groupAccount(group),
      label: group,
      setting: `the caps of ${group}`,
      caps: limits.get(group) ?? {},
    })),
    ...(sessionId
      ? [{ ...sessionAccount(sessionId), label: 'this session', setting: 'budget.session', caps: config.session }]
      : []),
    ...(turnId ? [turnScope(turnId, config)] : []),
  ]
  return all.filter(({ caps }) => Object.values(caps).some((cap) => cap !== undefined))
}

/** Its own calls and those of its subagents. The condition on `groups` is the one of the index `calls_with_groups`. */
const withBelow = (column: 'session' | 'turn', id: string): Account => ({
  id: `${column}:${id}`,
  where: `(${column} = ? OR (groups > ',,' AND instr(groups, ?) > 0))`,
  values: [id, `,${column}:${id},`],
})
export const sessionAccount = (id: string): Account => withBelow('session', id)
export const turnAccount = (id: string): Account => withBelow('turn', id)
export const groupAccount = (name: string): Account => ({
  id: `group:${name}`,
  where: 'instr(groups, ?) > 0',
  values: [`,${name},`],
})

function periods(
  who: 'account' | 'profile',
  caps: Config['account'],
  { id, where, values }: Account,
  now: number,
): Scope[] {
  const date = new Date(now)
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
  // The bounds are part of the name: in another time zone a day is another span.
  const span = (from: Date, to: Date) => {
    const bounds = [from.getTime(), to.getTime()]
    return { id: `${id}@${bounds.join('-')}`, where: `${where} AND at >= ? AND at < ?`, values: [...values, ...bounds] }
  }
  return [
    {
      ...span(new Date(year, month, 1), new Date(year, month + 1, 1)),
      ...{ label: `${who} this month`, setting: `budget.${who}.month`, caps: caps.month },
    },
    {
      ...span(new Date(year, month, day), new Date(year, month, day + 1)),
      ...{ label: `${who} today`, setting: `budget.${who}.day`, caps: caps.day },
    },
  ]
}

function turnScope(turnId: string, { turn: { tool_calls: toolCalls, ...caps } }: Config): Scope {
  const all = { ...caps, ...(toolCalls !== undefined && { toolCalls }) }
  return { ...turnAccount(turnId), label: 'this turn', setting: 'budget.turn', caps: all }
}
