import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc'
import { type PluginContext, Sessions } from 'svc/sdk'
import { BackgroundTaskEnded, BackgroundTaskStarted } from 'svc/sdk/hooks'
import { Outbox } from 'svc/sdk/platform'
import { SelectTaskDelivery } from 'svc/sdk/sessions'
import { StatusItems } from 'svc/sdk/terminal'
import { fakePlatform, fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import reportToChat from '../../../support/plugins/report-to-chat/index.ts'
import { root } from '../../../support/repository.ts'

async function start(script: Parameters<typeof fakeProvider>[0]) {
  const fake = fakeProvider(script)
  const kernel = await testKernel({
    plugins: ['conversation', 'background', 'session-commands'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  return { kernel, fake }
}

test('a task works in its own session, the conversation continues, and its answer comes there', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const { kernel } = await start((request) => {
    const asked = request.messages.at(-1)?.text
    return asked === 'the long one' ? { text: 'found it', gate } : 'hello'
  })
  const talk = fakeTalk(kernel)
  expect(await talk.type('/background the long one')).toMatch(/#1 works in the background/)
  await talk.type('hi')
  expect(talk.answers()).toEqual(['hello'])
  expect(await talk.type('/bg')).toMatch(/#1 running, [\d.]+s: the long one/)
  const item = kernel.all(StatusItems).get('background')
  expect(item?.line(talk.conversation)).toEqual([{ text: '⇢ 1', role: 'status' }])
  open()
  await vi.waitFor(() => expect(talk.said.at(-1)?.text).toMatch(/#1 done[\s\S]*found it[\s\S]*\/resume/))
  expect(item?.line(talk.conversation)).toBeUndefined()
  expect(kernel.use(Sessions).open(talk.conversation.sessionId).messages()).toHaveLength(2)
})

test('one can be stopped, a number that is none is said, and each conversation has its own', async () => {
  const { kernel } = await start([{ text: 'never', gate: new Promise(() => {}) }])
  const talk = fakeTalk(kernel)
  expect(await talk.type('/background')).toMatch(/Nothing runs/)
  await talk.type('/background wait for ever')
  expect(await fakeTalk(kernel).type('/background stop 1')).toMatch(/Nothing in the background has number 1/)
  expect(await talk.type('/background stop #1')).toBe('Stopping #1.')
  await vi.waitFor(() =>
    expect(talk.said.at(-1)).toMatchObject({ text: expect.stringMatching(/stopped/), tone: 'warning' }),
  )
})

test('a task that fails says why; unloading stops what runs', async () => {
  const { kernel } = await start((request) => {
    const asked = request.messages.at(-1)?.text
    if (asked === 'fail') return { failure: { kind: 'auth', message: 'The key is wrong.' } }
    return { text: 'never', gate: new Promise(() => {}) }
  })
  const talk = fakeTalk(kernel)
  await talk.type('/background fail')
  await vi.waitFor(() =>
    expect(talk.said.at(-1)).toMatchObject({ text: expect.stringMatching(/failed[\s\S]*key/), tone: 'error' }),
  )
  await talk.type('/background for ever')
  const said = talk.said.length
  await kernel.plugins.disable('background')
  expect(talk.said.length).toBe(said)
})

test('plugins hear of a task that begins and ends, with what is stored by then', async () => {
  const heard: unknown[] = []
  const listener = {
    name: 'listener',
    setup(ctx: PluginContext<undefined>) {
      const count = (id: string) => ctx.use(Sessions).open(id).messages().length
      ctx.on(BackgroundTaskStarted, ({ sessionId, ...task }) => {
        ctx.use(Sessions).summary(sessionId)
        heard.push(task)
      })
      ctx.on(BackgroundTaskEnded, ({ sessionId, ...task }) => void heard.push({ ...task, stored: count(sessionId) }))
    },
  }
  const fake = fakeProvider(['found it'])
  const kernel = await testKernel({
    plugins: ['conversation', 'background'],
    with: [fake.plugin, listener],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  const talk = fakeTalk(kernel)
  await talk.type('/background look')
  await vi.waitFor(() => expect(heard).toHaveLength(2))
  const about = { parentSessionId: talk.conversation.sessionId, task: 'look' }
  expect(heard).toEqual([about, { ...about, reason: 'completed', result: 'found it', stored: 2 }])
})

test('a plugin sends results to a chat and changes their text; what cannot be sent is told where the task began', async () => {
  const manifest = join(root, 'test/support/plugins/report-to-chat/plugin.json')
  const small: InlinePlugin = { ...JSON.parse(readFileSync(manifest, 'utf8')), ...reportToChat }
  const shorten = {
    name: 'shorten',
    setup: (ctx: PluginContext<undefined>) =>
      void ctx.on(SelectTaskDelivery, ({ text, ...rest }, { result }) => ({
        ...rest,
        text: `${text.length > 0}: ${result}`,
      })),
  }
  const { plugin: platform } = fakePlatform()
  const kernel = await testKernel({
    plugins: ['conversation', 'background'],
    with: [fakeProvider(['all done', 'all done', 'all done']).plugin, platform, small, shorten],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  const talk = fakeTalk(kernel)
  await talk.type('/background Tell the team')
  await expect
    .poll(() => talk.said.at(-1))
    .toMatchObject({
      tone: 'warning',
      text: expect.stringMatching(/^true: all done\n\nIt could not be sent to fake:team: /),
    })
  kernel.use(Outbox).know({ platform: 'fake', chatId: 'team', label: 'Team' })
  const before = talk.said.length
  await talk.type('/background Tell the team')
  await expect
    .poll(() => kernel.use(Outbox).deliveries())
    .toMatchObject([{ chatId: 'team', preview: 'true: all done' }])
  await talk.type('/background Look')
  await expect.poll(() => talk.said.at(-1)?.text).toBe('true: all done')
  expect(talk.said.slice(before).filter(({ text }) => text.includes('all done'))).toHaveLength(1)
})
