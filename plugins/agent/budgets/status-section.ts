/** What all profiles spent today and this month, for `svc status`. */
import type { StatusLine } from 'svc/sdk/operations'
import type { BudgetLimits } from 'svc/sdk/safety'
import { formatUsd } from 'svc/sdk/terminal'
import { describeCost } from './cli.ts'
import type { Ledger } from './ledger.ts'

export interface SpendingOptions {
  readonly now: number
  /** The caps of the account. */
  readonly caps: { readonly day: BudgetLimits; readonly month: BudgetLimits }
}

export async function readSpending(
  ledger: Pick<Ledger, 'summary'>,
  { now, caps }: SpendingOptions,
): Promise<readonly StatusLine[]> {
  const today = new Date(now)
  today.setHours(0, 0, 0, 0)
  const month = new Date(today.getFullYear(), today.getMonth(), 1)
  return [
    describeSpending('Today', ledger.summary('provider', today.getTime()), caps.day),
    describeSpending('This month', ledger.summary('provider', month.getTime()), caps.month),
  ]
}

function describeSpending(label: string, rows: ReturnType<Ledger['summary']>, { usd }: BudgetLimits): StatusLine {
  const cap = usd === undefined ? '' : `; cap ${formatUsd(usd)}`
  const spent = rows.map((row) => `${row.name} ${describeCost(row)}`).join(', ') || 'nothing'
  const line = { label, text: `${spent}${cap}` }
  const known = rows.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0)
  const isUsedUp = usd !== undefined && known >= usd
  return isUsedUp ? { ...line, state: 'warning', fix: 'svc usage --by day --days 31' } : line
}
