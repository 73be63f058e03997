/** One row for each due instant, in every process, and whatever becomes of processes and clocks. */
import { expect, test } from 'vitest'
import { day, hour, minute, noting, setClock, startCron, told } from './support.ts'

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
