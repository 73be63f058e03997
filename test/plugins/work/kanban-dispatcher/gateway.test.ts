/** The dispatcher as a job of the gateway. */
import { expect, test } from 'vitest'
import { call, openScene } from './scene.ts'

test('a gateway gives ready tasks to workers, and a dispatcher that is started beside it tells it to look', async () => {
  await using scene = await openScene({
    model: ({ called }) => (called.length === 0 ? call('kanban_complete', { summary: 'I did it' }) : 'Done.'),
  })
  const { id } = await scene.create({ title: 'one' })
  scene.gateway()
  await expect.poll(async () => (await scene.boards.get(id)).status, { timeout: 30_000 }).toBe('done')
  expect(await scene.run(['kanban', 'dispatch'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Another process dispatches already/),
  })
})

test('a gateway that begins no turns gives no task to a worker until it does', async () => {
  await using scene = await openScene({
    model: ({ called }) => (called.length === 0 ? call('kanban_complete', { summary: 'I did it' }) : 'Done.'),
  })
  scene.gateway()
  await expect.poll(async () => (await scene.run(['gateway', 'drain'])).code, { timeout: 30_000 }).toBe(0)
  const { id } = await scene.create({ title: 'one' })
  // A look that is asked for, which the gateway does, starts nothing either.
  await scene.run(['kanban', 'dispatch'])
  expect((await scene.boards.get(id)).status).toBe('ready')
  expect((await scene.run(['gateway', 'drain', '--cancel'])).code).toBe(0)
  await scene.run(['kanban', 'dispatch'])
  await expect.poll(async () => (await scene.boards.get(id)).status, { timeout: 30_000 }).toBe('done')
})
