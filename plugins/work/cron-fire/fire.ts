/** Has a job run once for the moment of a token. */
import { errorCode } from 'svc/sdk'
import type { CronJobs } from 'svc/sdk/jobs'
import type { FireToken } from './fire-token.ts'

/** An instant of the schedule this near is the one that is meant: svc runs it without being asked. */
const NEAR_MS = 300_000
/** More than are due in the hour for which a token can be used. */
const MAX_RUNS = 200
const GONE = ['CRON_UNKNOWN', 'CRON_AMBIGUOUS', 'CRON_REFUSED']

/** `gone`: there is no such job, or nothing of it is due any more. */
export async function fire(jobs: CronJobs, { jobId, at }: FireToken): Promise<'accepted' | 'gone'> {
  try {
    const job = await jobs.get(jobId)
    // A name is not an id.
    if (job.id !== jobId || job.state !== 'scheduled') return 'gone'
    const isNear = (dueAt: number | undefined) => dueAt !== undefined && Math.abs(dueAt - at) <= NEAR_MS
    if (isNear(job.nextDueAt)) return 'accepted'
    const runs = await jobs.runs({ job: jobId, limit: MAX_RUNS })
    if (!runs.some(({ trigger, dueAt }) => trigger === 'schedule' && isNear(dueAt))) await jobs.trigger(jobId, { at })
    return 'accepted'
  } catch (error) {
    if (GONE.includes(errorCode(error) ?? '')) return 'gone'
    throw error
  }
}
