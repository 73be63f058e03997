/** What besides conversations and messages is that of all machines: answers, labels, budgets, keys, what waits, what was overheard. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Clock, Sessions } from 'svc/sdk'
import { Budgets, Seals } from 'svc/sdk/safety'
import { SessionTrees } from 'svc/sdk/sessions'
import { type Database, Storage } from 'svc/sdk/storage'
import { SharedScopes, SharedTables } from 'svc/sdk/store'
import { fakeProvider, fakeTalk, type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sharedTables as queueTables } from '../../../../plugins/messaging/conversation/shared.ts'
import { WaitingStore } from '../../../../plugins/messaging/conversation/store.ts'
import { sharedTables as chatTables } from '../../../../plugins/messaging/gateway/shared.ts'
import { GatewayStore } from '../../../../plugins/messaging/gateway/store.ts'
import { ApprovalStore, migrations as approvalSteps } from '../../../../plugins/safety/approvals/store.ts'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'
import { root } from '../../../support/repository.ts'
import { openApi } from '../../http/api-server/desk.ts'

const missing = missingPostgres()
const WAIT = { timeout: 15_000 }
let server: Postgres
let count = 0

beforeAll(async () => {
  if (missing === undefined) server = await Postgres.start()
})
afterAll(() => server?.stop())

type Options = NonNullable<Parameters<typeof testKernel>[0]>

const sharing = (prefix: string, timeout = 5) => ({ storage: { prefix, timeout_seconds: timeout } })

/** Two homes, as on two machines, on tables that no other test has. */
async function startTwo(plugins: readonly string[], more: (at: number) => Options = () => ({})) {
  const prefix = `s${++count}`
  const start = async (at: number): Promise<TestKernel> => {
    const { config, ...options } = more(at)
    const kernel = await testKernel({
      plugins: [...plugins, 'replication', 'storage-postgres'],
      env: { SVC_STORAGE_URL: server.url },
      config: { ...sharing(prefix), ...config },
      ...options,
    })
    onTestFinished(() => kernel.stop())
    await follow(kernel)
    return kernel
  }
  const [one, other] = [await start(1), await start(2)]
  return { one, other, prefix, start }
}

const follow = (kernel: TestKernel) => kernel.use(SharedScopes).follow()

/** Sends what was written here, as the end of a turn does. */
async function send(kernel: TestKernel, database: Database): Promise<void> {
  await database.synced()
  await follow(kernel)
}

/** Lets others believe that all processes have died. */
async function expire(prefix: string): Promise<void> {
  await server.query(`update "${prefix}_replication".shared_processes set expires_at = 0`)
}

function approvals(kernel: TestKernel) {
  const file = join(kernel.home, 'data/approvals/approvals.db')
  const store = new ApprovalStore(
    () => kernel.use(Storage),
    () => kernel.use(Seals),
    file,
  )
  const database = kernel.use(Storage).open({ file, migrations: approvalSteps })
  return { store, database }
}

/** Tables without the plugins that they belong to, and all that these take. */
const chats: NonNullable<Options['with']>[number] = {
  name: 'chats',
  contributes: { 'shared-tables': ['gateway'] },
  setup: (ctx) => void ctx.add(SharedTables, chatTables(join(ctx.dataDir, 'gateway.db'))),
}

const queue: NonNullable<Options['with']>[number] = {
  name: 'queue',
  contributes: { 'shared-tables': ['conversation'] },
  setup: (ctx) => void ctx.add(SharedTables, queueTables(join(ctx.dataDir, 'waiting.db'))),
}

const grant = {
  id: 'g1',
  scope: 'always',
  holder: '',
  subject: 'git push',
  covers: 'git push',
  action: 'git push',
  reason: 'leaves this machine',
  cwd: '/srv',
  grantedAt: 1,
  grantedBy: 'anna',
} as const

