/** Several processes on one store. */
import type { Job } from 'svc/sdk/jobs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { day, hour, minute, noting, setClock, startCron, told } from './support.ts'

test('two processes on one store run each instant once, over hours and over clocks that are set', async () => {
  const [home, clock] = [temporaryFolder(), setClock()]
  const { ran, job } = noting()
  const one = await startCron({ home, clock }, [job])
  const other = await startCron({ home, clock }, [job])
  await one.cron.tick()
  for (let hours = 0; hours < 3; hours++) {
    clock.set(hour)
    for (const { cron } of [other, one]) await cron.tick()
  }
  expect(ran).toEqual(['01:00', '02:00', '03:00'])
  // An hour back, and on again: nothing runs twice, and nothing is left out.
  clock.set(-hour)
  for (const { cron } of [other, one]) await cron.tick()
  clock.set(2 * hour)
  for (const { cron } of [other, one]) await cron.tick()
  expect(ran.slice(3)).toEqual(['04:00'])
  // A day forward: one run stands for all.
  clock.set(day)
  for (const { cron } of [other, one]) await cron.tick()
  expect(ran.slice(4)).toEqual(['04:00'])
  const runs = await one.cron.runs({ job: 'chore', limit: 100 })
  expect(new Set(runs.map(({ dueAt }) => dueAt)).size).toBe(28)
  expect(runs).toHaveLength(28)
  expect(runs.filter(({ outcome }) => outcome === 'coalesced')).toHaveLength(23)
})

test('a run of a process that died is taken over once its lease is over, and its late writer is refused', async () => {
  const [home, clock] = [temporaryFolder(), setClock()]
  let hangs = true
  let release = () => {}
  const run: Job['run'] = async () => {
    if (!hangs) return 'from the other process'
    hangs = false
    await new Promise<void>((done) => (release = done))
    return 'too late'
  }
  const job = { name: 'chore', description: 'Hangs once.', schedule: 'every 1h', run }
  const one = await startCron({ home, clock }, [job])
  const other = await startCron({ home, clock }, [job])
  await one.cron.tick()
  clock.set(hour)
  const first = one.cron.tick()
  await expect.poll(() => hangs).toBe(false)
  expect((await other.cron.tick()).runs).toEqual([])
  // Set forward, the clock leaves no time to prolong the lease, as in a process that was stopped.
  clock.set(5 * minute)
  const { runs } = await other.cron.tick()
  // What it had begun cannot be told, so it is not begun again.
  expect(told(runs)).toEqual(['01:00 ran crashed'])
  release()
  expect((await first).runs).toEqual([])
  expect(await one.cron.runs({ job: 'chore' })).toMatchObject([{ status: 'crashed', attempts: 2 }])
})
