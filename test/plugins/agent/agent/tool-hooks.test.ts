/** Hooks of tool calls: definitions, notes of gates, the batch, and the matcher. */
import {
  AfterToolCall,
  Agent,
  AroundToolCall,
  BeforeToolCall,
  BeforeToolInput,
  defineTool,
  type PluginContext,
  Sessions,
  Tools,
} from 'svc/sdk'
import { AfterToolBatch, SelectToolDefinitions } from 'svc/sdk/hooks'
import { Plugins } from 'svc/sdk/host'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { collect } from '../../../support/scene.ts'

const tool = (name: string, knownAs: string[] = []) =>
  defineTool({
    name,
    description: `The tool ${name}.`,
    input: z.object({ text: z.string().default('') }),
    effect: 'pure',
    reach: 'nothing',
    toolset: 'test',
    parallel: true,
    knownAs: knownAs.map((alias) => ({ name: alias })),
    run: async ({ text }) => `${name} ${text}`,
  })

async function open(script: readonly ScriptedReply[], setup: (ctx: PluginContext<undefined>) => void) {
  const fake = fakeProvider(script)
  const listener = {
    name: 'acme',
    setup: (ctx: PluginContext<undefined>) => {
      ctx.add(Tools, tool('read', ['Read']))
      ctx.add(Tools, tool('write', ['Write', 'Edit']))
      setup(ctx)
    },
  }
  const config = { model: { provider: 'fake', default: 'fake-1' } }
  const kernel = await testKernel({ plugins: ['agent'], config, with: [fake.plugin, listener] })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const run = () => collect(kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
  const results = () => fake.requests.at(-1)?.messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : []))
  return { kernel, fake, session, run, results }
}

const both: ScriptedReply = {
  calls: [
    { name: 'read', input: { text: 'a' } },
    { name: 'write', input: { text: 'b' } },
  ],
}

test('after all calls of an answer a listener sees them in order and adds a text behind the last result', async () => {
  const seen: unknown[] = []
  const { run, results } = await open([both, 'done'], (ctx) => {
    ctx.on(AfterToolBatch, (batch, { purpose, cwd }) => {
      seen.push(batch.calls.map(({ name, input, result }) => [name, input, result.text]))
      seen.push([purpose, typeof cwd])
      return { ...batch, context: 'Run the tests.' }
    })
    ctx.on(AfterToolBatch, (batch) => ({ ...batch, context: `${batch.context} Then the linter.` }))
  })
  await run()
  expect(seen).toEqual([
    [
      ['read', { text: 'a' }, 'read a'],
      ['write', { text: 'b' }, 'write b'],
    ],
    ['user', 'string'],
  ])
  expect(results()).toEqual(['read a', 'write b\n\n[Note: Run the tests. Then the linter.]'])
})

test('the batch has refused calls, too; a listener that fails adds nothing', async () => {
  const names: string[] = []
  const { run, results, kernel } = await open([{ calls: [{ name: 'read' }, { name: 'missing' }] }, 'done'], (ctx) => {
    ctx.on(BeforeToolCall, () => ({ decision: 'deny', reason: 'no' }), { tools: ['read'] })
    ctx.on(AfterToolBatch, ({ calls }) => {
      names.push(...calls.map(({ name, result }) => `${name} ${result.failed}`))
      throw new Error('broken')
    })
    ctx.on(AfterToolBatch, () => ({ calls: [], context: 7 }) as never)
  })
  await run()
  expect(names).toEqual(['read true', 'missing true'])
  expect(results()?.join()).not.toContain('[Note')
  expect(
    kernel
      .use(Plugins)
      .problems()
      .map(({ message }) => message)
      .join(),
  ).toMatch(/broken.*returned/)
})

test('a gate adds a text for the model, whatever is decided, and it hides no secret', async () => {
  const { run, results } = await open([both, 'done'], (ctx) => {
    ctx.on(BeforeToolCall, ({ name }) => ({ context: `Note of ${name}.` }))
    ctx.on(BeforeToolCall, () => ({ decision: 'allow', context: 'Allowed.' }), { tools: ['Read'] })
    ctx.on(BeforeToolCall, () => ({ decision: 'deny', reason: 'read only', context: 'Denied.' }), { tools: ['Edit'] })
  })
  await run()
  expect(results()).toEqual([
    'read a\n\n[Note: Note of read.\n\nAllowed.]',
    'Not allowed: read only (acme).\n\n[Note: Note of write.\n\nDenied.]',
  ])
})

test('a gate that only adds a text decides nothing; a context that is not a text denies', async () => {
  const { run, results } = await open([{ calls: [{ name: 'read' }] }, 'done'], (ctx) => {
    ctx.on(BeforeToolCall, () => ({ context: 7 }) as never)
  })
  await run()
  expect(results()?.[0]).toMatch(/^Not allowed: an approval check failed/)
})

test('a matcher selects the calls of every hook of tools, by their known names, too', async () => {
  const seen: string[] = []
  const { run } = await open([both, 'done'], (ctx) => {
    const only = { tools: ['Write'] }
    ctx.on(BeforeToolInput, ({ name }) => void seen.push(`input ${name}`), only)
    ctx.on(BeforeToolCall, ({ name }) => void seen.push(`gate ${name}`), only)
    ctx.on(
      AroundToolCall,
      (call, next) => {
        seen.push(`around ${call.name}`)
        return next(call)
      },
      only,
    )
    ctx.on(AfterToolCall, (_, { name }) => void seen.push(`after ${name}`), only)
    ctx.on(AfterToolBatch, () => void seen.push('batch'), only)
    ctx.on(AfterToolBatch, () => void seen.push('other batch'), { tools: ['terminal'] })
  })
  await run()
  expect(seen).toEqual(['input write', 'gate write', 'around write', 'after write', 'batch'])
})

test('definitions are changed and left out before the model is told of the tools', async () => {
  const { run, fake, session, kernel } = await open(['done', 'done'], (ctx) => {
    ctx.on(SelectToolDefinitions, (definitions, { model }) => [
      ...definitions
        .filter(({ name }) => name === 'read')
        .map((each) => ({ ...each, description: `${each.description} For ${model.model}.` })),
      { name: 'invented', description: 'Does not exist.', parameters: {} },
    ])
  })
  await run()
  const defined = fake.requests[0]?.tools.map(({ name, description }) => [name, description])
  expect(defined).toEqual([['read', 'The tool read. For fake-1.']])
  const start = session.events().find(({ type }) => type === 'turn.start')
  const kept =
    start?.type === 'turn.start'
      ? kernel
          .use(Sessions)
          .open(session.id)
          .kept(start.tools ?? '')
      : undefined
  expect(JSON.parse(kept ?? '[]')).toMatchObject([{ name: 'read', description: 'The tool read. For fake-1.' }])
})

test('definitions stay as they are when a listener fails or returns something else', async () => {
  const { run, fake } = await open(['done'], (ctx) => {
    ctx.on(SelectToolDefinitions, () => Promise.reject(new Error('broken')))
    ctx.on(SelectToolDefinitions, (definitions) => [...definitions, ...definitions])
    ctx.on(SelectToolDefinitions, () => [{ name: 'read' }] as never)
  })
  await run()
  const names = fake.requests[0]?.tools.map(({ name }) => name) ?? []
  expect(names).toEqual(expect.arrayContaining(['read', 'write']))
  expect(names).toHaveLength(new Set(names).size)
})
