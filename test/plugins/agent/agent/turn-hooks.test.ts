/** The hooks of a turn: what each is told, where else it is called, and what a listener that fails does. */
import {
  Agent,
  BeforeModelRequest,
  BeforeUserMessage,
  defineTool,
  type PluginContext,
  SelectTools,
  Sessions,
  Tools,
  type TurnContext,
  TurnEnded,
  type TurnRequest,
} from 'svc/sdk'
import {
  BeforeTurn,
  BeforeTurnEnd,
  BeforeUserInput,
  type ModelChange,
  ModelChanged,
  SelectUserImages,
  TurnStarted,
} from 'svc/sdk/hooks'
import { Plugins } from 'svc/sdk/host'
import { fakeProvider, fakeTalk, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { collect } from '../../../support/scene.ts'

const CONFIG = { model: { provider: 'fake', default: 'fake-1' } }
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  effect: 'pure',
  reach: 'nothing',
  toolset: 'test',
  run: async (_, turn) => JSON.stringify([turn.purpose, turn.sender?.userId, turn.parentTurnId]),
})

async function open(
  script: readonly ScriptedReply[],
  setup: (ctx: PluginContext<undefined>) => void,
  {
    plugins = ['agent'],
    config = CONFIG,
  }: { readonly plugins?: string[]; readonly config?: Record<string, unknown> } = {},
) {
  const fake = fakeProvider(script)
  const listener = {
    name: 'acme',
    setup: (ctx: PluginContext<undefined>) => {
      ctx.add(Tools, look)
      setup(ctx)
    },
  }
  const kernel = await testKernel({ plugins, config, with: [fake.plugin, listener] })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const run = (request: Partial<TurnRequest> = {}) =>
    collect(kernel.use(Agent).run({ sessionId: session.id, text: 'hello', surface: 'test', ...request }))
  return { kernel, fake, session, run }
}

const sender = { platform: 'telegram', chatId: 'c1', userId: 'u1', chatKind: 'group' } as const

test('every hook of a turn knows the folder, the model, what the turn is for, its parent and who wrote', async () => {
  const seen = new Map<string, object>()
  const note = (
    name: string,
    { sessionId, turnId, surface, cwd, purpose, parentTurnId, sender }: Omit<TurnContext, 'model'>,
  ) => void seen.set(name, { sessionId, turnId, surface, cwd, purpose, parentTurnId, sender })
  const models = new Set<string>()
  const full = (name: string, turn: TurnContext) => {
    note(name, turn)
    models.add(`${turn.model.provider} ${turn.model.model}`)
  }
  const { session, run, kernel, fake } = await open([{ calls: [{ name: 'look' }] }, 'done'], (ctx) => {
    ctx.on(BeforeUserInput, (_, turn) => full('input', turn))
    ctx.on(BeforeTurn, (turn) => full('before', turn))
    ctx.on(BeforeUserMessage, (_, turn) => full('message', turn))
    ctx.on(SelectUserImages, (_, turn) => full('images', turn))
    ctx.on(SelectTools, (_, turn) => full('tools', turn))
    ctx.on(TurnStarted, (turn) => full('started', turn))
    ctx.on(BeforeModelRequest, (_, turn) => note('request', turn))
    ctx.on(BeforeTurnEnd, (_, turn) => full('end', turn))
    ctx.on(TurnEnded, (turn) => full('ended', turn))
  })
  const events = await run({ purpose: 'subagent', parentTurnId: 'turn_parent', sender })
  const turnId = events[0]?.turnId
  const expected = { sessionId: session.id, turnId, surface: 'test', cwd: kernel.home, purpose: 'subagent' }
  expect([...seen.keys()].sort()).toEqual(
    ['before', 'end', 'ended', 'images', 'input', 'message', 'request', 'started', 'tools'].sort(),
  )
  for (const context of seen.values()) expect(context).toEqual({ ...expected, parentTurnId: 'turn_parent', sender })
  expect([...models]).toEqual(['fake fake-1'])
  // The context of tools is the same.
  expect(fake.requests.at(-1)?.messages.at(-1)?.text).toBe('["subagent","u1","turn_parent"]')
})

