/** Scheduled jobs over the API. */
import { expect, test } from 'vitest'
import { openApi } from '../api-server/desk.ts'

test('a job is added, listed, changed, paused, run and removed', async () => {
  const { read } = await openApi(['x'], { plugins: ['cron'] })
  const body = { name: 'bees', schedule: '0 9 * * mon-fri', prompt: 'Count the bees' }
  const { job } = (await read('/api/jobs', { body })).body
  expect(job).toMatchObject({
    name: 'bees',
    enabled: true,
    deliver: 'local',
    schedule: { kind: 'cron', expr: '0 9 * * mon-fri' },
    repeat: { times: null, completed: 0 },
  })
  const one = `/api/jobs/${job.id}`
  expect((await read('/api/jobs')).body.jobs).toHaveLength(1)
  const changed = await read(one, { method: 'PATCH', body: { schedule: 'every 2h', enabled: false } })
  expect(changed.body.job).toMatchObject({ schedule: { kind: 'interval', minutes: 120 }, state: 'paused' })
  expect((await read(`${one}/resume`, { method: 'POST', body: {} })).body.job.state).toBe('scheduled')
  expect((await read(`${one}/pause`, { method: 'POST', body: {} })).body.job.state).toBe('paused')
  expect((await read(`${one}/run`, { method: 'POST', body: {} })).status).toBe(200)
  expect((await read(one, { method: 'DELETE' })).body).toEqual({ ok: true })
  expect((await read('/api/jobs?include_disabled=true')).body).toEqual({ jobs: [] })
})

test('what is wrong with a job is said as a sentence', async () => {
  const { read } = await openApi(['x'], { plugins: ['cron'] })
  const reply = async (path: string, body: object) => {
    const { status, body: said } = await read(path, { body })
    return [status, typeof said.error]
  }
  expect(await reply('/api/jobs', { name: 'x' })).toEqual([400, 'string'])
  expect(await reply('/api/jobs', { name: 'x', schedule: 'soon', prompt: 'y' })).toEqual([400, 'string'])
  expect(await reply('/api/jobs', { name: 'x', schedule: '30m', prompt: 'y'.repeat(5001) })).toEqual([400, 'string'])
  expect(await reply('/api/jobs/none/pause', {})).toEqual([404, 'string'])
})
