/** Providers and tools of plugins that break their contract. The turn ends with a sentence, the next one works. */
import type { InlinePlugin } from 'svc'
import { defineTool, type Tool, type ToolResult } from 'svc/sdk'
import { type ModelEvent, type ModelRequest, Providers } from 'svc/sdk/provider'
import type { ScriptedReply } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { findError, scene, toolPlugin, whyNoSentence } from '../support/scene.ts'

type Stream = (request: ModelRequest) => AsyncIterable<ModelEvent | readonly ModelEvent[]>

/** The provider `bad`, which answers like this. */
function badProvider(stream: Stream): InlinePlugin {
  return {
    name: 'bad-provider',
    kind: 'provider',
    contributes: { providers: ['bad'] },
    setup(ctx) {
      ctx.add(Providers, {
        name: 'bad',
        label: 'Bad',
        status: async () => ({ ready: true, detail: 'bad' }),
        models: async () => [],
        stream,
      })
    },
  }
}

const streams: Record<string, Stream> = {
  'throws at once': () => {
    throw new Error('The gears are stuck')
  },
  async *'throws in the middle'() {
    yield { type: 'text', text: 'half' }
    throw new Error('The gears are stuck')
  },
  async *'throws what is no error'() {
    yield { type: 'text', text: '' }
    throw { strange: true }
  },
  async *'yields nothing'() {},
  async *'stops without an end'() {
    yield { type: 'text', text: 'half' }
  },
  'is no stream': () => undefined as never,
  async *'yields what is no event'() {
    yield undefined as never
    yield { type: 'unheard-of' } as never
  },
  async *'yields text that is none'() {
    yield { type: 'text', text: 5 as never }
    yield { type: 'end', reason: 'stop' }
  },
  async *'yields a call without a name'() {
    yield { type: 'tool-call', call: { id: 'a' } as never }
    yield { type: 'end', reason: 'tool-calls' }
  },
  async *'yields usage that is none'() {
    yield { type: 'usage', usage: { input: 'many', output: Number.NaN } as never }
    yield { type: 'text', text: 'hello' }
    yield { type: 'end', reason: 'stop' }
  },
}

test.each(Object.keys(streams))(
  'a provider that %s ends the turn in good order, and the next one works',
  async (name) => {
    const { turn, session } = await scene({ with: [badProvider((request) => streams[name]?.(request) as never)] })
    const events = await turn('hello', { provider: 'bad', model: 'm' })
    expect(events.at(-1)?.type).toBe('turn.end')
    const message = findError(events)?.message
    expect(message === undefined).toBe(name === 'yields usage that is none')
    expect(whyNoSentence(message ?? 'There was no error.')).toBeUndefined()
    expect(await turn('again')).toContainEqual(expect.objectContaining({ type: 'message.complete', text: 'Done.' }))
    expect(session.messages().at(-1)).toMatchObject({ role: 'assistant', text: 'Done.' })
  },
)

const endless: Record<string, unknown> = {}
endless['image'] = endless

test('a picture that cannot be written down fails the turn with a sentence, and the next one works', async () => {
  async function* stream(): AsyncGenerator<ModelEvent> {
    yield { type: 'image', image: endless as never }
    yield { type: 'end', reason: 'stop' }
  }
  const { turn } = await scene({ with: [badProvider(stream)] })
  const events = await turn('hello', { provider: 'bad', model: 'm' })
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'failed' })
  expect(findError(events)).toMatchObject({ code: 'SESSION_RECORD_INVALID' })
  expect((await turn('again')).at(-1)).toMatchObject({ reason: 'completed' })
})

test.each([{ count: 5n }, endless, () => 1])(
  'a call with input that cannot be written down is refused',
  async (input) => {
    const script: readonly ScriptedReply[] = [{ calls: [{ name: 'odd', input }] }, 'Done.', 'Done.']
    const { turn } = await scene({ script, with: [toolPlugin(returning(() => 'fine'))] })
    const events = await turn('hello')
    expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
    expect(events.find(({ type }) => type === 'tool.complete')).toMatchObject({ ok: false })
    expect((await turn('again')).at(-1)).toMatchObject({ reason: 'completed' })
  },
)

test('an answer that stopped without its end counts as cut: what was shown is kept, and it is no success', async () => {
  const { turn, session } = await scene({ with: [badProvider(streams['stops without an end'] as Stream)] })
  const events = await turn('hello', { provider: 'bad', model: 'm' })
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'failed' })
  expect(findError(events)?.message).toMatch(/bad.*in the middle|ended/i)
  expect(session.messages().at(-1)).toMatchObject({ role: 'assistant', text: 'half' })
})

