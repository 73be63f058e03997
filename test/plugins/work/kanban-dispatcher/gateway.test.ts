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
