/** Turns that end with JSON of a given form. */
import { Agent, defineTool, Sessions, Tools, type TurnEvent } from 'svc/sdk'
import type { AnswerFormat, AnswerFormatSupport, ModelRequest } from 'svc/sdk/provider'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { collect } from '../../../support/scene.ts'

const weather: AnswerFormat = {
  name: 'weather',
  schema: {
    type: 'object',
    properties: { city: { type: 'string' }, degrees: { type: 'integer', minimum: -90 } },
    required: ['city', 'degrees'],
    additionalProperties: false,
  },
}
const GOOD = '{"city":"Rome","degrees":21}'
const BESIDE: AnswerFormatSupport = { holds: 'schema', besideTools: true }

async function start(script: Parameters<typeof fakeProvider>[0], formats?: AnswerFormatSupport) {
  const fake = fakeProvider(script, formats && { formats })
  const look = defineTool({
    name: 'look',
    description: 'Looks out of the window.',
    input: z.object({}),
    effect: 'pure',
    toolset: 'test',
    reach: 'nothing',
    run: async () => '21 degrees',
  })
  const kernel = await testKernel({
    plugins: ['agent'],
    with: [fake.plugin, { name: 'window', setup: (ctx) => void ctx.add(Tools, look) }],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const turn = async (format: AnswerFormat, more: object = {}) => {
    const request = {
      sessionId: session.id,
      text: 'How warm is it in Rome?',
      surface: 'test',
      toolsets: ['test'],
      format,
      ...more,
    }
    return collect(kernel.use(Agent).run(request))
  }
  return { kernel, fake, session, turn }
}

const findAnswer = (events: readonly TurnEvent[]) => events.findLast((event) => event.type === 'message.complete')?.text
const findError = (events: readonly TurnEvent[]) => events.find((event) => event.type === 'error')
const findReason = (events: readonly TurnEvent[]) => events.findLast((event) => event.type === 'turn.end')?.reason
const listFormats = (requests: readonly ModelRequest[]) => requests.map(({ format }) => format?.name)
const countTools = (requests: readonly ModelRequest[]) => requests.map(({ tools }) => tools.length)
const lastSaid = (requests: readonly ModelRequest[]) => requests.at(-1)?.messages.at(-1)?.text ?? ''
const call: ScriptedReply = { text: 'I look.', calls: [{ name: 'look' }] }

test('a model that is held to the form beside its tools uses them and answers in it', async () => {
  const { fake, turn } = await start([call, GOOD], BESIDE)
  const events = await turn(weather)
  expect(findAnswer(events)).toBe(GOOD)
  expect(listFormats(fake.requests)).toEqual(['weather', 'weather'])
  expect(countTools(fake.requests)).toEqual([1, 1])
})

test('any other model works first and is then asked for the form, without tools', async () => {
  const { fake, turn } = await start([call, 'It is 21 degrees in Rome.', GOOD], { holds: 'schema' })
  const events = await turn(weather)
  expect(findAnswer(events)).toBe(GOOD)
  expect(events.filter(({ type }) => type === 'message.complete')).not.toContainEqual(
    expect.objectContaining({ text: 'It is 21 degrees in Rome.' }),
  )
  expect(listFormats(fake.requests)).toEqual([undefined, undefined, 'weather'])
  expect(countTools(fake.requests)).toEqual([1, 1, 0])
  expect(lastSaid(fake.requests)).toContain('"minimum":-90')
})

test('an answer that has the form already is not asked for again', async () => {
  const { fake, turn } = await start([GOOD], { holds: 'json' })
  expect(findAnswer(await turn(weather))).toBe(GOOD)
  expect(fake.requests).toHaveLength(1)
})

test('JSON in a code block is taken out of it', async () => {
  const { turn, session } = await start([`\`\`\`json\n${GOOD}\n\`\`\`\n`], BESIDE)
  expect(findAnswer(await turn(weather))).toBe(GOOD)
  expect(session.messages().at(-1)?.text).toBe(GOOD)
})

test('an answer that does not fit is repaired once, and the model is told what is wrong', async () => {
  const { fake, turn } = await start(['{"city":"Rome","degrees":"warm"}', GOOD], BESIDE)
  const events = await turn(weather)
  expect(findAnswer(events)).toBe(GOOD)
  expect(findReason(events)).toBe('completed')
  expect(lastSaid(fake.requests)).toMatch(/degrees: .*number/)
})

test('an answer that never fits fails the turn after one repair', async () => {
  const { fake, turn, session } = await start(['{"city":"Rome"}'], BESIDE)
  const events = await turn(weather)
  expect(findError(events)).toMatchObject({ code: 'MODEL_FORMAT_MISSED', message: expect.stringContaining('degrees') })
  expect(findReason(events)).toBe('failed')
  expect(findAnswer(events)).toBeUndefined()
  expect(fake.requests).toHaveLength(2)
  expect(session.messages().at(-1)).toMatchObject({ role: 'assistant', text: '{"city":"Rome"}' })
})

test('without a schema any JSON object does, and nothing else', async () => {
  const { fake, turn } = await start(['Hello.', '[1]', '{"a":1}'], { holds: 'json' })
  expect(findAnswer(await turn({ name: 'json' }))).toBe('{"a":1}')
  expect(listFormats(fake.requests)).toEqual([undefined, 'json', 'json'])
})

test('the cap on model calls ends the turn with a summary in the form', async () => {
  const { fake, turn } = await start((request) => (request.tools.length > 0 ? call : GOOD), { holds: 'schema' })
  const events = await turn(weather, { maxIterations: 2 })
  expect(findAnswer(events)).toBe(GOOD)
  expect(findReason(events)).toBe('max-iterations')
  expect(listFormats(fake.requests)).toEqual([undefined, undefined, 'weather'])
})

test('an answer in the form that is cut is asked for once more as a whole', async () => {
  const { turn, session } = await start([{ text: '{"city":"Ro', end: 'length' }, GOOD], BESIDE)
  expect(findAnswer(await turn(weather))).toBe(GOOD)
  expect(session.messages().filter(({ text }) => text.includes('"Ro'))).toHaveLength(1)
})

test('a connection that breaks within the form is tried again from the beginning', async () => {
  const broken = { text: '{"city":"Ro', failure: { kind: 'cut', retryable: false } } as const
  const { turn, session } = await start([broken, GOOD], BESIDE)
  expect(findAnswer(await turn(weather))).toBe(GOOD)
  expect(session.messages().filter(({ text }) => text.includes('"Ro'))).toHaveLength(1)
})

test('a model that cannot be held to a form is refused before it is asked', async () => {
  const { kernel, fake, turn } = await start([GOOD])
  expect(findError(await turn(weather))).toMatchObject({
    code: 'AGENT_FORMAT_UNSUPPORTED',
    message: expect.stringContaining('fake-1 at Scripted model'),
  })
  expect(await kernel.use(Agent).formatProblem({ format: weather })).toMatchObject({ status: 400 })
  expect(fake.requests).toHaveLength(0)
})

test.each([
  ['a type that does not exist', { type: 'nonsense' }],
  ['a reference to nowhere', { type: 'object', properties: { a: { $ref: '#/$defs/none' } } }],
  ['a reference to another document', { $ref: 'https://example.com/schema' }],
  ['a pattern that is not one', { type: 'string', pattern: '(' }],
])('a schema with %s is refused', async (_what, schema) => {
  const { kernel, fake, turn } = await start([GOOD], BESIDE)
  expect(findError(await turn({ name: 'weather', schema }))).toMatchObject({ code: 'AGENT_FORMAT_INVALID' })
  expect(await kernel.use(Agent).formatProblem({ format: { name: 'x', schema } })).toMatchObject({ status: 400 })
  expect(fake.requests).toHaveLength(0)
})

test('a schema may refer to itself', async () => {
  const node = { type: 'object', properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } } }
  const schema = { $ref: '#/$defs/node', $defs: { node: { ...node, required: ['next'] } } }
  const { turn } = await start(['{"next":{"next":5}}', '{"next":{"next":null}}'], BESIDE)
  expect(findAnswer(await turn({ name: 'list', schema }))).toBe('{"next":{"next":null}}')
})
