/** Requests that are repeated: a job with a key is made once, a run for a moment is queued once. */
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { minute, startCron } from './support.ts'

test('of several jobs with one key one is made, also when it was changed or removed since', async () => {
  const { cron } = await startCron({ clock: virtualClock() })
  const schedule = await cron.parse('every 1h')
  const make = (key: string, prompt = 'Look') => cron.create({ key, prompt, schedule })
  const [one, two] = await Promise.all([make('a'), make('a', 'Look again')])
  expect(one).toEqual(two)
  expect(one.id).toMatch(/^[0-9a-f]{12}$/)
  expect((await make('b')).id).not.toBe(one.id)
  await cron.edit(one.id, { name: 'changed' })
  expect(await make('a')).toMatchObject({ id: one.id, name: 'changed', prompt: 'Look' })
  await cron.remove(one.id)
  expect(await make('a')).toMatchObject({ id: one.id, state: 'removed' })
  expect(await cron.list()).toHaveLength(1)
  await expect(make('')).rejects.toMatchObject({ code: 'CRON_INPUT', param: 'key' })
  await expect(make('x'.repeat(201))).rejects.toMatchObject({ code: 'CRON_INPUT' })
})

test('a run for a moment is queued once, and is the same after it has ended', async () => {
  const clock = virtualClock()
  const { cron } = await startCron({ clock })
  const { id } = await cron.create({
    prompt: '',
    script: 'absent.sh',
    isScriptOnly: true,
    schedule: await cron.parse('every 1h'),
  })
  const now = (await cron.status()).now
  const at = now - minute
  expect(await cron.trigger(id, { at })).toMatchObject({ dueAt: at, trigger: 'manual', outcome: 'queued' })
  await Promise.all([cron.trigger(id, { at }), cron.trigger(id, { at })])
  expect(await cron.runs({ job: id })).toHaveLength(1)
  await cron.tick()
  expect(await cron.trigger(id, { at })).toMatchObject({ dueAt: at, outcome: 'ran', status: 'failed' })
  expect((await cron.tick()).runs).toEqual([])
  // Without a moment each is another run.
  expect((await cron.trigger(id)).dueAt).toBe(now)
  expect((await cron.trigger(id)).dueAt).toBe(now + 1)
  for (const wrong of [now + minute + 1, 1.5, -1])
    await expect(cron.trigger(id, { at: wrong })).rejects.toMatchObject({ code: 'CRON_INPUT', param: 'at' })
})
