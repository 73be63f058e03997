/** Two processes that look at once, on a server that both share. */

import { definePlugin } from 'svc/sdk'
import { CronJobs, Jobs } from 'svc/sdk/jobs'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'

const ENOUGH_MS = 60_000
const missing = missingPostgres()
let server: Postgres

beforeAll(async () => {
  if (missing === undefined) server = await Postgres.start()
})
afterAll(() => server?.stop())

async function start(run: (dueAt: number) => void): Promise<TestKernel> {
  const chores = {
    name: 'chores',
    manifest: { contributes: { jobs: ['chore'] } },
    ...definePlugin({
      setup(ctx) {
        const job = { name: 'chore', description: 'Notes the time.', schedule: '* * * * * *', misfire: 'all' } as const
        ctx.add(Jobs, { ...job, run: async ({ dueAt }) => run(dueAt) })
      },
    }),
  }
  const kernel = await testKernel({ plugins: ['cron'], with: [chores], env: { SVC_STORAGE_URL: server.url } })
  onTestFinished(() => kernel.stop())
  return kernel
}

describe.skipIf(missing !== undefined)(`PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  test('each instant has one row and is run once, however often two processes look at the same time', {
    timeout: 2 * ENOUGH_MS,
  }, async () => {
    const ran: number[] = []
    const kernels = [await start((at) => ran.push(at)), await start((at) => ran.push(at))]
    const [one, other] = kernels.map((kernel) => kernel.use(CronJobs))
    if (!one || !other) throw new Error('both are there')
    const until = Date.now() + ENOUGH_MS
    while (ran.length < 4 && Date.now() < until) await Promise.all([one.tick(), other.tick(), one.tick()])
    const runs = await one.runs({ job: 'chore', limit: 100 })
    const due = runs.map(({ dueAt }) => dueAt)
    expect(due.length).toBeGreaterThanOrEqual(3)
    expect(new Set(due).size).toBe(due.length)
    // No second is left out.
    expect(Math.max(...due) - Math.min(...due)).toBe((due.length - 1) * 1000)
    expect(new Set(ran).size).toBe(ran.length)
    expect(runs.every(({ attempts }) => attempts <= 1)).toBe(true)
    expect(ran.length).toBe(runs.filter(({ outcome }) => outcome === 'ran').length)
  })
})
