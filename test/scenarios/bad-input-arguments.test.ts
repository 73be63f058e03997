/** A model calls every tool there is with arguments of every wrong kind. It is told what is wrong, and continues. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Agent, type Net, Sessions, type Tool, Tools, type TurnEvent } from 'svc/sdk'
import { type FakeProvider, fakeProvider, type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { whyInvalid } from '../plugins/sessions/sessions/support.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { pluginNames } from '../support/repository.ts'
import { collect, whyNoSentence } from '../support/scene.ts'

const toolPlugins = pluginNames().filter((name) => name.startsWith('tool-'))

/** There is no network. */
const net: Net = {
  request: () => Promise.reject(new Error('Cannot reach the network. Check your connection.')),
}

let kernel: TestKernel
let fake: FakeProvider
let cwd: string
let calls: { name: string; input: unknown }[] = []

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'svc-arguments-'))
  fake = fakeProvider(() => {
    const wanted = calls
    calls = []
    return wanted.length ? { calls: wanted } : 'Done.'
  })
  kernel = await testKernel({
    plugins: ['agent', ...toolPlugins],
    with: [fake.plugin],
    env: { PATH: process.env['PATH'] },
    config: { model: { provider: 'fake', default: 'fake-1' }, terminal: { timeout: 2 } },
    net,
  })
})
afterAll(async () => {
  await kernel.stop()
  removeFolder(cwd)
})

function nested(depth: number): unknown {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

const wrongValues: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  '\0',
  '\ud800',
  '../no/such',
  'x'.repeat(200_000),
  [],
  [null],
  [[]],
  {},
  { toString: 1 },
  nested(200),
]

type JsonSchema = { readonly type?: unknown; readonly enum?: readonly unknown[]; readonly items?: JsonSchema }

function getInputSchema(tool: Tool): {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
} {
  return (tool.input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {}) as never
}

/** Something of the right type, so that the wrong one beside it is what counts. */
function sample({ type, enum: choices, items }: JsonSchema): unknown {
  if (choices) return choices[0]
  if (type === 'string') return 'nothing-here'
  if (type === 'number' || type === 'integer') return 1
  if (type === 'boolean') return false
  if (type === 'array') return items ? [sample(items)] : []
  return {}
}

function wrongArguments(tool: Tool): unknown[] {
  const { properties = {}, required = [] } = getInputSchema(tool)
  const whole = Object.fromEntries(
    Object.entries(properties).flatMap(([key, schema]) => (required.includes(key) ? [[key, sample(schema)]] : [])),
  )
  const without = required.map((key) => Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key)))
  const odd = Object.keys(properties).flatMap((key) => wrongValues.map((value) => ({ ...whole, [key]: value })))
  return [undefined, ...wrongValues, '{"a": 1', '[]', 'null', '{"__proto__": {"x": 1}}', ...without, ...odd]
}

/** One session, one answer with all the calls. */
async function runCalls(wanted: { name: string; input: unknown }[]): Promise<TurnEvent[]> {
  calls = wanted
  const session = kernel.use(Sessions).create({ surface: 'test', cwd })
  const events = await collect(kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
  expect(whyInvalid(session.messages())).toBeUndefined()
  return events
}

function complaints(name: string, wanted: number, events: readonly TurnEvent[]): string[] {
  const done = events.filter((event) => event.type === 'tool.complete')
  const last = events.at(-1)
  const failed = events.flatMap((event) => (event.type === 'error' ? [`${name}: ${event.message}`] : []))
  const silent = done.length < wanted ? [`${name}: ${wanted - done.length} calls have no answer`] : []
  const ended =
    last?.type === 'turn.end' && /completed|max-iterations/.test(last.reason)
      ? []
      : [`${name}: ${JSON.stringify(last)}`]
  const unclear = done.flatMap((event) => {
    // What a program said is its own, and long names are the model's.
    const why = event.ok || event.text.startsWith('<data') ? undefined : whyNoSentence(event.text)
    return why ? [`${name} ${why}`] : []
  })
  return [...failed, ...silent, ...ended, ...unclear]
}

test('every tool answers arguments of every wrong type with a sentence, and the turn continues', async () => {
  const found: string[] = []
  const tools = kernel.all(Tools).all()
  expect(tools.length).toBeGreaterThan(20)
  for (const tool of tools) {
    const wanted = wrongArguments(tool).map((input) => ({ name: tool.name, input }))
    found.push(...complaints(tool.name, wanted.length, await runCalls(wanted)))
  }
  expect([...new Set(found)]).toEqual([])
}, 120_000)

test('any JSON at all may be the arguments, and any text the name', async () => {
  const names = kernel
    .all(Tools)
    .all()
    .map((tool) => tool.name)
  const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: fc.string() })
  const call = fc.record({ name, input: fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.string({ unit: 'binary' })) })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 10 }), async (wanted) => {
      expect(complaints('call', wanted.length, await runCalls(wanted as { name: string; input: unknown }[]))).toEqual(
        [],
      )
    }),
    { numRuns: 40 },
  )
}, 60_000)
