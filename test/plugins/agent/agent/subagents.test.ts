import { Agent, Approvals, type ChildTurnRequest, defineTool, type PluginContext, Sessions, Tools } from 'svc/sdk'
import { SubagentEnded, SubagentStarted } from 'svc/sdk/hooks'
import type { ModelRequest } from 'svc/sdk/provider'
import { Budgets } from 'svc/sdk/safety'
import { fakeProvider, fakeTalk, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

/** What the model says in the parent's turn and in those of subagents. */
interface Scripts {
  readonly parent: readonly ScriptedReply[]
  readonly child: readonly ScriptedReply[]
}

const delegate: ScriptedReply = { calls: [{ name: 'delegate', input: {} }] }

/** A tool that hands its work to a subagent, and one that needs a permission. */
async function open(scripts: Scripts, request: Partial<ChildTurnRequest> = {}, more: { stopsAfter?: number } = {}) {
  const counts = { parent: 0, child: 0 }
  const fake = fakeProvider(({ messages }: ModelRequest) => {
    const who = messages.some(({ role, text }) => role === 'user' && text.startsWith('Count')) ? 'child' : 'parent'
    return scripts[who][counts[who]++] ?? 'nothing more'
  })
  const told: unknown[] = []
  const delegating = {
    name: 'delegating',
    setup(ctx: PluginContext<undefined>) {
      ctx.on(SubagentStarted, ({ goal, parent }) => void told.push(['started', goal, parent.turnId]))
      ctx.on(SubagentEnded, ({ reason, text, parent }) => void told.push(['ended', reason, text, parent.turnId]))
      ctx.add(
        Tools,
        defineTool({
          name: 'delegate',
          description: 'Hands work over.',
          input: z.object({}),
          effect: 'pure',
          reach: 'nothing',
          toolset: 'test',
          async run(_input, turn) {
            const child = turn.child({ text: 'Count the files.', ...request })
            if (more.stopsAfter === undefined) return (await child).text
            let seen = 0
            for await (const { type } of child) if (type === 'tool.start' && ++seen === more.stopsAfter) break
            return 'stopped'
          },
        }),
      )
      ctx.add(
        Tools,
        defineTool({
          name: 'erase',
          description: 'Needs a permission.',
          input: z.object({}),
          effect: 'once',
          toolset: 'danger',
          run: async () => 'erased',
        }),
      )
    },
  }
  const kernel = await testKernel({
    plugins: ['agent', 'approvals', 'conversation', 'budgets', 'people'],
    with: [fake.plugin, delegating],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  return { kernel, fake, told }
}

test('a subagent works in a session of its own, and its answer is the result of the tool that began it', async () => {
  const { kernel, fake, told } = await open({ parent: [delegate, 'There are 3.'], child: ['3 files'] })
  const talk = fakeTalk(kernel)
  await talk.type('hello')
  expect(talk.answers()).toEqual(['There are 3.'])
  const [asked] = fake.requests.filter(({ messages }) => messages.some(({ text }) => text.startsWith('Count')))
  expect(asked?.tools.map(({ name }) => name)).toContain('erase')
  expect(asked?.tools.map(({ name }) => name)).not.toContain('delegate')
  const session = kernel
    .use(Sessions)
    .list()
    .find(({ title }) => title === '↳ Count the files.')
  expect(session).toMatchObject({ surface: 'cli', cwd: kernel.home, messageCount: 2 })
  const events = talk.events.filter(({ type }) => type.startsWith('subagent'))
  expect(events).toMatchObject([
    { type: 'subagent.start', id: session?.id, goal: 'Count the files.' },
    { type: 'subagent.complete', id: session?.id, ok: true, text: '3 files' },
  ])
  const turnId = talk.events[0]?.turnId
  expect(told).toEqual([
    ['started', 'Count the files.', turnId],
    ['ended', 'completed', '3 files', turnId],
  ])
  const start = kernel
    .use(Sessions)
    .open(session?.id ?? '')
    .events()[0]
  expect(start).toMatchObject({ type: 'turn.start', options: { purpose: 'subagent', parentTurnId: turnId } })
})

test('a subagent asks the person of its parent for a permission', async () => {
  const child: ScriptedReply[] = [{ calls: [{ name: 'erase' }] }, 'erased it']
  for (const approve of ['once', 'deny'] as const) {
    const { kernel, fake } = await open({ parent: [delegate, 'done'], child })
    await fakeTalk(kernel, { person: { approve } }).type('hello')
    const results = fake.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
    expect(results.some(({ text }) => text === 'erased')).toBe(approve === 'once')
  }
})

test('without a person the permission of a subagent is denied, and questions that are off for its parent are off for it', async () => {
  const child: ScriptedReply[] = [{ calls: [{ name: 'erase' }] }, 'tried']
  for (const isOff of [false, true]) {
    const { kernel, fake } = await open({ parent: [delegate, 'done'], child })
    const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
    if (isOff) kernel.use(Approvals).askNothing(session.id)
    await kernel.use(Agent).run({ sessionId: session.id, text: 'hello' })
    const results = fake.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
    expect(results.some(({ text }) => text === 'erased')).toBe(isOff)
  }
})

test('a subagent has only the tools it is given, its own prompt, and stops at its budget', async () => {
  const child: ScriptedReply[] = [{ calls: [{ name: 'erase' }] }, 'never']
  const request = { toolsets: ['danger'], systemPrompt: 'You count.', budget: { toolCalls: 0 } }
  const { kernel, fake } = await open({ parent: [delegate, 'done'], child }, request)
  await fakeTalk(kernel, { person: { approve: 'once' } }).type('hello')
  const [asked] = fake.requests.filter(({ messages }) => messages.some(({ text }) => text.startsWith('Count')))
  expect(asked?.tools.map(({ name }) => name)).toEqual(['erase'])
  expect(asked?.messages[0]).toMatchObject({ role: 'system', text: expect.stringContaining('You count.') })
  const results = fake.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
  expect(results.map(({ text }) => text)).not.toContain('erased')
})

test('what a subagent spends counts for its group', async () => {
  const { kernel } = await open({
    parent: [delegate, 'done'],
    child: [{ text: 'three', usage: { input: 70, output: 3 } }],
  })
  await fakeTalk(kernel).type('hello')
  const id = kernel
    .use(Sessions)
    .list()
    .find(({ title }) => title?.startsWith('↳'))?.id
  expect(kernel.use(Budgets).spent({ group: `subagent:${id}` })).toMatchObject({ input: 70, output: 3, modelCalls: 1 })
})

test('leaving the loop stops a subagent, and that is told', async () => {
  const child: ScriptedReply[] = [{ calls: [{ name: 'erase' }] }, 'never']
  const { kernel, told } = await open({ parent: [delegate, 'done'], child }, {}, { stopsAfter: 1 })
  await fakeTalk(kernel).type('hello')
  expect(told.at(-1)).toEqual(['ended', 'interrupted', '', expect.any(String)])
  expect(kernel.use(Sessions).unfinished()).toEqual([])
})

test('once a subagent is over, its session no longer asks the person of its parent', async () => {
  const child: ScriptedReply[] = ['three', { calls: [{ name: 'erase' }] }, 'tried']
  const { kernel, fake } = await open({ parent: [delegate, 'done'], child })
  await fakeTalk(kernel, { person: { approve: 'once' } }).type('hello')
  const session = kernel
    .use(Sessions)
    .list()
    .find(({ title }) => title?.startsWith('↳'))
  await kernel.use(Agent).run({ sessionId: session?.id ?? '', text: 'Count again.' })
  const results = fake.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
  expect(results.some(({ text }) => text.includes('no person is reachable'))).toBe(true)
  expect(results.some(({ text }) => text === 'erased')).toBe(false)
})
