/** What a turn pays for: every answer of which something came, once, and nothing else. */
import type { InlinePlugin } from 'svc'
import { Agent, defineTool, Sessions, type TurnEvent, type TurnRequest } from 'svc/sdk'
import { Budgets } from 'svc/sdk/safety'
import { fakeProvider, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { collect, toolPlugin } from '../../../support/scene.ts'

async function open(
  script: readonly ScriptedReply[],
  {
    tokens = 1_000_000,
    fallbacks = [] as readonly string[],
    agent = {},
    tools = 100,
    with: plugins = [] as readonly InlinePlugin[],
  } = {},
) {
  const fake = fakeProvider(script)
  const clock = virtualClock()
  const kernel = await testKernel({
    plugins: ['agent', 'budgets'],
    clock,
    with: [fake.plugin, ...plugins],
    config: {
      agent,
      model: {
        provider: 'fake',
        default: 'fake-1',
        fallbacks: fallbacks.map((model) => ({ provider: 'fake', model })),
      },
      budget: { session: { tokens }, turn: { tool_calls: tools } },
    },
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const turn = async (more: Partial<TurnRequest> = {}): Promise<TurnEvent[]> => {
    let isOver = false
    const going = collect(kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test', ...more }))
    void going.finally(() => {
      isOver = true
    })
    while (!isOver) await clock.advance(1000)
    return going
  }
  return { kernel, fake, turn, clock, session, spent: () => kernel.use(Budgets).spent({ sessionId: session.id }) }
}

const shown = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'message.delta' ? [event.text] : [])).join('')
const usages = (events: readonly TurnEvent[]) => events.filter(({ type }) => type === 'usage')

test('after a text that was shown no other model is asked: no one reads two answers or pays for both', async () => {
  const { fake, turn, spent, session } = await open(
    [{ text: 'Half', failure: { kind: 'billing' } }, 'Another answer'],
    {
      fallbacks: ['fake-2'],
    },
  )
  const events = await turn()
  expect(fake.requests.map(({ model }) => model)).toEqual(['fake-1'])
  expect(shown(events)).toBe('Half')
  expect(events.at(-1)).toMatchObject({ reason: 'failed' })
  expect(session.messages().at(-1)).toEqual({ role: 'assistant', text: 'Half' })
  expect(spent().modelCalls).toBe(1)
})

test('after a text that was shown the same request is not made again, however passing the failure', async () => {
  const limited = { text: 'Half', failure: { kind: 'rate-limit', retryable: true } } as const
  const { fake, turn } = await open([limited, 'Half an answer'])
  const events = await turn()
  expect(fake.requests).toHaveLength(1)
  expect(shown(events)).toBe('Half')
})

test.each([
  ['shown text', { text: 'Half' }],
  ['thoughts', { reasoning: 'Hm.' }],
  ['a call', { calls: [{ name: 'none' }] }],
])('an answer that broke after %s and was not counted takes its estimate from the budget', async (_, came) => {
  const { turn, spent } = await open([{ ...came, failure: { kind: 'billing' } }, 'never asked'], { tokens: 100 })
  const events = await turn()
  expect(usages(events)).toHaveLength(1)
  expect(spent()).toMatchObject({ modelCalls: 1 })
  expect((await turn()).at(-2)).toMatchObject({ type: 'error', code: 'BUDGET_EXCEEDED' })
})

test('a call that failed before anything came gives back what was held for it', async () => {
  const { turn, spent } = await open([{ failure: { kind: 'billing' } }, 'fine'], { tokens: 100 })
  const failed = await turn()
  expect(usages(failed)).toEqual([])
  expect(spent()).toMatchObject({ modelCalls: 0 })
  expect((await turn()).at(-1)).toMatchObject({ reason: 'completed' })
})

test('an answer is paid as it was counted, and counted once', async () => {
  const { turn, spent } = await open([{ text: 'fine', usage: { input: 40, output: 2 } }])
  const events = await turn()
  expect(usages(events)).toHaveLength(1)
  expect(spent()).toMatchObject({ modelCalls: 1, input: 40, output: 2 })
  expect(events.at(-1)).toMatchObject({ usage: { input: 40, output: 2 } })
})

test('a turn took what all of its calls took', async () => {
  const usage = { input: 40, output: 2 }
  const { turn } = await open([
    { calls: [{ name: 'none' }], usage },
    { text: 'fine', usage },
  ])
  expect((await turn()).at(-1)).toMatchObject({ usage: { input: 80, output: 4 } })
})

test('an answer that no one counted takes what the conversation before it is long', async () => {
  const { turn } = await open([{ text: 'Half', failure: { kind: 'billing' } }, 'never asked'], { tokens: 10_000 })
  await turn({ text: 'long '.repeat(8000) })
  expect((await turn()).at(-2)).toMatchObject({ type: 'error', code: 'BUDGET_EXCEEDED' })
})

test('the caps of whom a turn is for hold for it', async () => {
  const { kernel, turn, fake } = await open([{ text: 'fine', usage: { input: 40, output: 2 } }])
  kernel.use(Budgets).limit('job:nightly', { tokens: 40 })
  const groups = ['job:nightly']
  expect((await turn({ groups })).at(-1)).toMatchObject({ reason: 'completed' })
  expect((await turn({ groups })).at(-2)).toMatchObject({ code: 'BUDGET_EXCEEDED' })
  expect((await turn()).at(-1)).toMatchObject({ reason: 'completed' })
  expect(fake.requests).toHaveLength(2)
})

test('a tool call beyond the cap is not run, and the model is told', async () => {
  const ran: string[] = []
  const tool = defineTool({
    name: 'act',
    description: 'Acts.',
    input: z.object({}),
    effect: 'once',
    toolset: 'test',
    reach: 'nothing',
    run: async () => `ran ${ran.push('act')}`,
  })
  const calls = [{ name: 'act' }, { name: 'act' }]
  const { kernel, turn, session } = await open([{ calls }, 'done'], { tools: 1, with: [toolPlugin(tool)] })
  expect(kernel.problems()).toEqual([])
  await turn()
  expect(ran).toEqual(['act'])
  expect(session.messages().at(-2)).toMatchObject({ failed: true, text: expect.stringMatching(/1 of 1 tool calls/) })
})

test('a model that failed is not asked again as its own fallback', async () => {
  const { fake, turn } = await open([{ failure: { kind: 'billing' } }, 'fine'], { fallbacks: ['fake-1', 'fake-2'] })
  await turn()
  expect(fake.requests.map(({ model }) => model)).toEqual(['fake-1', 'fake-2'])
})

test.each([
  ['a request that is too long, and that nothing made shorter, is sent', 1, { failure: { kind: 'context-overflow' } }],
  ['a service that is busy for ever is asked', 4, { failure: { kind: 'overloaded', retryable: true } }],
  ['an answer that stays empty is asked for', 3, ''],
  ['an answer that never ends is gone on with until it was asked for', 5, { text: 'more ', end: 'length' }],
] as const)('%s %i times at most', async (_, most, reply) => {
  const { fake, turn } = await open([reply])
  await turn()
  expect(fake.requests).toHaveLength(most)
})

test('a call that hangs is ended after a quarter of an hour, and says so', async () => {
  const hanging = { gate: new Promise(() => {}) }
  const { kernel, clock, fake, session } = await open([hanging], { agent: { max_retries: 0 } })
  const going = collect(kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
  while (fake.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(899_000)
  expect(kernel.use(Agent).busy(session.id)).toBe(true)
  await clock.advance(2000)
  expect((await going).at(-2)).toMatchObject({ type: 'error', message: expect.stringContaining('within 900 s') })
})

test('a call that is over waits for nothing any more', async () => {
  const { kernel, clock, session } = await open(['fine'])
  const waiting: number[] = []
  for (let count = 0; count < 4; count++) {
    await collect(kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
    waiting.push(clock.pending())
  }
  expect(waiting.slice(1)).toEqual(waiting.slice(1).map(() => waiting[0]))
})
