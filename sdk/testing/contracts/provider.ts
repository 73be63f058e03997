/** What `ModelProvider` promises, whatever server or account is behind it: all cases hold offline, too. */
import assert from 'node:assert/strict'
import type { ModelEvent, ModelProvider, ModelRequest } from '../../providers.ts'
import { type ContractCase, soon } from './contract.ts'

/** A provider to examine. @since 0.1 */
export interface ProviderSetup {
  readonly provider: ModelProvider
  /** A model to ask (default: the first that the provider lists). */
  readonly model?: string
  /** Undoes what making it took. */
  close?(): Promise<void>
}

/** Milliseconds; generous, because a machine that tests is busy. */
const QUICK_MS = 3000
const ANSWER_MS = 30_000

const failureKinds = new Set(
  (
    'auth billing rate-limit overloaded server timeout unreachable cut context-overflow model-not-found invalid ' +
    'garbled filtered payload-too-large picture-refused aborted unknown'
  ).split(' '),
)

/** The cases that a model provider passes; `make` is called for each. @since 0.1 */
export function providerContract(make: () => ProviderSetup | Promise<ProviderSetup>): ContractCase[] {
  const examine = (name: string, run: (setup: ProviderSetup) => Promise<void>): ContractCase => ({
    name,
    async run() {
      const setup = await make()
      try {
        await run(setup)
      } finally {
        await setup.close?.()
      }
    },
  })
  return [
    examine('has an id and a label', hasNames),
    examine('says quickly whether it could be used, and why', tellsStatus),
    examine('lists models without throwing', listsModels),
    examine('a stream ends once, with `end` or `failed`, and never throws', endsOnce),
    examine('a model it does not know is no exception', (setup) => endsOnce({ ...setup, model: 'no-such-model-0' })),
    examine('two streams at a time do not mix', async (setup) => {
      await Promise.all([endsOnce(setup), endsOnce(setup)])
    }),
    examine('a request that is aborted already fails at once, for good', refusesAborted),
    examine('an abort ends a stream quickly', stopsWhenAborted),
    examine('a reader that leaves early is let go', letsReadersGo),
  ]
}

async function hasNames({ provider }: ProviderSetup): Promise<void> {
  assert.match(provider.name, /^[a-z][a-z0-9-]*$/, 'its name is not lower-case letters, digits and hyphens')
  assert.ok(provider.label.trim(), 'its label is empty')
}

async function tellsStatus({ provider }: ProviderSetup): Promise<void> {
  const status = await soon(QUICK_MS, 'status()', provider.status())
  assert.ok(typeof status.ready === 'boolean', 'status().ready is not a boolean')
  assert.ok(status.detail.trim(), 'status().detail does not say why')
}

async function listsModels({ provider }: ProviderSetup): Promise<void> {
  const models = await soon(ANSWER_MS, 'models()', provider.models())
  const ids = models.map(({ id }) => id)
  assert.ok(ids.every(Boolean), 'a model has an empty id')
  assert.ok(new Set(ids).size === ids.length, 'two models have the same id')
}

async function endsOnce(setup: ProviderSetup): Promise<void> {
  const request = await requestTo(setup, new AbortController().signal)
  const events = await soon(ANSWER_MS, 'the stream', collect(setup.provider, request))
  checkEvents(events)
}

async function refusesAborted(setup: ProviderSetup): Promise<void> {
  const request = await requestTo(setup, AbortSignal.abort())
  const events = await soon(QUICK_MS, 'an aborted stream', collect(setup.provider, request))
  checkEvents(events)
  const last = events.at(-1)
  assert.ok(last?.type === 'failed', `it ended with ${JSON.stringify(last)}`)
  assert.ok(!last.failure.retryable, 'an aborted request is not to be tried again')
}

async function stopsWhenAborted(setup: ProviderSetup): Promise<void> {
  const abort = new AbortController()
  const request = await requestTo(setup, abort.signal)
  const events = collect(setup.provider, request, () => abort.abort())
  // A server that stays silent must not keep an interrupted turn waiting either.
  const silence = setTimeout(() => abort.abort(), 1000)
  const aborted = new Promise<void>((resolve) => abort.signal.addEventListener('abort', () => resolve()))
  try {
    await Promise.race([events, aborted])
    checkEvents(await soon(QUICK_MS, 'the end of an aborted stream', events))
  } finally {
    clearTimeout(silence)
  }
}

async function letsReadersGo(setup: ProviderSetup): Promise<void> {
  const stream = setup.provider.stream(await requestTo(setup, new AbortController().signal))[Symbol.asyncIterator]()
  await soon(ANSWER_MS, 'the first event', stream.next())
  await soon(QUICK_MS, 'leaving the stream', stream.return?.())
}

async function requestTo({ provider, model }: ProviderSetup, signal: AbortSignal): Promise<ModelRequest> {
  const known = model ?? (await provider.models())[0]?.id ?? 'no-such-model-0'
  return { model: known, messages: [{ role: 'user', text: 'Say hello.' }], tools: [], signal }
}

async function collect(
  provider: ModelProvider,
  request: ModelRequest,
  onEvent: () => void = () => {},
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  try {
    for await (const batch of provider.stream(request)) {
      events.push(...(Array.isArray(batch) ? batch : [batch as ModelEvent]))
      onEvent()
    }
  } catch (error) {
    assert.fail(`the stream threw "${error}"; a failure is an event`)
  }
  return events
}

function checkEvents(events: readonly ModelEvent[]): void {
  const ends = events.filter(({ type }) => type === 'end' || type === 'failed')
  assert.ok(ends.length === 1, `the stream has ${ends.length} events that end it`)
  assert.ok(events.at(-1) === ends[0], 'something comes after the event that ends the stream')
  for (const event of events) checkEvent(event)
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call.id] : []))
  assert.ok(new Set(calls).size === calls.length, 'two tool calls have the same id')
  const [last] = ends
  if (last?.type === 'end' && last.reason === 'tool-calls') assert.ok(calls.length, '`tool-calls` without a tool call')
}

function checkEvent(event: ModelEvent): void {
  if (event.type === 'text' || event.type === 'reasoning') assert.equal(typeof event.text, 'string')
  else if (event.type === 'tool-call') assert.ok(event.call.id && event.call.name, 'a tool call lacks its id or name')
  else if (event.type === 'usage') {
    const { costUsd = 0, ...counts } = event.usage
    assert.ok(
      Object.values(counts).every((count) => count === undefined || (Number.isInteger(count) && count >= 0)),
      `usage is ${JSON.stringify(event.usage)}: counts are whole numbers, unknown ones undefined`,
    )
    assert.ok(costUsd >= 0, `a call costs ${costUsd} US dollars`)
  } else if (event.type === 'image') {
    assert.match(event.image.mediaType, /^image\//, 'a picture has no media type of a picture')
    assert.ok(event.image.data, 'a picture is empty')
  } else if (event.type === 'failed') {
    assert.ok(failureKinds.has(event.failure.kind), `"${event.failure.kind}" is not a kind of failure`)
    assert.ok(event.failure.message.trim(), 'a failure has no message')
    assert.ok(typeof event.failure.retryable === 'boolean', 'a failure does not say whether to try again')
  } else assert.ok(event.type === 'end', `"${event.type}" is not a model event`)
}
