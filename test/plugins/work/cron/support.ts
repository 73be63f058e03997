/** Processes with jobs on one store, and plugins whose work is to be seen. */
import { type Clock, definePlugin } from 'svc/sdk'
import { CronJobs, type Job, type JobRun, Jobs } from 'svc/sdk/jobs'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** A wall clock that only a test sets, while waits take their time: processes that are in each other's way have to wait for real. */
export interface SetClock extends Clock {
  set(ms: number): void
}

/** Stands at 2026-01-01 00:00 UTC; `set` moves it on, or back. */
export function setClock(): SetClock {
  let now = Date.UTC(2026, 0, 1)
  const after: Clock['after'] = (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  }
  return {
    now: () => now,
    monotonic: () => performance.now(),
    after,
    sleep: (ms) => new Promise((done) => void after(ms, done)),
    set: (ms) => {
      now += ms
    },
  }
}

/** A process with the plugin `cron`; it ends with the test. */
export async function startCron(
  options: Parameters<typeof testKernel>[0] & { readonly clock: Clock },
  jobs: readonly Job[] = [],
): Promise<{ readonly kernel: TestKernel; readonly cron: CronJobs }> {
  const kernel = await testKernel({
    plugins: ['cron'],
    ...options,
    with: [...(options.with ?? []), ...(jobs.length > 0 ? [jobsPlugin(jobs)] : [])],
  })
  onTestFinished(() => kernel.stop())
  return { kernel, cron: kernel.use(CronJobs) }
}

function jobsPlugin(jobs: readonly Job[]) {
  return {
    name: 'chores',
    manifest: { contributes: { jobs: jobs.map(({ name }) => name) } },
    ...definePlugin({
      setup(ctx) {
        for (const job of jobs) ctx.add(Jobs, job)
      },
    }),
  }
}

/** `12:00 ran ok`, the oldest first. */
export function told(runs: readonly JobRun[]): string[] {
  return runs
    .toReversed()
    .map(({ dueAt, outcome, status, reason }) =>
      [new Date(dueAt).toISOString().slice(11, 16), outcome, status ?? reason].filter(Boolean).join(' '),
    )
}

/** Notes at which instants it ran. */
export function noting(job: Partial<Job> = {}): { readonly ran: string[]; readonly job: Job } {
  const ran: string[] = []
  const run: Job['run'] = async ({ dueAt }) => {
    ran.push(new Date(dueAt).toISOString().slice(11, 16))
    return 'done'
  }
  return { ran, job: { name: 'chore', description: 'Notes the time.', schedule: 'every 1h', run, ...job } }
}
