/** Spending in `svc status`. */
import { expect, test } from 'vitest'
import type { Ledger } from '../../../../plugins/agent/budgets/ledger.ts'
import { readSpending } from '../../../../plugins/agent/budgets/status-section.ts'

const NOON = new Date(2026, 10, 30, 12).getTime()
const MIDNIGHT = new Date(2026, 10, 30).getTime()
const FIRST = new Date(2026, 10, 1).getTime()

test('today begins at midnight and the month at its first day; a cap that is used up is a warning', async () => {
  const rows: ReturnType<Ledger['summary']> = [
    { name: 'openai', calls: 3, unsettled: 1, costUsd: 2 },
    { name: 'custom', calls: 1, unsettled: 1 },
  ]
  const summary = (_by: string, since: number) =>
    since === MIDNIGHT ? [] : since === FIRST ? rows : [...rows, ...rows]
  const caps = { day: { usd: 1 }, month: { usd: 2 } }
  expect(await readSpending({ summary }, { now: NOON, caps })).toEqual([
    { label: 'Today', text: 'nothing; cap $1.00' },
    {
      label: 'This month',
      text: 'openai $2.0000 and 1 call of unknown price, custom unknown (1 call); cap $2.00',
      ...{ state: 'warning', fix: 'svc usage --by day --days 31' },
    },
  ])
})
