import { Agent, BeforeToolCall, BeforeUserMessage, defineTool, Sessions, Tools, type TurnEvent } from 'svc/sdk'
import { type FakeProvider, fakeProvider, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { groups } from '../../../../plugins/agent/agent/tool-batch.ts'

const model = { provider: 'fake', default: 'fake-1' }
const quiet = { toolset: 'test', reach: 'nothing' } as const

/** Tools that note when they begin and end. */
function noted(log: string[]) {
  const tool = (name: string, parallel: boolean, paths?: (input: { path?: string | undefined }) => string[]) =>
    defineTool({
      name,
      description: name,
      input: z.object({ path: z.string().optional() }),
      effect: name === 'write' ? 'idempotent' : 'pure',
      ...quiet,
      parallel,
      ...(paths ? { paths } : {}),
      async run({ path }) {
        log.push(`${name} ${path ?? ''} begins`.replace('  ', ' '))
        await new Promise((resolve) => setImmediate(resolve))
        log.push(`${name} ${path ?? ''} ends`.replace('  ', ' '))
        return `${name} of ${path ?? 'nothing'}`
      },
    })
  return {
    name: 'noted',
    setup(ctx: { add(point: typeof Tools, item: ReturnType<typeof tool>): unknown }) {
      ctx.add(Tools, tool('look', true))
      ctx.add(
        Tools,
        tool('write', true, ({ path }) => (path ? [path] : [])),
      )
      ctx.add(Tools, tool('alone', false))
    },
  }
}

async function start(
  script: readonly ScriptedReply[],
  config: object = {},
  more: Parameters<typeof testKernel>[0] = {},
) {
  const log: string[] = []
  const fake = fakeProvider(script)
  const kernel = await testKernel({
    plugins: ['agent'],
    ...more,
    with: [fake.plugin, noted(log), ...(more?.with ?? [])],
    config: { model, ...config },
  })
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const turn = (text: string, extra: object = {}) =>
    collect(kernel.use(Agent).run({ sessionId: session.id, text, surface: 'test', ...extra }))
  return { kernel, fake, log, session, turn }
}

async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

const types = (events: readonly TurnEvent[]) => events.map((event) => event.type)
const last = (fake: FakeProvider) => fake.requests.at(-1)?.messages ?? []

test('a question is answered, and the whole stream is in the session', async () => {
  const { kernel, session, turn } = await start([{ pieces: ['Hel', 'lo'] }])
  const events = await turn('hi')
  expect(types(events)).toEqual([
    'turn.start',
    'model.start',
    'message.delta',
    'message.delta',
    'usage',
    'model.end',
    'message.complete',
    'turn.end',
  ])
  expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(kernel.use(Sessions).open(session.id).events()).toEqual(events)
  expect(session.messages()).toEqual([
    { role: 'user', text: 'hi' },
    { role: 'assistant', text: 'Hello' },
  ])
  await kernel.stop()
})

test('tools that may run side by side do, one that may not waits, and answers keep the order of the calls', async () => {
  const { kernel, log, fake, turn } = await start([
    {
      calls: [
        { name: 'look', input: { path: 'a' } },
        { name: 'look', input: { path: 'b' } },
        { name: 'alone' },
        { name: 'look', input: { path: 'c' } },
      ],
    },
    'done',
  ])
  await turn('go')
  expect(log).toEqual([
    'look a begins',
    'look b begins',
    'look a ends',
    'look b ends',
    'alone begins',
    'alone ends',
    'look c begins',
    'look c ends',
  ])
  expect(
    last(fake)
      .filter((message) => message.role === 'tool')
      .map((message) => message.text),
  ).toEqual(['look of a', 'look of b', 'alone of nothing', 'look of c'])
  await kernel.stop()
})

test('two writes of one file wait for each other, of two files they do not', async () => {
  const write = (path: string) => ({ name: 'write', input: { path } })
  const { kernel, log, turn } = await start([{ calls: [write('/x/a'), write('/x/b'), write('/x/a')] }, 'done'])
  await turn('go')
  expect(log).toEqual([
    'write /x/a begins',
    'write /x/b begins',
    'write /x/a ends',
    'write /x/b ends',
    'write /x/a begins',
    'write /x/a ends',
  ])
  await kernel.stop()
})

test('every tool intent is in the journal before the first tool runs', async () => {
  let found: string[] = []
  const fake = fakeProvider([{ calls: [{ name: 'peek' }, { name: 'peek' }] }, 'done'])
  await using kernel = await testKernel({
    plugins: ['agent'],
    config: { model },
    with: [
      fake.plugin,
      {
        name: 'peek',
        setup: (ctx) =>
          void ctx.add(
            Tools,
            defineTool({
              name: 'peek',
              description: 'reads the journal',
              input: z.object({}),
              effect: 'once',
              ...quiet,
              async run(_input, turn) {
                if (!found.length) found = types(ctx.use(Sessions).open(turn.sessionId).events())
                return 'ok'
              },
            }),
          ),
      },
    ],
  })
  const { id } = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  await collect(kernel.use(Agent).run({ sessionId: id, text: 'go', surface: 'test' }))
  const all = ['turn.start', 'model.start', 'usage', 'model.end', 'tool.start', 'tool.start', 'tool.running']
  expect(found.filter((type) => type !== 'notice')).toEqual(all)
})

test('wrong arguments, unknown tools and failing tools are answered, and the turn continues', async () => {
  const { kernel, fake, turn } = await start([
    { calls: [{ name: 'look', input: { path: {} } }, { name: 'teleport' }, { name: 'look', input: 'not json' }] },
    'sorry',
  ])
  const events = await turn('go')
  const said = last(fake)
    .filter((message) => message.role === 'tool')
    .map((message) => message.text)
  expect(said[0]).toMatch(/arguments of look are wrong. path: /)
  expect(said[1]).toMatch(/^There is no tool "teleport"\. The tools are: .*\blook\b.*\bwrite\b.*\.$/)
  expect(said[2]).toMatch(/not valid JSON/)
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
  await kernel.stop()
})

test('what the model plainly meant is taken for what it wrote', async () => {
  const { kernel, fake, turn } = await start([
    {
      calls: [
        { name: 'Look', input: { path: 7 } },
        { name: 'lok', input: '{"path": "b",}' },
        { name: 'look_tool', input: {} },
      ],
    },
    'done',
  ])
  await turn('go')
  const said = last(fake).filter((message) => message.role === 'tool')
  expect(said.map((message) => message.text)).toEqual(['look of 7', 'look of b', 'look of nothing'])
  await kernel.stop()
})

test('a turn that goes in circles is told so, then ended with a summary', async () => {
  const call = { calls: [{ name: 'look', input: { path: {} } }] }
  const { kernel, fake, turn } = await start([call, call, call, call, call, 'I was stuck.'])
  const events = await turn('go')
  const texts = (at: number) => fake.requests[at]?.messages.at(-1)?.text ?? ''
  expect(texts(1)).not.toContain('failed before')
  expect(texts(2)).toContain('This very call has failed before')
  expect(fake.requests).toHaveLength(6)
  expect(fake.requests[5]?.tools).toEqual([])
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'max-iterations' })
  await kernel.stop()
})

