import type { ModelFailure } from 'svc/sdk'
import { providerContract } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { ask, failureOf, request, textOf } from '../../support/ask-model.ts'
import type { ServiceFault } from '../../support/sse-service.ts'
import { at, open, provider, serve } from './ask.ts'

for (const { name, run } of providerContract(async () => {
  const server = await serve({ replies: [{ text: ['Hel', 'lo.'], calls: [{ name: 'greet' }] }] })
  return { provider: await at(server.url) }
}))
  test(`Anthropic behind the provider contract: ${name}`, run)

test('an answer of Claude comes as reasoning, text, calls, usage and end', async () => {
  const calls = [{ id: 'toolu_7', name: 'read_file', arguments: { path: 'notes.txt' } }]
  const usage = {
    input_tokens: 3,
    cache_creation_input_tokens: 10,
    cache_read_input_tokens: 100,
    output_tokens: 21,
  }
  const server = await serve({ replies: [{ reasoning: ['Hm, ', 'files.'], text: ['I ', 'look.'], calls, usage }] })
  const events = await ask(await at(server.url))
  expect(textOf(events)).toBe('(Hm, files.)I look.')
  expect(events.slice(-3)).toEqual([
    { type: 'tool-call', call: { id: 'toolu_7', name: 'read_file', input: { path: 'notes.txt' } } },
    { type: 'usage', usage: { input: 113, output: 21, cachedInput: 100 } },
    { type: 'end', reason: 'tool-calls' },
  ])
})

test.for([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'filtered'],
  ['pause_turn', 'stop'],
] as const)('Claude that stopped for %s has ended with %s', async ([finish, reason]) => {
  const server = await serve({ replies: [{ text: 'So', finish }] })
  expect((await ask(await at(server.url))).at(-1)).toEqual({ type: 'end', reason })
})