test('a turn begins and ends once, with its answer, its usage and its model', async () => {
  const told: object[] = []
  const { run } = await open(['the answer'], (ctx) => {
    ctx.on(TurnStarted, ({ text, isResumed }) => void told.push({ text, isResumed }))
    ctx.on(TurnEnded, ({ reason, text, error, model, usage }) => void told.push({ reason, text, error, model, usage }))
  })
  const events = await run()
  const usage = events.flatMap((event) => (event.type === 'turn.end' ? [event.usage] : []))[0]
  expect(told).toEqual([
    { text: 'hello', isResumed: false },
    { reason: 'completed', text: 'the answer', error: undefined, model: { provider: 'fake', model: 'fake-1' }, usage },
  ])
})

test('the end of a turn that failed says why; a turn that could not begin has neither', async () => {
  const told: unknown[] = []
  const failure = { kind: 'auth', message: 'The key was refused.', retryable: false } as const
  const { run } = await open([{ failure }], (ctx) => {
    ctx.on(TurnStarted, () => void told.push('started'))
    ctx.on(TurnEnded, ({ reason, error, text }) => void told.push([reason, error?.code, text]))
  })
  await run()
  expect(told).toEqual(['started', ['failed', 'MODEL_FAILED', '']])
  await run({ provider: 'missing' })
  expect(told).toHaveLength(2)
})

