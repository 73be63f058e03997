/** Dispatchers of several machines on one PostgreSQL. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'
import { openStage } from './stage.ts'

const missing = missingPostgres()
const TASKS = 12
let postgres: Postgres

beforeAll(async () => {
  if (missing === undefined) postgres = await Postgres.start()
})
afterAll(() => postgres?.stop())

describe.skipIf(missing !== undefined)(`PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  test('two dispatchers share the tasks without starting one twice, and a server that is restarted loses none', async () => {
    const options = {
      ...{ script: 'exec sleep 300', settings: { max_workers: TASKS } },
      server: { url: postgres.url, prefix: 'looks' },
    }
    await using one = await openStage(options)
    await using other = await openStage(options)
    for (let at = 0; at < TASKS; at++) await one.create({ title: `${at}` })
    const reports = await Promise.all([one.look(), other.look()])
    const started = reports.flatMap((report) => report.started.map(({ task }) => task))
    expect(new Set(started).size).toBe(started.length)
    expect(started).toHaveLength(TASKS)
    await postgres.kill()
    const during = one.look().catch((error: { readonly code?: string }) => error.code)
    await postgres.run()
    await during
    for (const stage of [one, other]) expect((await stage.look()).ended).toEqual([])
    const { tasks } = await one.boards.list()
    expect(tasks.map(({ status, failures }) => `${status} ${failures}`)).toEqual(Array(TASKS).fill('running 0'))
    for (const run of await other.boards.runs({ isOpen: true }))
      expect(run).toMatchObject({ epoch: 1, worker: { pid: expect.any(Number) } })
  })
})
