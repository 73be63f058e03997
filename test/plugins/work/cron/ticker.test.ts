/** The gateway looks for what is due; other processes do not. */
import { join } from 'node:path'
import { CronJobs } from 'svc/sdk/jobs'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../../support/repository.ts'
import { day, hour, told } from './support.ts'

test('a gateway runs the job of a plugin at its time, also after nights in which it did not run', async () => {
  const clock = virtualClock()
  const kernel = await testKernel({
    plugins: ['cron'],
    dirs: [join(root, 'test/support/plugins/night-watch')],
    role: 'gateway',
    clock,
  })
  onTestFinished(() => kernel.stop())
  const cron = kernel.use(CronJobs)
  const runs = () => cron.runs({ job: 'night-watch' })
  await expect.poll(async () => (await cron.status()).jobs.scheduled).toBe(1)
  expect(await cron.list()).toMatchObject([{ id: 'plugin:night-watch', nextDueAt: Date.UTC(2026, 0, 1, 2, 30) }])
  await clock.jump(6 * hour)
  await expect
    .poll(async () => {
      await clock.advance(1000)
      return told(await runs())
    })
    .toEqual(['02:30 skipped missed'])
  await clock.jump(day - 3.5 * hour)
  await expect
    .poll(async () => {
      await clock.advance(1000)
      return told(await runs())
    })
    .toEqual(['02:30 skipped missed', '02:30 ran ok'])
  expect((await runs())[0]?.output).toBe('All was quiet at 2026-01-02T02:30:00.000Z.')
  expect((await cron.status()).lastTickAt).toBeGreaterThan(Date.UTC(2026, 0, 2))
})
