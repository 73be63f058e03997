/** Tools, commands and listeners of hooks ask the person of their session. */
import {
  AfterToolCall,
  BeforeToolCall,
  BeforeUserMessage,
  defineTool,
  type Person,
  Questions,
  Sessions,
  SlashCommands,
  Tools,
  type TurnEvent,
  type UserQuestion,
} from 'svc/sdk'
import { type InlinePlugin, People } from 'svc/sdk/host'
import type { QuestionHandler } from 'svc/sdk/safety'
import { type FakePerson, fakeProvider, fakeTalk, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'

type Asks = (person: Person) => Promise<unknown>
const shown = (value: unknown) => JSON.stringify(value) ?? 'undefined'

/** A kernel with a tool `ask_person`, a command `/ask` and listeners that do what the test says. */
async function stage(asks: { tool?: Asks; command?: Asks; before?: Asks; message?: Asks; after?: Asks }) {
  const clock = virtualClock()
  const asker: InlinePlugin = {
    name: 'asker',
    contributes: { tools: ['ask_person'], 'slash-commands': ['ask'] },
    setup(ctx) {
      ctx.add(
        Tools,
        defineTool({
          name: 'ask_person',
          description: 'Asks.',
          input: z.object({}),
          effect: 'pure',
          toolset: 'test',
          reach: 'nothing',
          run: async (_, { person }) => shown(await asks.tool?.(person)),
        }),
      )
      ctx.add(SlashCommands, {
        name: 'ask',
        description: 'Asks',
        category: 'Test',
        run: async (_, { person }) => shown(await asks.command?.(person)),
      })
      if (asks.message)
        ctx.on(BeforeUserMessage, async (text, { person }) => `${text} ${shown(await asks.message?.(person))}`)
      if (asks.after)
        ctx.on(AfterToolCall, async (result, { turn }) => ({ ...result, text: shown(await asks.after?.(turn.person)) }))
      if (asks.before)
        ctx.on(BeforeToolCall, async ({ turn }) => {
          const isAllowed = (await asks.before?.(turn.person)) === true
          return { decision: isAllowed ? 'allow' : 'deny', reason: 'the person said no' }
        })
    },
  }
  const model = fakeProvider((request) =>
    request.messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name: 'ask_person' }] },
  )
  const config = { model: { provider: 'fake', default: 'fake-1' } }
  const kernel = await testKernel({ plugins: ['conversation'], with: [asker, model.plugin], clock, config })
  onTestFinished(() => kernel.stop())
  return { kernel, clock, model }
}

const results = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'tool.complete' ? [event.text] : []))

/** Front ends that answer when the test says so. */
function slow(name: string, reaches: (id: string) => boolean = () => true) {
  const asked: { question: UserQuestion; signal: AbortSignal; answer: (text: string | undefined) => void }[] = []
  const handler: QuestionHandler = {
    name,
    reaches,
    ask: (question, signal) => new Promise((answer) => void asked.push({ question, signal, answer })),
  }
  return { handler, asked }
}

const items = [
  { id: 'a', label: 'First' },
  { id: 'b', label: 'Second' },
]

test.for<[string, Asks, FakePerson, unknown]>([
  ['a yes', (person) => person.confirm('Sure?'), { confirm: true }, true],
  ['a no', (person) => person.confirm('Sure?'), { confirm: false }, false],
  ['an item', (person) => person.choose({ title: 'Which?', items }), { choose: 'b' }, 'b'],
  ['one of some texts', (person) => person.choose({ title: 'Which?', items: ['x', 'y'] }), { choose: 'y' }, 'y'],
  ['a line', (person) => person.ask('Your name?'), { ask: ' Anna ' }, 'Anna'],
  ['an edited text', (person) => person.edit('Text', { text: 'old' }), { edit: 'old\nnew\n' }, 'old\nnew\n'],
  ['a yes in words', (person) => person.confirm('Sure?'), { answer: 'Yes' }, true],
  ['an item by its number', (person) => person.choose({ title: 'Which?', items }), { answer: '2' }, 'b'],
  ['what an item is called', (person) => person.choose({ title: 'Which?', items }), { answer: 'first' }, 'a'],
  [
    'nothing, from words that are no item',
    (person) => person.choose({ title: 'Which?', items }),
    { answer: 'c' },
    undefined,
  ],
  ['nothing, for a secret in words', (person) => person.ask('Key?', { secret: true }), { answer: 'k' }, undefined],
])('a tool and a command get %s', async ([, ask, person, answer]) => {
  const { kernel } = await stage({ tool: ask, command: ask })
  const talk = fakeTalk(kernel, { person })
  await talk.type('hi')
  expect(results(talk.events)).toEqual([shown(answer)])
  expect(await talk.type('/ask')).toBe(shown(answer))
})

