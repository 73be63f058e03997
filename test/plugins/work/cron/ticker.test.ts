/** The gateway looks for what is due; other processes do not. */
import { join } from 'node:path'
import { CronJobs } from 'svc/sdk/jobs'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { drainingGateway } from '../../../support/draining-gateway.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { day, hour, minute, startCron, told } from './support.ts'

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

test('a gateway that begins no turns runs no job until it does, and then what is due', async () => {
  const clock = virtualClock()
  let isDraining = true
  let count = 0
  const job = { name: 'count', description: 'Counts', schedule: '10 0 * * *', run: async () => void count++ }
  const { cron } = await startCron({ clock, role: 'gateway', with: [drainingGateway(() => isDraining)] }, [job])
  await expect.poll(async () => (await cron.status()).jobs.scheduled).toBe(1)
  await clock.advance(12 * minute)
  await expect.poll(async () => told(await cron.runs({ job: 'count' }))).toEqual(['00:10 queued'])
  await clock.advance(2 * minute)
  expect(count).toBe(0)
  isDraining = false
  await expect
    .poll(async () => {
      await clock.advance(20_000)
      return told(await cron.runs({ job: 'count' }))
    })
    .toEqual(['00:10 ran silent'])
  expect(count).toBe(1)
})

/** A virtual clock that counts the timers that are set. */
function countingClock() {
  const clock = virtualClock()
  let count = 0
  const after: typeof clock.after = (ms, callback, options) => {
    count++
    return clock.after(ms, callback, options)
  }
  return { clock, counting: { ...clock, after }, count: () => count }
}

test('a gateway sleeps while nothing is due, and wakes for what is', async () => {
  const { clock, counting, count } = countingClock()
  const { cron } = await startCron({ clock: counting, role: 'gateway' })
  const job = await cron.create({ schedule: await cron.parse('in 5h'), script: 'none.sh', isScriptOnly: true })
  await clock.advance(minute)
  const before = count()
  await clock.advance(4 * hour)
  // A look a minute, and the store asks now and then whether it has missed a notice; none of them for each second.
  expect(count() - before).toBeLessThan(4 * 1000)
  expect(await cron.runs()).toEqual([])
  await clock.advance(hour)
  await expect.poll(async () => (await cron.runs({ job: job.id }))[0]?.outcome).toBe('ran')
})

test('what another process adds is run at its time, although nothing was due before', async () => {
  const [home, clock] = [temporaryFolder(), virtualClock()]
  await startCron({ home, clock, role: 'gateway' })
  await clock.advance(hour)
  const { cron: other } = await startCron({ home, clock })
  const { id } = await other.create({ schedule: await other.parse('in 30s'), script: 'none.sh', isScriptOnly: true })
  await expect
    .poll(async () => {
      // Less than the time after which a gateway looks on its own.
      if (clock.monotonic() < hour + 40_000) await clock.advance(1000)
      return (await other.runs({ job: id }))[0]?.outcome
    })
    .toBe('ran')
})
