/** Planning of tasks by two processes that share a server. */
import { Boards, TaskPlanner } from 'svc/sdk/kanban'
import { fakeProvider, type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'

const missing = missingPostgres()
let server: Postgres

beforeAll(async () => {
  if (missing === undefined) server = await Postgres.start()
})
afterAll(() => server?.stop())

const tasks = [
  { title: 'Collect', body: 'Find them.', parents: [] },
  { title: 'Write', body: 'Write it.', parents: [0] },
]

/** The model takes the task `whole` apart, and answers for any other what cannot be used. */
async function start(): Promise<TestKernel> {
  const model = fakeProvider(({ messages }) =>
    messages.some(({ text }) => text.includes('whole'))
      ? JSON.stringify({ fanout: true, rationale: 'Two.', tasks })
      : '{"fanout": true, "tasks": [{"title": "a", "parents": [1]}, {"title": "b", "parents": [0]}]}',
  )
  const kernel = await testKernel({
    ...{ plugins: ['kanban-decompose'], with: [model.plugin], env: { SVC_STORAGE_URL: server.url } },
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  return kernel
}

describe.skipIf(missing !== undefined)(`PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  test('of two processes that look at the same time one plans: a fan-out is written whole, a circle not at all', async () => {
    const kernels = [await start(), await start()]
    const [boards] = kernels.map((kernel) => kernel.use(Boards))
    if (!boards) throw new Error('it is there')
    const add = async (title: string) => (await boards.create({ title, isTriage: true, by: 'anna' })).task.id
    const [whole, circle] = [await add('whole'), await add('circle')]
    const { signal } = new AbortController()
    const looks = await Promise.all(kernels.map((kernel) => kernel.use(TaskPlanner).planDue(signal)))
    const planned = looks.flat()
    expect(planned.map(({ taskId }) => taskId).sort()).toEqual([whole, circle].sort())
    const { childIds = [] } = planned.find(({ taskId }) => taskId === whole) ?? {}
    expect(childIds).toHaveLength(2)
    const kinds = async (id: string) => (await boards.events({ board: null, taskId: id })).map(({ kind }) => kind)
    expect((await kinds(whole)).filter((kind) => kind === 'decomposed')).toHaveLength(1)
    expect((await boards.get(whole)).status).toBe('todo')
    expect(await boards.get(circle)).toMatchObject({ status: 'triage', title: 'circle' })
    expect(await kinds(circle)).toEqual(['created', 'decompose_failed'])
    expect((await boards.list({ board: null })).total).toBe(4)
  })
})
