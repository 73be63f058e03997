/** One row for each due instant, whoever looks, and whatever becomes of processes and clocks. */
import type { Job } from 'svc/sdk/jobs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { day, hour, minute, setClock, startCron, told } from './support.ts'

/** Notes at which instants it ran. */
function noting(job: Partial<Job> = {}): { readonly ran: string[]; readonly job: Job } {
  const ran: string[] = []
  const run: Job['run'] = async ({ dueAt }) => {
    ran.push(new Date(dueAt).toISOString().slice(11, 16))
    return 'done'
  }
  return { ran, job: { name: 'chore', description: 'Notes the time.', schedule: 'every 1h', run, ...job } }
}

test('two processes that look at once run each instant once, over hours and over clocks that are set', async () => {
  const [home, clock] = [temporaryFolder(), setClock()]
  const { ran, job } = noting()
  const one = await startCron({ home, clock }, [job])
  const other = await startCron({ home, clock }, [job])
  await one.cron.tick()
  for (let hours = 0; hours < 3; hours++) {
    clock.set(hour)
    await Promise.all([one.cron.tick(), other.cron.tick()])
  }
  expect(ran).toEqual(['01:00', '02:00', '03:00'])
  // An hour back, and on again: nothing runs twice, and nothing is left out.
  clock.set(-hour)
  await Promise.all([one.cron.tick(), other.cron.tick()])
  clock.set(2 * hour)
  await Promise.all([one.cron.tick(), other.cron.tick()])
  expect(ran.slice(3)).toEqual(['04:00'])
  // A day forward: one run stands for all.
  clock.set(day)
  await Promise.all([one.cron.tick(), other.cron.tick()])
  expect(ran.slice(4)).toEqual(['04:00'])
  const runs = await one.cron.runs({ job: 'chore', limit: 100 })
  expect(new Set(runs.map(({ dueAt }) => dueAt)).size).toBe(28)
  expect(runs).toHaveLength(28)
  expect(runs.filter(({ outcome }) => outcome === 'coalesced')).toHaveLength(23)
})

test('what was missed is made up for as the job says, also from a backlog of many days', async () => {
  const clock = setClock()
  const names = ['skip', 'once', 'all'] as const
  const chores = names.map((misfire) => noting({ name: misfire, misfire, schedule: '*/10 * * * *', timeZone: 'UTC' }))
  const { cron } = await startCron(
    { clock },
    chores.map(({ job }) => job),
  )
  await cron.tick()
  clock.set(4 * day + 6 * minute)
  await cron.tick()
  expect(chores.map(({ ran }) => ran)).toEqual([[], ['00:00'], ['23:20', '23:30', '23:40', '23:50', '00:00']])
  for (const name of names) {
    const runs = await cron.runs({ job: name, limit: 1000 })
    expect(runs.map(({ dueAt }) => dueAt).toSorted()).toEqual(
      Array.from({ length: 4 * 144 }, (_, at) => Date.UTC(2026, 0, 1) + (at + 1) * 10 * minute),
    )
  }
})

test('a job that is paused has nothing due; removed, restored and changed it goes on from now', async () => {
  const clock = setClock()
  const { cron } = await startCron({ clock, config: { cron: { timezone: 'UTC' } } })
  const schedule = await cron.parse('0 * * * *')
  const { id } = await cron.create({ schedule, script: 'none.sh', isScriptOnly: true, name: 'hourly' })
  await cron.pause(id, 'holidays')
  clock.set(3 * hour)
  expect(await cron.tick()).toEqual({ instants: 0, runs: [] })
  expect(await cron.get('hourly')).toMatchObject({ state: 'paused', reason: 'holidays' })
  expect((await cron.resume('Hourly')).nextDueAt).toBe(clock.now() + hour)
  await cron.remove(id.slice(0, 6))
  expect(await cron.list()).toEqual([])
  await expect(cron.pause(id)).rejects.toMatchObject({ code: 'CRON_REFUSED' })
  clock.set(3 * hour)
  expect((await cron.restore('hourly')).nextDueAt).toBe(clock.now() + hour)
  await cron.edit(id, { schedule: await cron.parse('30 * * * *'), repeat: 1, name: 'half past' })
  clock.set(hour)
  await cron.tick()
  expect(told(await cron.runs({ job: id }))).toEqual(['06:30 ran failed'])
  expect(await cron.get('half past')).toMatchObject({ state: 'completed', runCount: 1 })
  expect((await cron.edit(id, { repeat: null })).state).toBe('scheduled')
})

test('names, fields and chains that cannot be are refused, and change nothing', async () => {
  const { cron } = await startCron({ clock: setClock() })
  const schedule = await cron.parse('every 1h')
  const one = await cron.create({ schedule, prompt: 'one', name: 'twin' })
  const two = await cron.create({ schedule, prompt: 'two', name: 'twin', contextFrom: [one.id] })
  await expect(cron.get('twin')).rejects.toMatchObject({ code: 'CRON_AMBIGUOUS' })
  await expect(cron.get('nobody')).rejects.toMatchObject({ code: 'CRON_UNKNOWN' })
  const wrong = [
    { contextFrom: ['nobody'] },
    { contextFrom: [two.id] },
    { script: '../etc/passwd' },
    { script: null, isScriptOnly: true },
    { deliver: [] },
    { catchUp: 0 },
    { cwd: 'relative' },
    { name: ' ' },
    { prompt: 'x'.repeat(60_000) },
  ]
  for (const changes of wrong)
    await expect(cron.edit(one.id, changes), JSON.stringify(changes)).rejects.toMatchObject({ code: 'CRON_INPUT' })
  expect(await cron.get(one.id)).toEqual(one)
  await expect(cron.create({ schedule })).rejects.toMatchObject({ code: 'CRON_INPUT' })
  await expect(cron.create({ schedule: { kind: 'once', at: 5 }, prompt: 'late' })).rejects.toMatchObject({
    code: 'CRON_NEVER',
  })
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