test('what a provider says after its end is not heard', async () => {
  const late: Stream = async function* () {
    yield { type: 'text', text: 'hello' }
    yield { type: 'end', reason: 'stop' }
    yield { type: 'text', text: ' and one more thing' }
    yield { type: 'tool-call', call: { id: 'x', name: 'terminal', input: {} } }
  }
  const { turn, session } = await scene({ with: [badProvider(late)] })
  const events = await turn('hello', { provider: 'bad', model: 'm' })
  expect(events.at(-1)).toMatchObject({ reason: 'completed' })
  expect(session.messages().at(-1)).toEqual({ role: 'assistant', text: 'hello' })
})

const circle: Record<string, unknown> = {}
circle['self'] = circle

const results: Record<string, () => unknown> = {
  'a circle': () => ({ text: 'ok', data: circle }),
  'a bigint': () => ({ text: 'ok', data: { count: 5n } }),
  'a function': () => ({ text: 'ok', data: () => 1 }),
  'a map': () => ({ text: 'ok', data: new Map([[1, 2]]) }),
  'data that throws when it is read': () => ({
    text: 'ok',
    data: {
      get trap() {
        throw new Error('The trap is shut.')
      },
    },
  }),
  nothing: () => undefined,
  null: () => null,
  'a number': () => 5,
  'no text': () => ({ data: 1 }),
  'text that is none': () => ({ text: { a: 1 } }),
  'images that are none': () => ({ text: 'ok', images: 'picture' }),
  'a lone half of a character': () => 'a\ud800b',
  'control characters': () => 'a\0b\u001b[2Jc',
  'an error without words': () => {
    throw new Error()
  },
  'a thrown undefined': () => {
    throw undefined
  },
  'a thrown object': () => {
    throw { code: 1 }
  },
  'a very long error': () => {
    throw new Error('x'.repeat(3_000_000))
  },
}

/** Those that are no result. */
const failing = new Set([
  ...['nothing', 'null', 'a number', 'no text', 'text that is none'],
  ...['an error without words', 'a thrown undefined', 'a thrown object', 'a very long error'],
])

function returning(make: () => unknown): Tool {
  return defineTool({
    name: 'odd',
    description: 'odd',
    input: z.object({}),
    effect: 'pure',
    toolset: 'test',
    reach: 'nothing',
    run: async () => make() as ToolResult,
  })
}

test.each(Object.keys(results))(
  'a tool that returns %s gets an answer that is kept, and the turn goes on',
  async (name) => {
    const { tool, fake, session } = await scene({ with: [toolPlugin(returning(results[name] as () => unknown))] })
    const done = await tool('odd', {})
    expect(done.ok, done.text).toBe(!failing.has(name))
    expect(done.ok ? undefined : whyNoSentence(done.text)).toBeUndefined()
    const answer = fake.requests.at(-1)?.messages.at(-1)
    expect(answer).toMatchObject({ role: 'tool', text: expect.any(String) })
    expect(JSON.stringify(answer).length).toBeLessThan(200_000)
    expect(session.messages()).toHaveLength(4)
  },
)

const broken: Record<string, Partial<Tool>> = {
  'its acts': {
    acts: () => {
      throw new Error('No acts today.')
    },
  },
  'its redirect': {
    redirect: () => {
      throw new Error('No way today.')
    },
  },
  'its schema': {
    input: z.object({}).refine(() => {
      throw new Error('No check today.')
    }) as never,
  },
  'its isolation': {
    isolated: () => {
      throw new Error('No walls today.')
    },
  },
}

test.each([
  ['its acts', false],
  ['its redirect', true],
  ['its schema', false],
  ['its isolation', true],
] as const)(
  'a tool that throws in %s fails alone, or (%s) does without, and the turn continues',
  async (name, works) => {
    const odd = { ...returning(() => 'fine'), ...broken[name] }
    const { tool } = await scene({ with: [toolPlugin(odd)], plugins: ['approvals'] })
    const done = await tool('odd', {})
    expect(done.ok, done.text).toBe(works)
    expect(done.text).toMatch(works ? /^fine$/ : /today/)
  },
)

test('progress and events of a tool that are no plain data fail the tool, not the turn', async () => {
  const chatty = defineTool({
    name: 'odd',
    description: 'odd',
    input: z.object({}),
    effect: 'pure',
    toolset: 'test',
    reach: 'nothing',
    async run(_input, turn) {
      turn.progress(undefined as never)
      turn.emit({ type: 'notice', text: 5n as never })
      return 'fine'
    },
  })
  const { tool } = await scene({ with: [toolPlugin(chatty)] })
  const done = await tool('odd', {})
  expect(done.ok).toBe(false)
})
test('a tool that cannot say whether it can be used is left out, and the turn continues', async () => {
  const odd: Tool = {
    ...returning(() => 'fine'),
    missing: () => {
      throw new Error('No answer today.')
    },
  }
  const { turn, fake } = await scene({ with: [toolPlugin(odd)] })
  expect((await turn('hello')).at(-1)).toMatchObject({ reason: 'completed' })
  expect(fake.requests[0]?.tools.map(({ name }) => name)).not.toContain('odd')
})