test('without a person every question is answered at once, with nothing', async () => {
  const all: Asks = async (person) => [
    person.isReachable,
    await person.confirm('Sure?'),
    await person.choose({ title: 'Which?', items }),
    await person.ask('Name?'),
    await person.edit('Text'),
  ]
  const { kernel, clock } = await stage({ tool: all, command: all })
  const talk = fakeTalk(kernel)
  await talk.type('hi')
  expect(results(talk.events)).toEqual(['[false,null,null,null,null]'])
  expect(await talk.type('/ask')).toBe('[false,null,null,null,null]')
  expect(talk.events.map(({ type }) => type)).not.toContain('clarify.request')
  expect(clock.monotonic()).toBe(0)
})

test('the question of a tool and its answer are events of the turn, those of a command are not', async () => {
  const { kernel } = await stage({
    tool: (person) => person.confirm('Sure?'),
    command: (person) => person.ask('Name?'),
  })
  const talk = fakeTalk(kernel, { person: { confirm: true, ask: 'Anna' } })
  await talk.type('hi')
  const asked = talk.events.filter(({ type }) => type.startsWith('clarify'))
  expect(asked).toMatchObject([
    { type: 'clarify.request', question: { text: 'Sure?', choices: ['Yes', 'No'], form: { kind: 'confirm' } } },
    { type: 'clarify.answer', text: 'yes', by: 'cli' },
  ])
  await talk.type('/ask')
  expect(talk.events.filter(({ type }) => type.startsWith('clarify'))).toHaveLength(2)
})

test('a secret is in no event and no message', async () => {
  const { kernel } = await stage({
    tool: async (person) => ((await person.ask('Key?', { secret: true })) === 'hunter2hunter2' ? 'right' : 'wrong'),
  })
  const talk = fakeTalk(kernel, { person: { ask: 'hunter2hunter2' } })
  await talk.type('hi')
  expect(results(talk.events)).toEqual(['"right"'])
  const session = kernel.use(Sessions).open(talk.conversation.sessionId)
  expect(JSON.stringify([talk.events, session.events(), session.messages()])).not.toContain('hunter2')
  expect(talk.events).toContainEqual(expect.objectContaining({ type: 'clarify.answer', text: '' }))
})

test('when the time is over the question goes away, and a late answer does not count', async () => {
  const { kernel, clock } = await stage({ tool: (person) => person.confirm('Sure?', { timeoutMs: 30_000 }) })
  const far = slow('phone')
  kernel.use(Questions).connect(far.handler)
  const talk = fakeTalk(kernel)
  const done = talk.type('hi')
  await vi.waitFor(() => expect(far.asked).toHaveLength(1))
  expect(far.asked[0]?.question.expiresAt).toBe(clock.now() + 30_000)
  await clock.advance(29_999)
  expect(far.asked[0]?.signal.aborted).toBe(false)
  await clock.advance(1)
  await done
  expect(results(talk.events)).toEqual(['undefined'])
  expect(far.asked[0]?.signal.aborted).toBe(true)
  expect(() => kernel.use(Questions).answer(far.asked[0]?.question.id ?? '', 'yes', 'phone')).toThrow(/not open/)
})

test('of two front ends the first answer counts, and the question goes away at the other', async () => {
  const { kernel } = await stage({ tool: (person) => person.choose({ title: 'Which?', items }) })
  const [phone, web] = [slow('phone'), slow('web')]
  for (const { handler } of [phone, web]) kernel.use(Questions).connect(handler)
  const talk = fakeTalk(kernel)
  const done = talk.type('hi')
  await vi.waitFor(() => expect(web.asked).toHaveLength(1))
  web.asked[0]?.answer('2')
  phone.asked[0]?.answer('1')
  await done
  expect(results(talk.events)).toEqual(['"b"'])
  expect(phone.asked[0]?.signal.aborted).toBe(true)
  expect(talk.events.filter(({ type }) => type === 'clarify.answer')).toMatchObject([{ text: 'b', by: 'web' }])
})

