/** Scheduled jobs, for `svc status`. */
import type { CronJobs } from 'svc/sdk/jobs'
import type { StatusLine } from 'svc/sdk/operations'
import { formatDuration } from 'svc/sdk/terminal'

/** A gateway looks for due jobs several times in this time. */
const LATE_MS = 3 * 60_000

export async function readJobsStatus(cron: Pick<CronJobs, 'status'>): Promise<readonly StatusLine[]> {
  const { jobs, running, nextDueAt, lastTickAt, now } = await cron.status()
  const { scheduled, paused } = jobs
  if (scheduled + paused === 0) return [{ label: 'Jobs', text: 'none' }]
  const counts = { label: 'Jobs', text: `scheduled: ${scheduled}, paused: ${paused}, running: ${running}` }
  if (nextDueAt === undefined) return [counts]
  const next = { label: 'Next run', text: nextDueAt > now ? `in ${formatDuration(nextDueAt - now)}` : 'due now' }
  const isLookedFor = lastTickAt !== undefined && now - lastTickAt < LATE_MS
  if (isLookedFor) return [counts, next]
  return [counts, { ...next, text: `${next.text}, but no gateway runs`, state: 'warning', fix: 'svc gateway start' }]
}
