import { type ModelEvent, Providers } from 'svc/sdk/provider'
import { conformance, providerContract, testKernel } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { fakeOllama, type ScriptedAnswer } from './fake-ollama.ts'
import plugin from './index.ts'

const done = { message: { content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 12, eval_count: 2 }
const hello = { lines: [{ message: { content: 'Hel' } }, { message: { content: 'lo' } }, done] }
const add = { name: 'add', description: 'Adds.', parameters: { type: 'object' } }

/** The provider of a real kernel, talking to a server that gives these answers. */
async function open(...answers: readonly ScriptedAnswer[]) {
  const server = await fakeOllama(...answers)
  const kernel = await testKernel({
    with: [{ name: 'provider-plugin', ...plugin }],
    config: { plugins: { entries: { 'provider-plugin': { base_url: server.url } } } },
  })
  const provider = kernel.all(Providers).get('ollama-native')
  if (!provider) throw new Error('the provider is missing')
  return {
    provider,
    asked: server.asked,
    async close() {
      await kernel.stop()
      await server.close()
    },
  }
}

/** What the provider makes of one answer. */
async function collectEvents(answer: ScriptedAnswer) {
  const { provider, asked, close } = await open(answer)
  const events: ModelEvent[] = []
  const signal = new AbortController().signal
  const messages = [{ role: 'user', text: 'hi' }] as const
  for await (const event of provider.stream({ model: 'llama3.2:1b', messages, tools: [add], signal }))
    events.push(event as ModelEvent)
  await close()
  return { events, asked }
}

describe('the provider keeps its contract while Ollama answers', () => {
  for (const { name, run } of providerContract(() => open(hello))) test(name, run)
})

test('the plugin is what a plugin has to be, also without Ollama', async () => {
  const report = await conformance({ dir: import.meta.dirname })
  expect(report.cases.filter(({ result }) => result !== 'ok')).toEqual([])
})

test('text comes in pieces, and the counts of tokens before the end', async () => {
  const { events, asked } = await collectEvents(hello)
  expect(events).toEqual([
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo' },
    { type: 'usage', usage: { input: 12, output: 2 } },
    { type: 'end', reason: 'stop' },
  ])
  expect(asked[0]).toMatchObject({
    model: 'llama3.2:1b',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: add }],
  })
})

test('a tool call gets an id, because Ollama gives none', async () => {
  const call = { function: { name: 'add', arguments: { a: 1 } } }
  const { events } = await collectEvents({ lines: [{ message: { tool_calls: [call] } }, done] })
  expect(events[0]).toEqual({
    type: 'tool-call',
    call: { id: expect.stringMatching(/^[0-9a-f]{16}$/), name: 'add', input: { a: 1 } },
  })
  expect(events.at(-1)).toEqual({ type: 'end', reason: 'tool-calls' })
})

test.for<[string, ScriptedAnswer, object]>([
  ['is cut', { lines: [{ message: { content: 'Hel' } }], cut: true }, { kind: 'cut', retryable: true }],
  ['ends too early', { lines: [{ message: { content: 'Hel' } }] }, { kind: 'cut', retryable: true }],
  ['breaks with an error', { lines: [{ error: 'out of memory' }] }, { kind: 'server', retryable: true }],
  ['is no JSON', { body: '<html>' }, { kind: 'garbled', retryable: false }],
  [
    'is a refusal',
    { status: 404, body: '{"error":"model \\"x\\" not found"}' },
    { kind: 'model-not-found', retryable: false, status: 404 },
  ],
])('an answer that %s ends as a failure of the right kind', async ([, answer, failure]) => {
  const { events } = await collectEvents(answer)
  expect(events.at(-1)).toMatchObject({ type: 'failed', failure })
})
