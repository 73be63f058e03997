/** The recorded prices: each settled call takes what it took then. */
import { SvcError, type TurnEvent, type Usage } from 'svc/sdk'
import type { Budgets, Reservation, WorkBudget } from 'svc/sdk/safety'
import type { Run } from './run.ts'

type UsageEvent = Extract<TurnEvent, { type: 'usage' }>

/** Stands in for the service `budgets`: refuses the call that was refused then, in the same words. */
export function recordedBudgets({ events }: Run): Budgets {
  const usages = events.filter((event): event is UsageEvent => event.type === 'usage')
  const begun = events.filter(({ type }) => type === 'model.start').length
  const refusal = events.slice(events.findLastIndex(({ type }) => type === 'model.end') + 1).find(isError)
  let [reserved, settled] = [0, 0]
  /** Work of plugins is not a part of a run. */
  const free = (): Reservation => ({ settle: (usage) => usage, release: () => {}, [Symbol.dispose]: () => {} })
  const open = (): WorkBudget => ({
    groups: [],
    spent: () => ({ modelCalls: 0 }),
    reserve: free,
    hold: async () => free(),
    share: open,
  })
  const reserve = (): Reservation => {
    if (reserved++ >= begun && refusal) throw new SvcError(refusal.code, refusal.message)
    return {
      settle: (usage) => ({ ...usage, ...pickPrice(usages[settled++]?.usage) }),
      release: () => {},
      [Symbol.dispose]: () => {},
    }
  }
  return {
    open,
    reserve,
    hold: async () => reserve(),
    countTool: () => {},
    limit: () => {},
    summarize: () => [],
    spent: () => ({ modelCalls: settled }),
  }
}

const isError = (event: TurnEvent): event is Extract<TurnEvent, { type: 'error' }> => event.type === 'error'

function pickPrice({ costUsd, unpricedCalls }: Usage = {}): Usage {
  return { ...(costUsd !== undefined && { costUsd }), ...(unpricedCalls !== undefined && { unpricedCalls }) }
}
