import type { ModelEvent, ModelProvider, ModelRequest } from 'svc/sdk/provider'
import { Providers } from 'svc/sdk/provider'
import { fakeProvider, providerContract, testKernel } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { failingCases } from './failing-cases.ts'

const end: ModelEvent = { type: 'end', reason: 'stop' }
const text: ModelEvent = { type: 'text', text: 'hello' }

/** A sound provider, changed in one way. */
function provider(change: Partial<ModelProvider> = {}): ModelProvider {
  return {
    name: 'sound',
    label: 'Sound',
    status: async () => ({ ready: true, detail: 'it answers' }),
    models: async () => [{ id: 'one' }],
    async *stream({ signal }) {
      if (signal.aborted) yield { type: 'failed', failure: { kind: 'aborted', message: 'stopped', retryable: false } }
      else yield* [text, end]
    },
    ...change,
  }
}

/** A provider whose streams are these events, unless the request is aborted already. */
function saying(...events: readonly unknown[]): ModelProvider {
  const sound = provider()
  return provider({
    stream: (request) => (request.signal.aborted ? sound.stream(request) : iterate(events as ModelEvent[])),
  })
}

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

const failing = async (broken: ModelProvider) =>
  Object.keys(await failingCases(providerContract(() => ({ provider: broken }))))

describe('the fake provider keeps the contract of providers', () => {
  const cases = providerContract(async () => {
    const kernel = await testKernel({
      with: [fakeProvider([{ pieces: ['hel', 'lo'], calls: [{ name: 'look' }] }]).plugin],
    })
    const fake = kernel.all(Providers).get('fake')
    if (!fake) throw new Error('the fake provider is missing')
    return { provider: fake, close: () => kernel.stop() }
  })
  for (const { name, run } of cases) test(name, run)
})

test('a sound provider keeps every promise, whether it yields events or batches', async () => {
  expect(await failing(provider())).toEqual([])
  expect(await failing(saying([text, text], [end]))).toEqual([])
  const failure = { kind: 'unreachable', message: 'Nobody answers. Start the server.', retryable: true }
  expect(await failing(saying({ type: 'failed', failure }))).toEqual([])
})

test.for<[string, ModelProvider, string]>([
  ['has no label', provider({ label: ' ' }), 'has an id and a label'],
  ['has a name that config cannot hold', provider({ name: 'My Model' }), 'has an id and a label'],
  [
    'does not say why it is not ready',
    provider({ status: async () => ({ ready: false, detail: '' }) }),
    'says quickly whether it could be used, and why',
  ],
  [
    'throws when it cannot list models',
    provider({ models: () => Promise.reject(new Error('no key')) }),
    'lists models without throwing',
  ],
  [
    'lists a model twice',
    provider({ models: async () => [{ id: 'one' }, { id: 'one' }] }),
    'lists models without throwing',
  ],
])('a provider that %s is found out', async ([, broken, name]) => {
  expect(await failing(broken)).toContain(name)
})

const once = 'a stream ends once, with `end` or `failed`, and never throws'

test.for<[string, readonly unknown[]]>([
  ['never ends', [text]],
  ['ends twice', [end, end]],
  ['goes on after the end', [end, text]],
  ['makes up an event', [{ type: 'thought', text: 'hm' }, end]],
  ['counts tokens it does not know as minus one', [{ type: 'usage', usage: { input: -1 } }, end]],
  ['gives two calls one id', [toolCall('a'), toolCall('a'), { type: 'end', reason: 'tool-calls' }]],
  ['claims tool calls it did not make', [{ type: 'end', reason: 'tool-calls' }]],
  ['fails without a sentence', [{ type: 'failed', failure: { kind: 'server', message: '', retryable: true } }]],
  ['invents a kind of failure', [{ type: 'failed', failure: { kind: 'oops', message: 'Oops.', retryable: true } }]],
])('a stream that %s is found out', async ([, events]) => {
  expect(await failing(saying(...events))).toContain(once)
})

test('a stream that throws is found out, also for an unknown model only', async () => {
  const throwing = provider({
    stream: async function* ({ model }: ModelRequest) {
      if (model !== 'one') throw new Error('404')
      yield end
    },
  })
  const failed = await failingCases(providerContract(() => ({ provider: throwing })))
  expect(failed['a model it does not know is no exception']).toContain('404')
  expect(failed[once]).toBeUndefined()
})

test('a provider that does not listen to the abort signal is found out', { timeout: 30_000 }, async () => {
  const deaf = provider({
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
  })
  const stopping = providerContract(() => ({ provider: deaf })).filter(({ name }) => name.includes('abort'))
  expect(Object.keys(await failingCases(stopping))).toEqual([
    'a request that is aborted already fails at once, for good',
    'an abort ends a stream quickly',
  ])
})

function toolCall(id: string): ModelEvent {
  return { type: 'tool-call', call: { id, name: 'look', input: {} } }
}