test('when the model fails, the next of the list is asked, and the switch is said', async () => {
  const down = { failure: { kind: 'billing', message: 'No money left.' } } as const
  const model = {
    provider: 'fake',
    default: 'fake-1',
    fallbacks: [
      { provider: 'gone', model: 'x' },
      { provider: 'fake', model: 'fake-2' },
    ],
  }
  const { kernel, fake, turn } = await start([down, 'from the other'], { model })
  const events = await turn('go')
  expect(fake.requests.map((request) => request.model)).toEqual(['fake-1', 'fake-2'])
  expect(events.filter((event) => event.type === 'notice').map((event) => event.text)).toEqual([
    'No money left. Switching to fake-2 at Scripted model.',
  ])
  expect(events.at(-1)).toMatchObject({ reason: 'completed' })
  await turn('again')
  expect(fake.requests.at(-1)?.model).toBe('fake-1')
  await kernel.stop()
})

test('an answer that was cut is continued with; one that stays empty is an error', async () => {
  const { kernel, session, turn } = await start([{ text: 'one ', end: 'length' }, { text: 'two' }, '', '', ''])
  const events = await turn('go')
  expect(
    events
      .filter((event) => event.type === 'message.delta')
      .map((event) => event.text)
      .join(''),
  ).toBe('one two')
  expect(events.at(-1)).toMatchObject({ reason: 'completed' })
  expect(session.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  const empty = await turn('and now?')
  expect(empty.filter((event) => event.type === 'error')).toMatchObject([{ code: 'MODEL_EMPTY' }])
  await kernel.stop()
})

test('a gate that denies is told to the model; a gate that fails denies', async () => {
  let failing = false
  const gate = {
    name: 'gate',
    setup: (ctx: {
      on: (hook: typeof BeforeToolCall, listener: () => { allow: boolean; reason: string }) => unknown
    }) =>
      void ctx.on(BeforeToolCall, () => {
        if (failing) throw new Error('broken')
        return { allow: false, reason: 'not today' }
      }),
  }
  const { kernel, log, fake, turn } = await start([{ calls: [{ name: 'look' }] }, 'ok'], {}, { with: [gate] })
  await turn('go')
  expect(last(fake).at(-1)).toMatchObject({ role: 'tool', text: 'Not allowed: not today (gate).' })
  failing = true
  await turn('again')
  expect(log).toEqual([])
  await kernel.stop()
})

test('at the cap the model sums up without tools', async () => {
  const call = { calls: [{ name: 'look' }] }
  const { kernel, fake, turn } = await start([call, call, { text: 'this far' }], { agent: { max_iterations: 2 } })
  const events = await turn('go')
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'max-iterations' })
  expect(fake.requests).toHaveLength(3)
  expect(fake.requests[2]?.tools).toEqual([])
  expect(events.findLast((event) => event.type === 'message.complete')).toMatchObject({ text: 'this far' })
  await kernel.stop()
})

