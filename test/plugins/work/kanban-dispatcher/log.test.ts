/** `svc kanban log`, by what it prints. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Boards } from 'svc/sdk/kanban'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function open() {
  const kernel = await testKernel({ plugins: ['kanban-cli', 'kanban-dispatcher'] })
  onTestFinished(() => kernel.stop())
  const boards = kernel.use(Boards)
  const { id } = (await boards.create({ title: 'one', by: 'anna' })).task
  mkdirSync(join(kernel.home, 'logs', 'kanban'), { recursive: true })
  const file = join(kernel.home, 'logs', 'kanban', `${id}.log`)
  const run = (...argv: string[]) => kernel.run(['kanban', 'log', id, ...argv])
  return { kernel, boards, id, file, run }
}

test('a task without a log says what to do, and one with a log prints it', async () => {
  const { kernel, id, file, run } = await open()
  expect((await run()).out).toMatch(/No worker has had .* svc kanban dispatch/)
  writeFileSync(file, 'first\n\u001b[31msecond\n')
  expect((await run()).out).toMatch(/^first\n.*second\n$/)
  expect((await run()).out).not.toContain('\u001b')
  expect((await run('--tail', '5')).out).not.toContain('first')
  expect(JSON.parse((await run('--json')).out)).toMatchObject({ task_id: id, exists: true, truncated: false })
  expect((await run('--tail', 'x')).code).not.toBe(0)
  expect((await kernel.run(['kanban', 'log', 't_none'])).err).toMatch(/There is no task t_none/)
})

test('a log is followed until its task is final, with all of its last line', async () => {
  const { boards, id, file, run } = await open()
  writeFileSync(file, 'first\nsec')
  const followed = run('--follow')
  appendFileSync(file, 'ond\nlast without an end')
  await boards.complete(id, { by: 'anna' })
  expect((await followed).out).toBe('first\nsecond\nlast without an end\n')
})
