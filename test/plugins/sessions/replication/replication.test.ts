/** Two homes, as on two machines, that share one database server. */
import { join } from 'node:path'
import { type PluginContext, type Service, type SessionState, Sessions } from 'svc/sdk'
import { Outbox } from 'svc/sdk/platform'
import { Storage } from 'svc/sdk/storage'
import { holdScope, SharedScopes } from 'svc/sdk/store'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { migrations as outboxSteps } from '../../../../plugins/messaging/outbox/migrations.ts'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const missing = missingPostgres()
let server: Postgres
let count = 0

beforeAll(async () => {
  if (missing === undefined) server = await Postgres.start()
})
afterAll(() => server?.stop())

const mood: SessionState<string> = {
  state: 'mood',
  undo: 'keeps',
  parse: (value) => (typeof value === 'string' ? value : undefined),
}

/** Starts homes on tables that no other test has. */
function stage(more: Parameters<typeof testKernel>[0] = {}) {
  const prefix = `r${++count}`
  const start = async (again: Parameters<typeof testKernel>[0] = {}): Promise<TestKernel> => {
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
  return { start, prefix }
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
  kernel
    .use(Sessions)
    .open(id)
    .messages()
    .map(({ text }) => text)

/** Lets others believe that a process has died. */
async function expire(prefix: string): Promise<void> {
  await server.query(`update "${prefix}_replication".shared_processes set expires_at = 0`)
}

const post = (kernel: TestKernel, key: string, text = key) =>
  kernel.use(Outbox).post({ platform: 'pigeon', chatId: 'c', text, key })

const outbox = (kernel: TestKernel) =>
  kernel.use(Storage).open({ file: join(kernel.home, 'data/outbox/outbox.db'), migrations: outboxSteps })

/** The texts of an outbox whose platform is nowhere connected. */
function posted(kernel: TestKernel): string[] {
  return outbox(kernel)
    .prepare<{ text: string }>('SELECT text FROM messages ORDER BY key')
    .all()
    .map(({ text }) => text)
}

describe.skipIf(missing !== undefined)(`at PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  test('a conversation goes on at another home, and back', async () => {
    const { start } = stage()
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

  test('what was taken back, stored and renamed is the same elsewhere, and what is removed goes', async () => {
    const { start, prefix } = stage()
    const [one, other] = [await start(), await start()]
    const { id } = one.use(Sessions).create({ surface: 'cli' })
    for (const text of ['a', 'b', 'c']) await say(one, id, text)
    const session = one.use(Sessions).open(id)
    session.setState(mood, 'calm')
    session.rewind(4)
    one.use(Sessions).rename(id, 'Renamed')
    await session.synced()
    await scopes(other).follow()
    expect(texts(other, id)).toEqual(['a', 'a!', 'b', 'b!'])
    expect(other.use(Sessions).open(id).state(mood)).toBe('calm')
    expect(other.use(Sessions).summary(id).title).toBe('Renamed')
    // There it goes on, with a change of its own.
    other.use(Sessions).open(id).unwind()
    other.use(Sessions).open(id).setState(mood, 'angry')
    await other.use(Sessions).open(id).synced()
    await scopes(one).follow()
    expect(texts(one, id)).toEqual(['a', 'a!', 'b', 'b!', 'c', 'c!'])
    expect(session.state(mood)).toBe('angry')
    await one.use(Sessions).remove([id], { copy: false })
    await say(one, one.use(Sessions).create({ surface: 'cli' }).id, 'x')
    await vi.waitFor(
      async () => {
        await scopes(other).follow()
        expect(() => other.use(Sessions).open(id)).toThrow(/no session/)
      },
      { timeout: 10_000 },
    )
    const left = `select 1 from "${prefix}_replication".shared_rows where parent like '%${id}%' and data is not null`
    expect(await server.query(left)).toEqual([])
  })

  test('what two homes had before they shared is at both, under numbers that do not meet', async () => {
    const { start } = stage()
    const folders = [temporaryFolder(), temporaryFolder()]
    const ids: string[] = []
    for (const home of folders) {
      const alone = await start({ home, env: {} })
      const { id } = alone.use(Sessions).create({ surface: 'cli' })
      await say(alone, id, 'a')
      await say(alone, id, 'b')
      const session = alone.use(Sessions).open(id)
      session.setState(mood, home)
      session.rewind(2)
      ids.push(id)
      await alone.stop()
    }
    const [one, other] = [await start({ home: folders[0] as string }), await start({ home: folders[1] as string })]
    await scopes(one).follow()
    await scopes(other).follow()
    await vi.waitFor(
      async () => {
        for (const kernel of [one, other]) {
          await scopes(kernel).follow()
          for (const [at, id] of ids.entries()) {
            expect(texts(kernel, id)).toEqual(['a', 'a!'])
            expect(kernel.use(Sessions).open(id).state(mood)).toBe(folders[at])
          }
        }
      },
      { timeout: 10_000 },
    )
  })

  test('a scope has one holder at a time, and the refusal names it', async () => {
    const { start } = stage()
    const [one, other] = [await start(), await start()]
    const hold = await scopes(one).hold('session:x')
    const again = await scopes(one).hold('session:x')
    await hold.release()
    await expect(scopes(other).hold('session:x')).rejects.toMatchObject({
      code: 'SCOPE_HELD',
      message: expect.stringContaining(`process ${process.pid}`),
    })
    await again.release()
    await (await scopes(other).hold('session:x')).release()
  })

  test('who lost a scope without noticing writes nothing more, and takes its own back', async () => {
    const { start, prefix } = stage()
    const [one, other] = [await start(), await start()]
    const { id } = one.use(Sessions).create({ surface: 'cli' })
    await say(one, id, 'a')
    const lost = await scopes(one).hold(`session:${id}`)
    const session = one.use(Sessions).open(id)
    await scopes(other).follow()
    await expire(prefix)
    await say(other, id, 'b')
    session.record({ turnId: 'late', events: [], messages: [{ role: 'user', text: 'late' }], sync: true })
    await expect(session.synced()).rejects.toMatchObject({ code: 'SCOPE_HELD' })
    expect(lost.signal.aborted).toBe(true)
    await say(other, id, 'c')
    await say(one, id, 'd')
    await scopes(other).follow()
    const all = ['a', 'a!', 'b', 'b!', 'c', 'c!', 'd', 'd!']
    expect([texts(one, id), texts(other, id)]).toEqual([all, all])
  })

  test('what was written after a loss is taken back, also where no other did anything', async () => {
    const { start, prefix } = stage()
    const [one, other] = [await start(), await start()]
    const { id } = one.use(Sessions).create({ surface: 'cli' })
    await say(one, id, 'a')
    await scopes(one).hold(`session:${id}`)
    await expire(prefix)
    await (await scopes(other).hold(`session:${id}`)).release()
    const session = one.use(Sessions).open(id)
    session.record({ turnId: 'late', events: [], messages: [{ role: 'user', text: 'late' }], sync: true })
    await expect(session.synced()).rejects.toMatchObject({ code: 'SCOPE_HELD' })
    await say(one, id, 'b')
    expect(texts(one, id)).toEqual(['a', 'a!', 'b', 'b!'])
  })

  test('what a process had not sent when it died is sent when it runs again, unless others went on', async () => {
    const { start, prefix } = stage()
    const home = temporaryFolder()
    const [one, other] = [await start({ home }), await start()]
    const [kept, overtaken] = ['kept', 'overtaken'].map(
      (title) => one.use(Sessions).create({ surface: 'cli', title }).id,
    ) as [string, string]
    for (const id of [kept, overtaken]) await say(one, id, 'a')
    await scopes(other).follow()
    await server.kill()
    for (const id of [kept, overtaken])
      one
        .use(Sessions)
        .open(id)
        .record({ turnId: 'x', events: [], messages: [{ role: 'user', text: 'unsent' }], sync: true })
    await one.stop()
    await server.run()
    await expire(prefix)
    await say(other, overtaken, 'b')
    const again = await start({ home })
    await say(again, kept, 'c')
    await say(again, overtaken, 'c')
    await scopes(other).follow()
    for (const kernel of [again, other]) {
      expect(texts(kernel, kept)).toEqual(['a', 'a!', 'unsent', 'c', 'c!'])
      expect(texts(kernel, overtaken)).toEqual(['a', 'a!', 'b', 'b!', 'c', 'c!'])
    }
  })

  test('a message that is posted elsewhere is there for the gateway that has the account', async () => {
    const { start, prefix } = stage()
    const [one, other] = [await start(), await start()]
    await scopes(one).hold('account:pigeon')
    post(one, 'a')
    await outbox(one).synced('account:pigeon')
    post(other, 'b')
    // The one that has the account says what a message is.
    await scopes(other).follow()
    post(other, 'a', 'another')
    await outbox(other).synced()
    expect(posted(other)).toContain('a')
    await vi.waitFor(
      async () => {
        await scopes(one).follow()
        expect(posted(one)).toEqual(['a', 'b'])
      },
      { timeout: 10_000 },
    )
    // What the other writes for an account that it has lost is not for others to send.
    const lost = await scopes(one).hold('account:pigeon')
    await expire(prefix)
    await scopes(other).hold('account:pigeon')
    post(one, 'c')
    await vi.waitFor(() => expect(lost.signal.aborted).toBe(true), { timeout: 10_000 })
    post(one, 'd')
    post(other, 'e')
    await scopes(other).follow()
    await vi.waitFor(
      async () => {
        await scopes(one).follow()
        expect(posted(one)).toContain('e')
      },
      { timeout: 10_000 },
    )
    expect(posted(other)).toEqual(['a', 'b', 'e'])
  })

  test('who waits until something is safe waits for a server that restarts', async () => {
    const { start } = stage()
    const [one, other] = [await start(), await start()]
    const { id } = one.use(Sessions).create({ surface: 'cli' })
    await say(one, id, 'a')
    const hold = await scopes(one).hold(`session:${id}`)
    await server.kill()
    const session = one.use(Sessions).open(id)
    session.record({ turnId: 'x', events: [], messages: [{ role: 'user', text: 'b' }], sync: true })
    const synced = session.synced()
    await server.run()
    await synced
    await hold.release()
    await scopes(other).follow()
    expect(texts(other, id)).toEqual(['a', 'a!', 'b'])
  })

  test('without the plugin nothing is done where machines share tables', async () => {
    const { start } = stage({ plugins: ['shared-store', 'storage-postgres'] })
    const kernel = await start()
    const find = (<T>(token: Service<T>) => {
      return token.id === 'shared-scopes' ? undefined : kernel.use(token)
    }) as PluginContext<unknown>['find']
    expect(() => holdScope({ find }, 'session:x')).toThrow(/SCOPE_UNGUARDED|does not run/)
  })
})