test('a conversation with tool calls goes through the wire and back', async () => {
  const server = await serve({
    replies: [
      { text: 'I look.', calls: [{ id: 'toolu_7', name: 'read_file', arguments: { path: 'a' } }] },
      'It says b.',
    ],
  })
  const asked = await at(server.url)
  const first = await ask(asked)
  const toolCalls = first.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
  const messages = [
    { role: 'system', text: 'Be short.' },
    { role: 'user', text: 'What does a say?' },
    { role: 'assistant', text: 'I look.', toolCalls },
    { role: 'tool', callId: 'toolu_7', text: 'b' },
  ] as const
  expect(textOf(await ask(asked, { messages }))).toBe('It says b.')
  expect(server.requests[1]?.body).toMatchObject({
    messages: [
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'text' }, { type: 'tool_use', id: 'toolu_7', input: { path: 'a' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_7' }] },
    ],
  })
})

test.for<[ServiceFault, Partial<ModelFailure>, string]>([
  [
    { status: 429, headers: { 'retry-after': '7' } },
    { kind: 'rate-limit', retryable: true, retryAfterMs: 7000 },
    'in 7 s',
  ],
  [{ status: 500 }, { kind: 'server', retryable: true }, 'Anthropic failed'],
  [{ status: 529, message: 'Overloaded' }, { kind: 'overloaded', retryable: true, status: 529 }, 'Anthropic is busy'],
  [{ status: 401, message: 'invalid x-api-key' }, { kind: 'auth', retryable: false }, 'the key in ANTHROPIC_API_KEY'],
  [
    { status: 404, message: 'model: claude-0' },
    { kind: 'model-not-found', retryable: false },
    'has no model "fake-model"',
  ],
  [{ status: 413 }, { kind: 'context-overflow', retryable: false }, 'longer than fake-model can read'],
  [
    { status: 400, message: 'prompt is too long: 208310 tokens > 200000 maximum' },
    { kind: 'context-overflow', retryable: false },
    'longer than fake-model can read',
  ],
  [
    { status: 400, message: 'Your credit balance is too low to access the Anthropic API.' },
    { kind: 'billing', retryable: false },
    'wants to be paid',
  ],
  [{ status: 502, body: '<html>Bad gateway</html>' }, { kind: 'server', retryable: true }, 'status 502'],
  ['cut', { kind: 'cut', retryable: true }, 'Send the message again.'],
  ['no-end', { kind: 'cut', retryable: true }, 'ended its answer in the middle'],
  ['garbage', { kind: 'garbled', retryable: true }, 'Anthropic sent "'],
  ['html', { kind: 'garbled', retryable: false }, 'something that is no message'],
  ['wrong-json', { kind: 'garbled', retryable: false }, 'something that is no message'],
  ['error-event', { kind: 'overloaded', retryable: true }, 'Overloaded.'],
])('Anthropic with the fault %j is told as a failure', async ([fault, expected, said]) => {
  const server = await serve({ replies: [{ text: ['Hello ', 'there.'], fault }] })
  const failure = await failureOf(await at(server.url))
  expect(failure).toMatchObject(expected)
  expect(failure.message).toContain(said)
})

test('what Claude said before the break has been delivered', async () => {
  const server = await serve({ replies: [{ text: ['Hello ', 'there.'], fault: 'error-event' }] })
  expect(textOf(await ask(await at(server.url)))).toBe('Hello there.')
})

test('Claude that falls silent is left when the user interrupts', async () => {
  const server = await serve({ replies: [{ text: 'Hello there.', fault: 'stall' }] })
  const abort = new AbortController()
  const failure = failureOf(await at(server.url), { signal: abort.signal })
  await server.stalled
  abort.abort()
  expect(await failure).toMatchObject({ kind: 'aborted', retryable: false })
})

test('Claude that sends byte by byte says the same', async () => {
  const reply = { reasoning: 'Grüße ', text: ['naïve ', '漢字 🙂'], calls: [{ name: 't', arguments: { é: '🙂' } }] }
  const server = await serve({ replies: [reply, { ...reply, fault: 'slow' }] })
  const asked = await at(server.url)
  const [fast, slow] = [await ask(asked), await ask(asked)]
  expect(textOf(slow)).toBe(textOf(fast))
  expect(slow.slice(-3)).toEqual(fast.slice(-3))
})

test('the connection to Anthropic is kept for the next call', async () => {
  const server = await serve()
  const asked = await at(server.url)
  for (let call = 0; call < 3; call++) await ask(asked)
  expect(server.connections).toBe(1)
})

test('without a key nothing is sent to Anthropic', async () => {
  const server = await serve()
  const asked = await at(server.url, { env: {}, config: { providers: { anthropic: { base_url: server.url } } } })
  expect(await asked.status()).toEqual({ ready: false, detail: 'ANTHROPIC_API_KEY is not set' })
  expect((await failureOf(asked)).message).toContain('`svc config set ANTHROPIC_API_KEY <key>`')
  expect(await asked.models()).toEqual([])
  expect(server.requests).toEqual([])
})

test.for(['https://api.anthropic.com.evil.test', 'http://api.anthropic.com', 'https://evil.test', 'not an address'])(
  'the key of Anthropic is not sent to %s',
  async (address) => {
    const net = { request: () => Promise.reject(new Error('nothing may be sent')) }
    const asked = await at(address, { net, config: { providers: { anthropic: { base_url: address } } } })
    expect(await asked.status()).toMatchObject({ ready: false, detail: expect.stringContaining('base_url is') })
    expect(await failureOf(asked)).toMatchObject({ kind: 'invalid', retryable: false })
  },
)

test('Anthropic is asked at its own address by default, and its models are listed', async () => {
  const urls: string[] = []
  const net = {
    request: ({ url }: { url: string }) => {
      urls.push(url)
      return Promise.reject(new Error('no network in tests'))
    },
  }
  const asked = provider(await open({ net }))
  await ask(asked)
  expect(urls).toEqual(['https://api.anthropic.com/v1/messages'])
  expect(await asked.models()).toEqual([])
  const server = await serve()
  expect(await (await at(`${server.url}/v1/`)).models()).toEqual([
    { id: 'claude-sonnet-4-5-20250929', label: 'Claude Sonnet 4.5', maxOutputTokens: 64_000 },
    { id: 'claude-3-5-haiku-20241022', label: 'Claude Haiku 3.5', maxOutputTokens: 8192 },
  ])
})

test('a server that repeats the key does not show it to anybody', async () => {
  const server = await serve({ replies: [{ fault: { status: 400, message: 'bad header anthropic-key' } }] })
  expect((await failureOf(await at(server.url), request())).message).not.toContain('anthropic-key')
})