describe.skipIf(missing !== undefined)(`shared at PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  test('a standing answer holds on each machine until it is revoked on one, but what svc did not write does not', async () => {
    const { one, other } = await startTwo(['approvals'])
    const [here, there] = [approvals(one), approvals(other)]
    here.store.grant(grant)
    here.store.grant({ ...grant, id: 'g2', scope: 'session', holder: 's1', subject: 'make' })
    here.store.grant({ ...grant, id: 'g3', scope: 'project', holder: '/srv', subject: 'rm' })
    // As another program of the user would do it that knows the tables.
    here.database.exec(`INSERT INTO standing SELECT 'g4', scope, holder, 'sudo', covers, action, reason, cwd, granted_at, granted_by, seal
      FROM standing WHERE id = 'g1'`)
    await send(one, here.database)
    await follow(other)
    expect([...there.store.granted('s1', '/srv')].sort()).toEqual(['git push', 'make'])
    expect(there.store.grants()).toEqual([grant])
    there.store.revoke('g1')
    await send(other, there.database)
    await follow(one)
    expect([...here.store.granted('s1', '/srv')].sort()).toEqual(['make', 'rm'])
    for (const { store, database } of [here, there]) {
      await store.close()
      await database.close()
    }
  })

  test('a label is in the tree on each machine, and goes on each', async () => {
    const { one, other } = await startTwo(['session-tree', 'sessions'])
    const session = one.use(Sessions).create({ surface: 'cli', title: 'Shared' })
    session.record({ turnId: 't', events: [], messages: [{ role: 'user', text: 'a' }], sync: true })
    one.use(SessionTrees).label(session.id, { text: 'start' })
    await vi.waitFor(async () => {
      await session.synced()
      await follow(other)
      expect(other.use(SessionTrees).labels(session.id)).toMatchObject([{ text: 'start' }])
    }, WAIT)
    other.use(SessionTrees).label(session.id, { text: '' })
    // What no caller waits for is sent soon.
    await vi.waitFor(async () => {
      await follow(one)
      expect(one.use(SessionTrees).labels(session.id)).toEqual([])
    }, WAIT)
  })

  test('what was overheard by the gateway before is told once by the one that took over', async () => {
    const { one, other } = await startTwo(['storage'], () => ({ with: [chats] }))
    const message = (messageId: string, text: string) =>
      ({ platform: 'pigeon', chatId: 'team', chatKind: 'group', userId: 'bob', messageId, text }) as const
    const [here, there] = [one, other].map((kernel) => {
      const store = new GatewayStore(() => kernel.use(Storage), join(kernel.home, 'data/chats/gateway.db'), {
        clock: () => kernel.use(Clock),
        nextNumber: () => kernel.use(SharedScopes).nextNumber(),
      })
      onTestFinished(() => store.close())
      return store
    }) as [GatewayStore, GatewayStore]
    const now = one.use(Clock).now()
    const hold = await one.use(SharedScopes).hold('account:pigeon')
    // The other one has another account.
    await other.use(SharedScopes).hold('account:dove')
    const elsewhere = { ...message('1', 'elsewhere'), platform: 'dove' }
    for (const text of ['a', 'b', 'c']) there.overhear({ ...elsewhere, text }, now)
    for (const [id, text] of ['lunch?', 'at noon', 'fine'].entries()) here.overhear(message(String(id), text), now)
    const seen = here.overheard(message('9', 'x'), 0)
    here.cursor('overheard', 'pigeon:team').set(String(seen[0]?.number))
    await here.synced('pigeon')
    await hold.release()
    await other.use(SharedScopes).hold('account:pigeon')
    const after = Number(there.cursor('overheard', 'pigeon:team').get())
    expect(there.overheard(message('9', 'x'), after).map(({ text }) => text)).toEqual(['at noon', 'fine'])
    there.overhear(message('4', 'later'), now)
    expect(there.overheard(message('9', 'x'), seen[2]?.number ?? 0).map(({ text }) => text)).toEqual(['later'])
    expect(there.overheard(elsewhere, 0).map(({ text }) => text)).toEqual(['a', 'b', 'c'])
  })

  test('a message that waits in a conversation is answered at the machine that continues it', async () => {
    const models = new Map<number, ReturnType<typeof fakeProvider>>()
    const never = new Promise<void>(() => {})
    const { one, other } = await startTwo(['conversation'], (at) => {
      const model = fakeProvider(at === 1 ? [{ text: 'x', gate: never }] : ['answer'])
      models.set(at, model)
      return { with: [model.plugin], config: { model: { provider: 'fake', default: 'fake-1' } } }
    })
    const talk = fakeTalk(one)
    const { sessionId } = talk.conversation
    await talk.conversation.type('one')
    await vi.waitFor(() => expect(models.get(1)?.requests).toHaveLength(1), WAIT)
    talk.conversation.send('two', { whenBusy: 'queue' })
    await one.stop()
    await follow(other)
    const late = fakeTalk(other, { sessionId })
    await vi.waitFor(() => expect(late.answers().length).toBeGreaterThan(0), WAIT)
    await late.conversation.idle()
    expect(
      other
        .use(Sessions)
        .open(sessionId)
        .messages()
        .filter(({ text }) => text.includes('two')),
    ).toHaveLength(1)
    expect(late.conversation.queue).toEqual([])
  })

  test('what waits is taken by another machine when its process has died, and is not that process any more', async () => {
    const { one, other, prefix } = await startTwo(['storage'], () => ({ with: [queue] }))
    const [here, there] = [one, other].map((kernel) => {
      const store = new WaitingStore({
        storage: () => kernel.use(Storage),
        file: join(kernel.home, 'data/queue/waiting.db'),
        scopes: () => kernel.use(SharedScopes),
        owner: kernel.home,
      })
      onTestFinished(() => store.close())
      return store
    }) as [WaitingStore, WaitingStore]
    await here.begin()
    const id = here.add('s', { text: 'two', key: 'k' })
    await vi.waitFor(async () => {
      await follow(other)
      expect(there.sessions()).toEqual(['s'])
    }, WAIT)
    expect(await there.takeShared('s')).toEqual([])
    expect(await here.isOwn(id)).toBe(true)
    await vi.waitFor(async () => {
      await expire(prefix)
      expect(await there.takeShared('s')).toEqual([{ id, text: 'two', key: 'k' }])
    }, WAIT)
    expect([await here.isOwn(id), await there.isOwn(id)]).toEqual([false, true])
    expect([here.takeLeft('s'), there.takeLeft('s').length]).toEqual([[], 1])
  })

  test('requests with one idempotency key at two servers are one piece of work with one reply', async () => {
    const prefix = `s${++count}`
    const desk = (answer: string) =>
      openApi([{ text: answer, delayMs: 300 } as never, 'again'], {
        plugins: ['replication', 'storage-postgres'],
        env: { SVC_STORAGE_URL: server.url },
        settings: sharing(prefix),
      })
    const desks = [await desk('First.'), await desk('Second.')]
    const body = { messages: [{ role: 'user', content: 'Order a pizza' }] }
    const post = async (at: number, key: string) => {
      const reply = await desks[at]?.ask('/v1/chat/completions', { headers: { 'idempotency-key': key }, body })
      return { status: reply?.status, text: await reply?.text() }
    }
    const asked = () => desks.map(({ model }) => model.requests.length)
    const replies = await Promise.all([post(0, 'a'), post(1, 'a')])
    expect(asked().reduce((sum, each) => sum + each)).toBe(1)
    expect(replies[0]).toEqual(replies[1])
    expect((await post(0, 'a')).text).toBe(replies[0]?.text)
    expect((await post(1, 'a')).text).toBe(replies[0]?.text)
    // Another key is another piece of work.
    expect((await post(1, 'b')).status).toBe(200)
    expect(asked().reduce((sum, each) => sum + each)).toBe(2)
  })

  test('a cap holds for what all machines spend together, and what one has settled or released is known on the others', async () => {
    const limits = { config: { budget: { account: { day: { tokens: 1000 } } } } }
    const { one, other } = await startTwo(['budgets'], () => limits)
    const spender = { purpose: 'turn', provider: 'custom', model: 'x', sessionId: 's' }
    const hold = (kernel: TestKernel, inputTokens: number) =>
      kernel.use(Budgets).hold(spender, { inputTokens, outputTokens: 0 })
    const first = await hold(one, 1000)
    await expect(hold(other, 10)).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
    first.settle({ input: 400, output: 0 })
    await vi.waitFor(async () => (await hold(other, 10)).settle({ input: 500, output: 0 }), WAIT)
    const last = await hold(one, 100)
    await expect(hold(other, 10)).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
    last.release()
    await vi.waitFor(async () => (await hold(other, 10)).settle({ input: 100, output: 0 }), WAIT)
    await vi.waitFor(() => expect(one.use(Budgets).spent({ sessionId: 's' })).toMatchObject({ input: 1000 }), WAIT)
    await expect(hold(one, 10)).rejects.toMatchObject({ message: expect.stringContaining('1000 of 1000 tokens') })
    expect(one.use(Budgets).spent({ sessionId: 's' })).toMatchObject({ input: 1000, modelCalls: 3 })
  })

  test('a call counts on another machine with what it took, also when later ones were settled there before', async () => {
    const { one, other } = await startTwo(['budgets'], () => ({
      config: { budget: { account: { day: { tokens: 1000 } } } },
    }))
    const spender = { purpose: 'turn', provider: 'custom', model: 'x', sessionId: 's' }
    const hold = (kernel: TestKernel) => kernel.use(Budgets).hold(spender, { inputTokens: 10, outputTokens: 0 })
    const long = await hold(one)
    for (const input of [100, 100]) (await hold(other)).settle({ input, output: 0 })
    long.settle({ input: 800, output: 0 })
    await vi.waitFor(() => expect(other.use(Budgets).spent({ sessionId: 's' })).toMatchObject({ input: 1000 }), WAIT)
    await expect(hold(other)).rejects.toMatchObject({ message: expect.stringContaining('1000 of 1000 tokens') })
  })

  test('processes that spend at the same time use a budget up and never pass it', { timeout: 60_000 }, async () => {
    const prefix = `s${++count}`
    const script = join(import.meta.dirname, 'budget-child.mjs')
    const children = [1, 2, 3].map(() => {
      const child = spawn(process.execPath, [script, root, server.url, prefix, '0.03'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator](), exit: once(child, 'exit') }
    })
    for (const { lines } of children) expect((await lines.next()).value).toBe('ready')
    for (const { child } of children) child.stdin.write('go\n')
    const counts = await Promise.all(children.map(async ({ lines }) => Number((await lines.next()).value)))
    // 33 parts of 0.03 are 0.99.
    expect(counts.reduce((sum, each) => sum + each)).toBe(33)
    await Promise.all(children.map(({ exit }) => exit))
  })
})
