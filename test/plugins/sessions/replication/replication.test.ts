/** Two homes, as on two machines, that share one database server. */
import { Outbox } from 'svc/sdk/platform'
import { Sessions } from 'svc/sdk'
import { SharedScopes } from 'svc/sdk/store'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'

const missing = missingPostgres()
let server: Postgres
let count = 0

beforeAll(async () => {
  if (missing === undefined) server = await Postgres.start()
})
afterAll(() => server?.stop())

/** Starts homes on tables that no other test has. */
function stage(more: Parameters<typeof testKernel>[0] = {}) {
  const prefix = `r${++count}`
  return async (again: Parameters<typeof testKernel>[0] = {}): Promise<TestKernel> => {
    const kernel = await testKernel({
      plugins: ['sessions', 'outbox', 'replication', 'storage-postgres'],
      env: { SVC_STORAGE_URL: server.url },
      ...more,
      ...again,
      config: { storage: { prefix, timeout_seconds: 5 }, ...more.config },
    })
    onTestFinished(() => kernel.stop())
    return kernel
  }
}

const scopes = (kernel: TestKernel) => kernel.use(SharedScopes)

/** Says something in a session, as a turn does. */
async function say(kernel: TestKernel, id: string, text: string): Promise<void> {
  const session = kernel.use(Sessions).open(id)
  const hold = await scopes(kernel).hold(`session:${id}`)
  const turnId = `turn_${text}`
  session.record({
    turnId,
    events: [{ type: 'turn.start', text, provider: 'p', model: 'm', options: { surface: 'cli' } }],
    messages: [{ role: 'user', text }],
    soon: true,
  })
  await session.synced()
  session.record({
    turnId,
    events: [{ type: 'turn.end', reason: 'completed', usage: {} }],
    messages: [{ role: 'assistant', text: `${text}!` }],
    sync: true,
  })
  await session.synced()
  await hold.release()
}

const texts = (kernel: TestKernel, id: string) =>
  kernel.use(Sessions).open(id).messages().map(({ text }) => text)

describe.skipIf(missing !== undefined)(`at PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  test('a conversation goes on at another home, and back', async () => {
    const start = stage()
    const [one, other] = [await start(), await start()]
    const { id } = one.use(Sessions).create({ surface: 'cli', title: 'Shared' })
    await say(one, id, 'a')
    await scopes(other).follow()
    expect(texts(other, id)).toEqual(['a', 'a!'])
    await say(other, id, 'b')
    await say(one, id, 'c')
    await scopes(other).follow()
    expect(texts(one, id)).toEqual(['a', 'a!', 'b', 'b!', 'c', 'c!'])
    expect(texts(other, id)).toEqual(texts(one, id))
    expect(other.use(Sessions).summary(id)).toEqual(one.use(Sessions).summary(id))
    expect(other.use(Sessions).open(id).events()).toEqual(one.use(Sessions).open(id).events())
  })

  test('a scope has one holder at a time, and the refusal names it', async () => {
    const start = stage()
    const [one, other] = [await start(), await start()]
    const hold = await scopes(one).hold('session:x')
    await expect(scopes(other).hold('session:x')).rejects.toMatchObject({
      code: 'SCOPE_HELD',
      message: expect.stringContaining(`process ${process.pid}`),
    })
    await hold.release()
    await (await scopes(other).hold('session:x')).release()
  })
})
