import { Agent, defineTool, Sessions, Tools, type TurnEvent } from 'svc/sdk'
import { fakeProvider, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

async function open(script: readonly ScriptedReply[]) {
  const clock = virtualClock()
  const written: string[] = []
  const fake = fakeProvider(script)
  const write = defineTool({
    name: 'write',
    description: 'Writes.',
    input: z.object({ text: z.string() }),
    effect: 'undoable',
    reach: 'nothing',
    toolset: 'test',
    run: async ({ text }) => {
      written.push(text)
      return 'done'
    },
  })
  const kernel = await testKernel({
    plugins: ['agent'],
    clock,
    with: [fake.plugin, { name: 'writer', setup: (ctx) => void ctx.add(Tools, write) }],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const turn = async () => {
    const events: TurnEvent[] = []
    const running = (async () => {
      for await (const event of kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
        events.push(event)
    })()
    let isOver = false
    void running.finally(() => {
      isOver = true
    })
    while (!isOver) await clock.advance(1000)
    await running
    return events
  }
  return { kernel, fake, written, session, turn, [Symbol.asyncDispose]: () => kernel.stop() }
}

const notices = (events: readonly TurnEvent[]) => events.flatMap((event) => (event.type === 'notice' ? event.text : []))
const cutCall = { calls: [{ name: 'write', input: { text: 'half' } }], end: 'length', usage: { output: 4096 } } as const

test('a call that the output limit cut is not run, and is asked for again with twice the limit', async () => {
  await using svc = await open([cutCall, { calls: [{ name: 'write', input: { text: 'whole' } }] }, 'done'])
  const events = await svc.turn()
  expect(svc.written).toEqual(['whole'])
  expect(svc.fake.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([undefined, 8192, 8192])
  expect(notices(events).slice(0, 1)).toEqual([
    'The answer was cut by the output limit inside a call of write, which was not run. Asking again with a limit of 8192 tokens.',
  ])
  expect(JSON.stringify(svc.session.messages())).not.toContain('half')
})

test('a call that is cut with twice the limit, too, ends the turn with what happened, and never runs', async () => {
  await using svc = await open([cutCall])
  const events = await svc.turn()
  expect(svc.written).toEqual([])
  expect(svc.fake.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([undefined, 8192])
  expect(events.find(({ type }) => type === 'error')).toMatchObject({ code: 'MODEL_CUT' })
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'failed' })
})

test('text before a cut call is kept, and the model is told that the call was not run', async () => {
  await using svc = await open([{ ...cutCall, text: 'First I write. ' }, 'Done.'])
  await svc.turn()
  expect(svc.written).toEqual([])
  expect(svc.session.messages().map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: go',
    'assistant: First I write. ',
    expect.stringMatching(/^user: Your call of write was not run\. .*Go on exactly where it stopped/),
    'assistant: Done.',
  ])
})

test.each(['cut', 'unreachable', 'timeout', 'server', 'overloaded'] as const)(
  'a stream that breaks after visible text (%s) goes on from that text',
  async (kind) => {
    const broken = {
      text: 'one ',
      calls: [{ name: 'write', input: { text: 'x' } }],
      failure: { kind, retryable: true },
    } as const
    await using svc = await open([broken, 'two'])
    const events = await svc.turn()
    const shown = events.flatMap((event) => (event.type === 'message.delta' ? event.text : [])).join('')
    expect(shown).toBe('one two')
    expect(svc.written).toEqual([])
    expect(events.at(-1)).toMatchObject({ reason: 'completed' })
    expect(notices(events).at(-1)).toContain('Going on from what was said.')
  },
)

test('the text before a broken connection stays in the conversation, and the model reads it', async () => {
  await using svc = await open([{ text: 'one ', failure: { kind: 'cut' } }, 'two'])
  await svc.turn()
  expect(svc.session.messages().map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: go',
    'assistant: one ',
    expect.stringMatching(/^user: The connection broke/),
    'assistant: two',
  ])
})

test('a connection that breaks each time is given up after two more tries', async () => {
  await using svc = await open([{ text: 'more ', failure: { kind: 'cut' } }])
  const events = await svc.turn()
  expect(svc.fake.requests).toHaveLength(3)
  expect(events.at(-1)).toMatchObject({ reason: 'failed' })
})

test.each(['auth', 'billing', 'invalid', 'unknown'] as const)(
  'what will not get better (%s) is not asked again',
  async (kind) => {
    await using svc = await open([{ text: 'one', failure: { kind } }])
    await svc.turn()
    expect(svc.fake.requests).toHaveLength(1)
  },
)