test('a listener that fails when a turn begins or ends is reported, and the turn goes on', async () => {
  const { run, kernel } = await open(['fine'], (ctx) => {
    ctx.on(TurnStarted, () => Promise.reject(new Error('no start')))
    ctx.on(TurnEnded, () => Promise.reject(new Error('no end')))
  })
  expect((await run()).at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
  const problems = kernel.use(Plugins).problems()
  expect(problems.map(({ message }) => message).join()).toMatch(/no start.*no end/)
})

test('an input is changed before the gate and the mentions see it, and gets pictures', async () => {
  const seen: unknown[] = []
  const image = { data: 'AAAA', mediaType: 'image/png' }
  const { run, fake, session } = await open(['ok'], (ctx) => {
    ctx.on(BeforeUserInput, ({ text }, { source, isSteer }) => {
      seen.push([source, isSteer])
      return { text: text.toUpperCase(), images: [image] }
    })
    ctx.on(BeforeTurn, ({ text }) => void seen.push(text))
  })
  await run({ source: 'process' })
  expect(seen).toEqual([['process', false], 'HELLO'])
  expect(fake.requests[0]?.messages.at(-1)).toMatchObject({ text: 'HELLO', images: [image] })
  expect(session.messages()[0]).toMatchObject({ role: 'user', text: 'HELLO' })
})

test('an input can be answered without a model, also where there is none', async () => {
  const ended: unknown[] = []
  const answer = (ctx: PluginContext<undefined>) => {
    ctx.on(BeforeUserInput, (input) => (input.text === 'ping' ? { ...input, reply: 'pong' } : undefined))
    ctx.on(TurnEnded, ({ reason, text, model }) => void ended.push([reason, text, model.model]))
  }
  const { run, fake, session } = await open(['from the model'], answer)
  const events = await run({ text: 'ping' })
  expect(events.map(({ type }) => type)).toEqual(['turn.start', 'message.delta', 'message.complete', 'turn.end'])
  expect(fake.requests).toEqual([])
  expect(session.messages()).toEqual([
    { role: 'user', text: 'ping' },
    { role: 'assistant', text: 'pong' },
  ])
  // The conversation continues with a model.
  await run({ text: 'and now?' })
  expect(fake.requests[0]?.messages.filter(({ role }) => role !== 'system').map(({ text }) => text)).toEqual([
    'ping',
    'pong',
    'and now?',
  ])
  const alone = await open([], answer, { config: {} })
  expect((await alone.run({ text: 'ping', provider: 'missing' })).at(-1)).toMatchObject({ reason: 'completed' })
  expect(ended).toEqual([
    ['completed', 'pong', 'fake-1'],
    ['completed', 'from the model', 'fake-1'],
    ['completed', 'pong', ''],
  ])
})

test('a gate hears an input that a plugin answers, too', async () => {
  const { run } = await open([], (ctx) => {
    ctx.on(BeforeUserInput, (input) => ({ ...input, reply: 'pong' }))
    ctx.on(BeforeTurn, () => ({ decision: 'deny', reason: 'not today' }))
  })
  expect(await run()).toContainEqual(expect.objectContaining({ type: 'error', code: 'TURN_REFUSED' }))
})

test('an input stays as it was when its listener fails, unless the listener must succeed', async () => {
  const lenient = await open(['ok'], (ctx) => {
    ctx.on(BeforeUserInput, () => Promise.reject(new Error('broken')))
    ctx.on(BeforeUserInput, () => ({ text: 7, images: [] }) as never)
  })
  await lenient.run()
  expect(lenient.fake.requests[0]?.messages.at(-1)?.text).toBe('hello')
  const strict = await open(['ok'], (ctx) => {
    ctx.on(BeforeUserInput, () => Promise.reject(new Error('broken')), { failure: 'stop' })
  })
  expect(await strict.run()).toContainEqual(expect.objectContaining({ type: 'error', code: 'HOOK_STOPPED' }))
  expect(strict.fake.requests).toEqual([])
})

test('what is said while a turn runs passes the same hook: changed, or answered at once', async () => {
  let running: (() => Promise<void>) | undefined
  const { run, fake, kernel, session } = await open([{ calls: [{ name: 'look' }] }, 'done'], (ctx) => {
    ctx.on(BeforeUserInput, (input, { isSteer, source, sender }) => {
      if (!isSteer) return undefined
      if (input.text === 'status?') return { ...input, reply: 'I am at it.' }
      return { ...input, text: `${source} ${sender?.userId}: ${input.text}` }
    })
    ctx.on(BeforeModelRequest, async () => {
      await running?.()
      running = undefined
    })
  })
  running = async () => {
    kernel.use(Agent).steer(session.id, 'status?')
    kernel.use(Agent).steer(session.id, 'be brief', { sender })
  }
  const events = await run()
  expect(events).toContainEqual(expect.objectContaining({ type: 'notice', text: 'I am at it.' }))
  const result = fake.requests.at(-1)?.messages.at(-1)?.text
  expect(result).toContain('[The user says meanwhile: person u1: be brief]')
  expect(result).not.toContain('status?')
})

test('messages of a person, of a plugin and of a process are told apart, and the sender comes along', async () => {
  const seen: unknown[] = []
  const { kernel } = await open(
    ['a', 'b', 'c'],
    (ctx) =>
      void ctx.on(BeforeUserInput, ({ text }, { source, sender }) => void seen.push([text, source, sender?.userId])),
    { plugins: ['agent', 'conversation'] },
  )
  const talk = fakeTalk(kernel, { by: sender, surface: 'telegram', commands: 'gateway' })
  await talk.type('typed')
  talk.conversation.send('sent')
  await talk.conversation.idle()
  talk.conversation.send('ended', { source: 'process' })
  await talk.conversation.idle()
  expect(seen).toEqual([
    ['typed', 'person', 'u1'],
    ['sent', 'plugin', undefined],
    ['ended', 'process', undefined],
  ])
})

test('a background task is known as one', async () => {
  const purposes: string[] = []
  const { kernel } = await open(
    ['done'],
    (ctx) => void ctx.on(TurnStarted, ({ purpose }) => void purposes.push(purpose)),
    {
      plugins: ['agent', 'conversation', 'background'],
    },
  )
  const talk = fakeTalk(kernel)
  await talk.type('/background count the files')
  await expect.poll(() => talk.said.map(({ text }) => text).join()).toContain('done')
  expect(purposes).toEqual(['background'])
})

test('a change of the model is announced, whether it was chosen or another one failed', async () => {
  const changes: Omit<ModelChange, 'sessionId' | 'turnId'>[] = []
  const failure = { kind: 'auth', message: 'The key was refused.', retryable: false } as const
  const { kernel, run } = await open(
    [{ failure }, 'from the other'],
    (ctx) => void ctx.on(ModelChanged, ({ from, to, reason }) => void changes.push({ from, to, reason })),
    {
      plugins: ['agent', 'conversation'],
      config: { model: { ...CONFIG.model, fallbacks: [{ provider: 'fake', model: 'fake-2' }] } },
    },
  )
  const talk = fakeTalk(kernel)
  talk.conversation.change({ model: 'fake-3' })
  talk.conversation.change({ reasoning: 'low' })
  talk.conversation.change({ model: undefined })
  await run()
  expect(changes).toEqual([
    { from: {}, to: { model: 'fake-3' }, reason: 'chosen' },
    { from: { model: 'fake-3' }, to: {}, reason: 'chosen' },
    { from: { provider: 'fake', model: 'fake-1' }, to: { provider: 'fake', model: 'fake-2' }, reason: 'fallback' },
  ])
})
