/** Jobs and runs as lines for people. */
import type { CronJobs, JobRun, JobSchedule, ScheduledJob } from 'svc/sdk/jobs'
import { formatColumns, formatMoment } from 'svc/sdk/kit/terminal'
import { formatDuration } from 'svc/sdk/terminal'

/** In the time zone of the schedule where it has one, with its name. */
export function formatDue({ schedule }: { readonly schedule: JobSchedule }, at: number): string {
  if (schedule.kind !== 'expression') return formatMoment(at)
  const options = { timeZone: schedule.timeZone, dateStyle: 'short', timeStyle: 'short' } as const
  return `${new Date(at).toLocaleString('sv-SE', options)} ${schedule.timeZone}`
}

export function formatDistance(at: number, now: number): string {
  const far = formatDuration(Math.abs(at - now))
  return at > now ? `in ${far}` : `${far} ago`
}

export function formatJobs(jobs: Pick<CronJobs, 'describe'>, all: readonly ScheduledJob[]): string[] {
  const rows = all.map((job) => [
    job.id,
    job.name.length > 40 ? `${job.name.slice(0, 39)}…` : job.name,
    job.state,
    job.nextDueAt === undefined ? '-' : formatMoment(job.nextDueAt),
    jobs.describe(job.schedule),
  ])
  return formatColumns([['ID', 'NAME', 'STATE', 'NEXT', 'SCHEDULE'], ...rows])
}

export function formatRuns(runs: readonly JobRun[], jobs: readonly ScheduledJob[]): string[] {
  const names = new Map(jobs.map(({ id, name }) => [id, name]))
  const rows = runs.map((run) => [
    formatMoment(run.dueAt, 'seconds'),
    (names.get(run.jobId) ?? run.jobId).slice(0, 30),
    run.trigger === 'manual' ? `${run.outcome} by hand` : run.outcome,
    run.status ?? run.reason ?? '',
    (run.error ?? run.deliveryError ?? run.output ?? '').replaceAll(/\s+/g, ' ').slice(0, 60),
  ])
  return formatColumns([['DUE', 'JOB', 'OUTCOME', 'RESULT', ''], ...rows])
}
