/** The boards at a real PostgreSQL server: their contract. */
import pg from 'pg'
import { Boards } from 'svc/sdk/kanban'
import { SharedStore } from 'svc/sdk/store'
import { testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { insertEvents } from '../../../../plugins/work/kanban/event-order.ts'
import { migrations } from '../../../../plugins/work/kanban/migrations.ts'
import type { Tables } from '../../../../plugins/work/kanban/tables.ts'
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

  test('who has read an event has read all before it, also those of transactions that take longer; changes do not wait', async () => {
    const kernel = await testKernel({
      plugins: ['kanban'],
      env: { SVC_STORAGE_URL: server.url },
      config: { storage: { prefix: `k${++count}`, timeout_seconds: 20 } },
    })
    onTestFinished(() => kernel.stop())
    const boards = kernel.use(Boards)
    const { lastEvent } = await boards.stats()
    const store = await kernel.use(SharedStore).open<Tables>({ owner: 'kanban', migrations })
    onTestFinished(() => store.close())
    let [begun, end] = [() => {}, () => {}]
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    const isEnded = new Promise<void>((resolve) => {
      end = resolve
    })
    const slow = { board: 'default', taskId: 'slow', runId: null, kind: 'noted', data: {} }
    const writing = store.transaction(async (tx, now) => {
      await insertEvents(tx, store, [slow, slow], now)
      begun()
      await isEnded
    })
    await isBegun
    await boards.create({ title: 'Fast', by: 'Ann' })
    let isRead = false
    const reading = boards.events({ after: lastEvent }).finally(() => {
      isRead = true
    })
    // A later change is neither waited for nor read.
    await boards.create({ title: 'Faster', by: 'Ann' })
    expect(isRead).toBe(false)
    end()
    await writing
    expect((await reading).map(({ taskId, kind }) => (taskId === 'slow' ? kind : 'created')).slice(0, 3)).toEqual([
      'noted',
      'noted',
      'created',
    ])
  })

  test('a reader that follows many writers gets each event once, in order', async () => {
    const prefix = `k${++count}`
    const start = async () => {
      const kernel = await testKernel({
        plugins: ['kanban'],
        env: { SVC_STORAGE_URL: server.url },
        config: { storage: { prefix, timeout_seconds: 20 } },
      })
      onTestFinished(() => kernel.stop())
      return kernel.use(Boards)
    }
    const [one, two] = [await start(), await start()]
    const { lastEvent } = await one.stats()
    const writers = [one, two, one, two].map(async (boards, writer) => {
      for (let at = 0; at < 25; at++) await boards.create({ title: `${writer} ${at}`, by: 'Ann' })
    })
    const read: number[] = []
    let isOver = false
    const done = Promise.all(writers).finally(() => {
      isOver = true
    })
    for (let wasOver = false; !wasOver; ) {
      wasOver = isOver
      const events = await one.events({ after: read.at(-1) ?? lastEvent, limit: 5000 })
      read.push(...events.map(({ id }) => id))
    }
    await done
    const all = await one.events({ after: lastEvent, limit: 5000 })
    expect(read).toEqual(all.map(({ id }) => id))
    expect(all.filter(({ kind }) => kind === 'created')).toHaveLength(100)
  })
})