test('an interrupted turn keeps what was said and leaves a conversation that can continue', async () => {
  const abort = new AbortController()
  const never = new Promise(() => {})
  const { kernel, fake, session, turn } = await start([{ gate: never }, 'fine'])
  const pending = turn('go', { signal: abort.signal })
  while (!fake.requests.length) await new Promise((resolve) => setImmediate(resolve))
  abort.abort()
  expect((await pending).at(-1)).toMatchObject({ type: 'turn.end', reason: 'interrupted' })
  expect((await turn('again')).at(-1)).toMatchObject({ reason: 'completed' })
  expect(session.messages().map((message) => message.role)).toEqual(['user', 'user', 'assistant'])
  await kernel.stop()
})

test('what failed in passing is tried again after a pause, and the user is told', async () => {
  const clock = virtualClock()
  const busy = { failure: { kind: 'overloaded', message: 'The server is overloaded.', retryable: true } } as const
  const { kernel, fake, turn } = await start([busy, busy, 'there'], {}, { clock })
  const pending = turn('go')
  while (fake.requests.length < 3) await clock.advance(1000)
  const events = await pending
  expect(events.filter((event) => event.type === 'notice').map((event) => event.text)).toEqual([
    expect.stringMatching(/^The server is overloaded. Trying again in \d s \(1 of 3\)\.$/),
    expect.stringMatching(/\(2 of 3\)/),
  ])
  expect(events.at(-1)).toMatchObject({ reason: 'completed' })
  await kernel.stop()
})

test('what cannot succeed is not tried again', async () => {
  const { kernel, fake, turn } = await start([{ failure: { kind: 'billing', message: 'No money left.' } }, 'never'])
  const events = await turn('go')
  expect(events.filter((event) => event.type === 'error')).toMatchObject([
    { code: 'MODEL_FAILED', message: 'No money left.' },
  ])
  expect(fake.requests).toHaveLength(1)
  await kernel.stop()
})

test('a second turn of one session is refused while the first runs', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const { kernel, turn } = await start([{ gate, text: 'first' }])
  const first = turn('one')
  await expect(turn('two')).rejects.toMatchObject({ code: 'AGENT_BUSY' })
  open()
  expect((await first).at(-1)).toMatchObject({ reason: 'completed' })
  await kernel.stop()
})

test('the system prompt is the same bytes in every request of a session, also after a restart', async () => {
  const { kernel, fake, turn } = await start(['a', 'b'])
  await turn('one')
  await turn('two')
  const [one, two] = fake.requests.map((request) => request.messages[0])
  expect(one).toEqual(two)
  await kernel.stop()
})

test('listeners may rewrite what came in', async () => {
  const shout = {
    name: 'shout',
    setup: (ctx: { on: (hook: typeof BeforeUserMessage, listener: (text: string) => string) => unknown }) =>
      void ctx.on(BeforeUserMessage, (text) => text.toUpperCase()),
  }
  const { kernel, fake, turn } = await start(['ok'], {}, { with: [shout] })
  await turn('hi')
  expect(last(fake).at(-1)).toEqual({ role: 'user', text: 'HI' })
  await kernel.stop()
})

test('reads of one folder and of files in it do not wait for each other; a write there does', () => {
  const read = (path: string) => ({ parallel: true, pure: true, paths: [path] })
  const write = (path: string) => ({ parallel: true, pure: false, paths: [path] })
  const sizes = (...jobs: ReturnType<typeof read>[]) => groups(jobs, 8).map((group) => group.length)
  expect(sizes(read('/x'), read('/x/a'), read('/x/a'))).toEqual([3])
  expect(sizes(read('/x'), write('/x/a'), write('/y'))).toEqual([1, 2])
  expect(sizes(write('/x/a'), write('/x/ab'))).toEqual([2])
})

test('a secret that a tool comes across reaches neither the model nor the journal', async () => {
  const secret = 'sk-canary-0123456789'
  const leak = {
    name: 'leak',
    setup: (ctx: { add: (point: typeof Tools, item: ReturnType<typeof defineTool>) => unknown }) =>
      void ctx.add(
        Tools,
        defineTool({
          name: 'leak',
          description: 'leaks',
          input: z.object({ fail: z.boolean().optional() }),
          effect: 'pure',
          ...quiet,
          async run({ fail }) {
            if (fail) throw new Error(`cannot use ${secret}`)
            return `the key is ${secret}.`
          },
        }),
      ),
  }
  const calls = [{ name: 'leak' }, { name: 'leak', input: { fail: true } }]
  const { kernel, fake, session, turn } = await start(
    [{ calls }, 'ok'],
    {},
    { with: [leak], env: { SOME_API_KEY: secret } },
  )
  await turn('go')
  expect(
    last(fake)
      .filter((message) => message.role === 'tool')
      .map((message) => message.text),
  ).toEqual(['the key is ***.', 'cannot use ***'])
  expect(JSON.stringify([session.events(), session.messages()])).not.toContain(secret)
  await kernel.stop()
})
