/** The boards at a real PostgreSQL server: their contract. */
import pg from 'pg'
import { Boards } from 'svc/sdk/kanban'
import { testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { boardContract } from '../../../support/kanban/contract.ts'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'

const missing = missingPostgres()
let server: Postgres
let count = 0

beforeAll(async () => {
  if (missing === undefined) server = await Postgres.start()
})
afterAll(() => server?.stop())

describe.skipIf(missing !== undefined)(`PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  boardContract(async () => {
    const kernel = await testKernel({
      plugins: ['kanban'],
      env: { SVC_STORAGE_URL: server.url },
      config: { storage: { prefix: `k${++count}`, timeout_seconds: 20 } },
    })
    onTestFinished(() => kernel.stop())
    return { kernel, boards: kernel.use(Boards) }
  })

  test('a task that another dispatcher is just claiming is left to it, and not waited for', async () => {
    const prefix = `k${++count}`
    const kernel = await testKernel({
      plugins: ['kanban'],
      env: { SVC_STORAGE_URL: server.url },
      config: { storage: { prefix, timeout_seconds: 20 } },
    })
    onTestFinished(() => kernel.stop())
    const boards = kernel.use(Boards)
    const { id } = (await boards.create({ title: 'Write', assignee: 'coder', by: 'Ann' })).task
    const other = new pg.Client({ connectionString: server.url })
    await other.connect()
    onTestFinished(() => other.end())
    await other.query('begin')
    await other.query(`select * from ${prefix}_kanban.tasks for update`)
    expect(await boards.claim(id, { holder: 'me' })).toEqual({ refused: 'status' })
    await other.query('rollback')
    expect(await boards.claim(id, { holder: 'me' })).toMatchObject({ task: { id, status: 'running' } })
    await expect(boards.claim('no-such-task', { holder: 'me' })).rejects.toMatchObject({ code: 'KANBAN_TASK_UNKNOWN' })
  })
})
