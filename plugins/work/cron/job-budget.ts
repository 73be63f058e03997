/** What a job may spend: the budget group `job:ID` for all its runs, and a part of it for each. */
import type { PluginContext } from 'svc/sdk'
import { Budgets } from 'svc/sdk/safety'
import type { ClaimedRun } from './run-table.ts'

type Context = Pick<PluginContext<unknown>, 'find'>

const formatGroup = (id: string) => `job:${id}`

/** The id of the job that a group counts for, also of the group of one of its runs; undefined for other groups. */
export function parseGroup(group: string): string | undefined {
  const part = group.split('/').find((each) => each.startsWith('job:'))
  return part?.slice('job:'.length)
}

/** Those of its next run. */
export function openGroups(ctx: Context, { job, run }: Pick<ClaimedRun, 'job' | 'run'>): readonly string[] {
  const budgets = ctx.find(Budgets)
  const name = formatGroup(job.id)
  if (!budgets) return [name]
  const whole = budgets.open(name, { usd: job.budgetUsd })
  if (job.runBudgetUsd === undefined) return whole.groups
  return whole.share(String(run.dueAt), { usd: job.runBudgetUsd }).groups
}

/** Why there is no further run, as a sentence; undefined while something is left. */
export function readSpent(ctx: Context, { job }: Pick<ClaimedRun, 'job'>): string | undefined {
  if (job.budgetUsd === undefined) return undefined
  const { costUsd = 0 } = ctx.find(Budgets)?.open(formatGroup(job.id), { usd: job.budgetUsd }).spent() ?? {}
  if (costUsd < job.budgetUsd) return undefined
  return `Its budget is used up: $${costUsd.toFixed(2)} of $${job.budgetUsd.toFixed(2)} are spent.`
}
