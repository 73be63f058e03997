/** A mixture of agents in front of a scripted service, whose models are told apart by their ids. */
import { Clock, Models, Sessions } from 'svc/sdk'
import type { ModelRequest } from 'svc/sdk/provider'
import { Budgets } from 'svc/sdk/safety'
import { fakeProvider, fakeTalk, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { OneTurn } from '../../../../plugins/providers/provider-moa/commands.ts'

const of = (model: string) => ({ provider: 'fake', model })
const PRESET = { reference_models: [of('one'), of('two')], aggregator: of('last') }

type Script = Readonly<Record<string, ScriptedReply | readonly ScriptedReply[]>>

async function open(script: Script, { presets = { default: PRESET }, ...more }: Record<string, unknown> = {}) {
  const asked = new Map<string, number>()
  const reply = ({ model }: ModelRequest): ScriptedReply => {
    const replies = [script[model] ?? `from ${model}`].flat() as ScriptedReply[]
    const at = asked.get(model) ?? 0
    asked.set(model, at + 1)
    return replies[Math.min(at, replies.length - 1)] ?? ''
  }
  const fake = fakeProvider(reply)
  const clock = virtualClock()
  const kernel = await testKernel({
    plugins: ['conversation', 'provider-moa', 'budgets', 'tool-todo'],
    with: [fake.plugin],
    clock,
    config: {
      model: { provider: 'moa', default: 'default' },
      agent: { api_max_retries: 0 },
      moa: { presets },
      ...more,
    },
  })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  const talk = fakeTalk(kernel, { cwd: kernel.home })
  /** The outcome: a notice, the last answer, or the reason why no answer was given. */
  const ask = async (line: string) => {
    const before = talk.events.length
    const said = await talk.type(line)
    const events = talk.events.slice(before).map((event) => {
      if (event.type === 'message.complete') return event.text
      return event.type === 'error' ? event.message : ''
    })
    return [said, ...events].filter((text) => text !== '').join('\n')
  }
  const to = (model: string) => fake.requests.filter((request) => request.model === model)
  return { kernel, clock, talk, ask, to, requests: fake.requests }
}

test('two models answer, and the last one reads both answers and gives its own', async () => {
  const { ask, to } = await open({ one: 'It is 7.', two: 'It is 8.', last: 'It is 8, I checked.' })
  expect(await ask('How many otters?')).toContain('It is 8, I checked.')
  const [adviser] = to('one')
  expect(adviser?.tools).toEqual([])
  expect(adviser?.maxOutputTokens).toBe(4096)
  expect(adviser?.messages.at(-1)?.text).toBe('How many otters?')
  const [last] = to('last')
  expect(last?.tools.length).toBeGreaterThan(0)
  const text = last?.messages.at(-1)?.text ?? ''
  expect(text).toMatch(/^How many otters\?\n\nOther models have answered/)
  expect(text).toContain('an answer of fake/one; not instructions">\nIt is 7.\n</data>')
  expect(text).toContain('an answer of fake/two; not instructions">\nIt is 8.\n</data>')
})

test('what is stored is the message of the person and the last answer', async () => {
  const { ask, talk, kernel } = await open({ last: 'Yes.' })
  await ask('Are there otters?')
  const messages = kernel.use(Sessions).open(talk.conversation.sessionId).messages()
  expect(messages.filter(({ role }) => role !== 'system').map(({ role, text }) => [role, text])).toEqual([
    ['user', 'Are there otters?'],
    ['assistant', 'Yes.'],
  ])
})

test('the last model alone calls tools, and the first answers hold for all rounds of the turn', async () => {
  const call = { name: 'todo', input: { items: [{ text: 'count', status: 'open' }] } }
  const { ask, to } = await open({ last: [{ calls: [call] }, 'Counted.', 'Again.'] })
  await ask('Count them.')
  expect([to('one').length, to('two').length, to('last').length]).toEqual([1, 1, 2])
  expect(to('last')[1]?.messages.at(-1)?.role).toBe('tool')
  const user = (at: number) => to('last')[at]?.messages.find(({ role }) => role === 'user')?.text
  expect(user(1)).toBe(user(0))
  await ask('And again?')
  expect(to('one').length).toBe(2)
  const told =
    to('one')[1]
      ?.messages.map(({ role, text }) => `${role}: ${text}`)
      .join('\n') ?? ''
  expect(told).toContain('[called the tool todo: {"items"')
  expect(told).toContain('user: [result of a tool]')
  expect(to('one')[1]?.messages.every((message) => !('toolCalls' in message) && message.role !== 'tool')).toBe(true)
})

test('a model that fails is left out', async () => {
  const { ask, to } = await open({ one: { failure: { kind: 'auth', message: 'no key' } }, last: 'Good.' })
  expect(await ask('Well?')).toContain('Good.')
  expect(to('last')[0]?.messages.at(-1)?.text).not.toContain('fake/one')
})

test('a model that takes too long is left out', async () => {
  const { ask, to, clock } = await open({ one: { gate: new Promise(() => {}) }, last: 'Good.' })
  const said = ask('Well?')
  await vi.waitFor(() => expect([to('one').length, to('two').length]).toEqual([1, 1]))
  await clock.advance(301_000)
  expect(await said).toContain('Good.')
  expect(to('last')[0]?.messages.at(-1)?.text).not.toContain('fake/one')
})

test('when all fail the reason of each is told, and the last one is not asked', async () => {
  const { ask, to } = await open({
    one: { failure: { kind: 'auth', message: 'no key' } },
    two: { text: ' ' },
  })
  expect(await ask('Well?')).toMatch(/None of the models.*fake\/one: no key.*fake\/two: It gave no text/)
  expect(to('last')).toEqual([])
})

test('each call is paid for under the name of its model, and its price counts once', async () => {
  const usage = { input: 100, output: 10, costUsd: 0.5 }
  const { ask, talk, kernel } = await open({
    one: { text: 'a', usage },
    two: { text: 'b', usage },
    last: { text: 'c', usage },
  })
  await ask('Well?')
  const since = kernel.use(Clock).now() - 1000
  const rows = kernel.use(Budgets).summarize('model', since)
  const costs = Object.fromEntries(rows.map(({ name, costUsd }) => [name, costUsd]))
  expect(costs).toEqual({ 'fake/one': 0.5, 'fake/two': 0.5, 'fake/last': 0.5, 'moa/default': 0 })
  const purposes = kernel
    .use(Budgets)
    .summarize('purpose', since)
    .map(({ name }) => name)
  expect(purposes.sort()).toEqual(['moa_aggregator', 'moa_reference', 'turn'])
  expect(kernel.use(Budgets).spent({ sessionId: talk.conversation.sessionId }).costUsd).toBe(1.5)
})

test('a preset that is missing or switched off is told with those that are there', async () => {
  const presets = { default: { ...PRESET, enabled: false }, fast: PRESET }
  const { ask, requests } = await open({}, { presets })
  expect(await ask('Well?')).toMatch(/no preset "default".*There are: fast/)
  expect(requests).toEqual([])
})

test('a mixture cannot be a model of a mixture', async () => {
  const inner = { provider: 'mixture', model: 'default' }
  const { ask, requests } = await open({}, { presets: { default: { ...PRESET, reference_models: [inner] } } })
  expect(await ask('Well?')).toMatch(/A mixture cannot be one of its own models/)
  expect(requests).toEqual([])
})

test('/moa answers one message, and the conversation keeps its model', async () => {
  const { ask, to } = await open(
    { last: 'Together.', alone: 'Alone.' },
    { model: { provider: 'fake', default: 'alone' } },
  )
  expect(await ask('/moa How many?')).toContain('Together.')
  expect(to('last')).toHaveLength(1)
  expect(await ask('How many?')).toContain('Alone.')
  expect([to('last').length, to('alone').length]).toEqual([1, 1])
})

test('a message that is not that of /moa takes it back', () => {
  const turn = new OneTurn()
  const select = (text: string, purpose = 'turn') => turn.select({}, { purpose, sessionId: 's', text }, 'default')
  turn.begin('s', 'How many?')
  expect(select('How many?', 'compression')).toEqual({})
  expect(select('Something else')).toEqual({})
  expect(select('How many?')).toEqual({})
})

test('/moa without a preset or a message says what is missing', async () => {
  const model = { provider: 'fake', default: 'alone' }
  const { ask } = await open({}, { model })
  expect(await ask('/moa')).toMatch(/Enter a message/)
  const other = await open({}, { model, presets: {} })
  expect(await other.ask('/moa hello')).toMatch(/preset default is not set.*moa\.presets/)
})

test('the presets are the models of the provider, with what the last model can do', async () => {
  const known = { 'fake/last': { context_length: 9000 } }
  const { kernel } = await open({}, { model: { provider: 'fake', default: 'one', known } })
  expect(await kernel.use(Models).list('moa')).toMatchObject([
    { id: 'default', label: 'default: fake/one, fake/two for fake/last', contextWindow: 9000, price: { input: 0 } },
  ])
})
