/** Chats hear of their tasks: each event once. */
import { definePlugin } from 'svc/sdk'
import { PlatformChanged } from 'svc/sdk/hooks'
import { Boards } from 'svc/sdk/kanban'
import { Gateway, type GatewayConnection, Outbox, Platforms } from 'svc/sdk/platform'
import { fakePlatform, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Notifier } from '../../../../plugins/work/kanban-notify/notifier.ts'

/** A gateway that has one platform connected. */
const gateway = {
  name: 'a-gateway',
  manifest: { provides: ['gateway'] },
  ...definePlugin({
    setup: (ctx) => {
      const platforms = [{ name: 'fake', state: 'connected' }]
      ctx.provide(Gateway, () => ({ status: () => ({ platforms }) }) as never)
    },
  }),
}

async function open(plugins: readonly string[] = ['kanban', 'outbox']) {
  const [clock, fake] = [virtualClock(), fakePlatform()]
  const kernel = await testKernel({ plugins, with: [fake.plugin, gateway], clock })
  onTestFinished(() => kernel.stop())
  const [boards, outbox] = [kernel.use(Boards), kernel.use(Outbox)]
  const chat = kernel.all(Platforms).get('fake')
  if (!chat) throw new Error('the platform is there')
  await chat.connect({ signal: new AbortController().signal } as Partial<GatewayConnection> as GatewayConnection)
  onTestFinished(outbox.serve(chat))
  const { id } = (await boards.create({ title: 'Report', by: 'anna', assignee: 'writer' })).task
  const notifier = (given: Boards = boards) =>
    new Notifier({
      ...{ boards: () => given, outbox: () => outbox, clock: () => clock, profile: () => 'default' },
      ...{ platforms: () => ['fake'], log: { debug() {}, info() {}, warn() {}, error() {} } },
    })
  const said = async () => {
    await outbox.idle()
    return fake.sent.map(({ text }) => text)
  }
  return { kernel, clock, boards, outbox, id, notifier, said, fake }
}

const here = { platform: 'fake', chat: 'team', thread: '7' }

test('a chat hears what happened after it subscribed, in order, until the task is final', async () => {
  const { boards, id, notifier, said, fake } = await open()
  await boards.block(id, { by: 'anna', reason: 'before' })
  await boards.subscribe({ taskId: id, ...here })
  await boards.unblock(id, { by: 'anna' })
  await boards.block(id, { by: 'anna', reason: 'Which\n# customer?' })
  await boards.complete(id, { by: 'anna', summary: 'Sent.', isUnverified: true })
  await notifier().look()
  await notifier().look()
  expect(await said()).toEqual([
    `Report (${id}): ✋ is blocked: Which # customer?`,
    `Report (${id}): ✅ done, but not verified: Sent.`,
  ])
  expect(fake.sent[0]).toMatchObject({ chatId: 'team', threadId: '7' })
  expect(await boards.subscriptions()).toEqual([])
})

test('a process that ends between sending and moving the cursor has told each event once, whatever happened since', async () => {
  const { clock, boards, id, notifier, said } = await open()
  await boards.subscribe({ taskId: id, ...here })
  await boards.block(id, { by: 'anna', reason: 'one' })
  const dying = Object.create(boards) as Boards
  dying.settleNotice = () => new Promise(() => {})
  void notifier(dying).look()
  await expect.poll(said).toHaveLength(1)
  await boards.unblock(id, { by: 'anna' })
  await boards.block(id, { by: 'anna', reason: 'two' })
  await notifier().look()
  expect(await said()).toHaveLength(1)
  await clock.advance(61_000)
  await notifier().look()
  expect((await said()).map((text) => text.split(': ').at(-1))).toEqual(['one', 'two'])
})

test('what belongs to another platform or profile is left to its gateway', async () => {
  const { boards, id, notifier, said } = await open()
  await boards.subscribe({ taskId: id, ...here, platform: 'other' })
  await boards.subscribe({ taskId: id, ...here, profile: 'work' })
  await boards.block(id, { by: 'anna', reason: 'one' })
  await notifier().look()
  expect(await said()).toEqual([])
  expect(await boards.takeNotices({ profile: 'work', platforms: ['other', 'fake'], holder: 'x' })).toHaveLength(2)
})

test('a gateway tells by itself, soon after something happened', async () => {
  const { kernel, clock, boards, id, said } = await open(['kanban-notify'])
  await boards.subscribe({ taskId: id, ...here })
  await kernel.call(PlatformChanged, { name: 'fake', state: 'connected' } as never)
  await clock.advance(1000)
  await boards.block(id, { by: 'anna', reason: 'one' })
  await expect
    .poll(async () => {
      await clock.advance(600)
      return said()
    })
    .toEqual([`Report (${id}): ✋ is blocked: one`])
})