test('a stopped turn withdraws its question', async () => {
  const { kernel } = await stage({ tool: (person) => person.edit('Text') })
  const phone = slow('phone')
  kernel.use(Questions).connect(phone.handler)
  const talk = fakeTalk(kernel)
  const done = talk.type('hi')
  await vi.waitFor(() => expect(phone.asked).toHaveLength(1))
  talk.conversation.stop()
  await done
  expect(phone.asked[0]?.signal.aborted).toBe(true)
  expect(kernel.use(Questions).pending()).toEqual([])
})

test('a gate asks, and the call runs or not as the person says', async () => {
  for (const confirm of [true, false]) {
    const { kernel } = await stage({ before: (person) => person.confirm('May it?'), tool: async () => 'ran' })
    const talk = fakeTalk(kernel, { person: { confirm } })
    await talk.type('hi')
    expect(results(talk.events)).toEqual([confirm ? '"ran"' : expect.stringContaining('the person said no')])
  }
})

test.for(['message', 'after'] as const)(
  'a listener of %s may wait longer for a person than its time limit',
  async (hook) => {
    const { kernel, clock, model } = await stage({ [hook]: (person: Person) => person.ask('Which branch?') })
    const phone = slow('phone')
    kernel.use(Questions).connect(phone.handler)
    const talk = fakeTalk(kernel)
    const done = talk.type('hi')
    await vi.waitFor(() => expect(phone.asked).toHaveLength(1))
    await clock.advance(600_000)
    expect(phone.asked[0]?.signal.aborted).toBe(false)
    phone.asked[0]?.answer('main')
    await done
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('main')
  },
)

test('a listener that hangs after its question is still ended', async () => {
  const message: Asks = async (person) => {
    await person.ask('Which branch?')
    return new Promise(() => {})
  }
  const { kernel, clock, model } = await stage({ message })
  const phone = slow('phone')
  kernel.use(Questions).connect(phone.handler)
  const talk = fakeTalk(kernel)
  const done = talk.type('hi')
  await vi.waitFor(() => expect(phone.asked).toHaveLength(1))
  await clock.advance(7_000)
  phone.asked[0]?.answer('main')
  await vi.waitFor(() => expect(kernel.use(Questions).pending()).toEqual([]))
  await clock.advance(5_000)
  await done
  expect(model.requests[0]?.messages.at(-1)?.text).toBe('hi')
})

test('a subagent asks through its parent, and its parent through the one above', async () => {
  const { kernel } = await stage({})
  const talk = fakeTalk(kernel, { person: { confirm: true } })
  const people = kernel.use(People)
  const child = people.of('child')
  expect(child.isReachable).toBe(false)
  const off = people.forward('child', () => 'middle')
  people.forward('middle', () => talk.conversation.sessionId)
  expect(await child.confirm('Sure?')).toBe(true)
  child.say('From below')
  expect(talk.said.at(-1)).toMatchObject({ text: 'From below', tone: 'info' })
  await off()
  expect(await child.confirm('Sure?')).toBeUndefined()
})

test('where a person sits a question has no limit of its own, elsewhere it has one of an hour', async () => {
  const { kernel, clock } = await stage({})
  const [terminal, phone] = [slow('terminal', (id) => id === 'near'), slow('phone', (id) => id === 'far')]
  kernel.use(Questions).connect({ ...terminal.handler, waits: true })
  kernel.use(Questions).connect(phone.handler)
  const people = kernel.use(People)
  void people.of('near').confirm('Sure?')
  const answer = people.of('far').confirm('Sure?')
  await vi.waitFor(() => expect(phone.asked).toHaveLength(1))
  expect(terminal.asked[0]?.question.expiresAt).toBeUndefined()
  await clock.advance(3_600_000)
  expect(await answer).toBeUndefined()
  expect(terminal.asked[0]?.signal.aborted).toBe(false)
})
