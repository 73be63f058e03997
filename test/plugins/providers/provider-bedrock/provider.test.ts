import { Credentials, type ModelFailure } from 'svc/sdk/provider'
import { providerContract } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { ask, collectFailure, joinText } from '../../../support/ask-model.ts'
import type { ServiceFault } from '../../../support/sse-service.ts'
import { at, open, provider, serve } from './ask.ts'

const model = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'

for (const { name, run } of providerContract(async () => {
  const server = await serve({ replies: [{ text: ['Hel', 'lo.'], calls: [{ name: 'greet' }] }] })
  return { provider: await at(server.url) }
}))
  test(`Bedrock behind the provider contract: ${name}`, run)

test('an answer of Bedrock comes as reasoning, text, pictures, calls, usage and end', async () => {
  const calls = [{ id: 'tooluse_7', name: 'read_file', arguments: { path: 'notes.txt' } }]
  const usage = { inputTokens: 3, cacheWriteInputTokens: 10, cacheReadInputTokens: 100, outputTokens: 21 }
  const reply = { reasoning: ['Hm, ', 'files.'], text: ['I ', 'look.'], images: ['AAAA'], calls, usage }
  const events = await ask(await at((await serve({ replies: [reply] })).url), { model })
  expect(joinText(events)).toBe('(Hm, files.)I look.')
  expect(events.slice(-4)).toEqual([
    { type: 'image', image: { mediaType: 'image/png', data: 'AAAA' } },
    { type: 'tool-call', call: { id: 'tooluse_7', name: 'read_file', input: { path: 'notes.txt' } } },
    { type: 'usage', usage: { input: 113, output: 21, cachedInput: 100, cacheWriteInput: 10 } },
    { type: 'end', reason: 'tool-calls', carry: expect.objectContaining({ provider: 'bedrock' }) },
  ])
})

test.for([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['guardrail_intervened', 'filtered'],
  ['content_filtered', 'filtered'],
] as const)('Bedrock that stopped for %s has ended with %s', async ([finish, reason]) => {
  const server = await serve({ replies: [{ text: 'So', finish }] })
  expect((await ask(await at(server.url))).at(-1)).toEqual({ type: 'end', reason })
})

test('a call that the output limit has cut in two is never run', async () => {
  const calls = [{ name: 't', arguments: '{"path": "a' }]
  const server = await serve({ replies: [{ text: 'So', calls, finish: 'max_tokens' }] })
  const events = await ask(await at(server.url))
  expect(events.map(({ type }) => type)).toEqual(['text', 'usage', 'end'])
})

test('a call that Bedrock itself could not read is asked for again', async () => {
  const server = await serve({ replies: [{ text: 'So', finish: 'malformed_tool_use' }] })
  expect(await collectFailure(await at(server.url))).toMatchObject({ kind: 'garbled', retryable: true })
})

test('a conversation with thoughts and calls goes through the wire of Bedrock and back', async () => {
  const calls = [{ id: 'tooluse_7', name: 'read_file', arguments: { path: 'a' } }]
  const server = await serve({
    replies: [{ reasoning: 'Hm.', redacted: 'eHl6', text: 'I look.', calls }, 'It says b.'],
  })
  const asked = await at(server.url)
  const first = await ask(asked, { model, reasoning: 'low' })
  const end = first.at(-1)
  const carry = end?.type === 'end' ? end.carry : undefined
  const toolCalls = first.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
  const messages = [
    { role: 'user', text: 'What does a say?' },
    { role: 'assistant', text: 'I look.', toolCalls, ...(carry && { carry: JSON.parse(JSON.stringify(carry)) }) },
    { role: 'tool', callId: 'tooluse_7', text: 'b' },
  ] as const
  expect(joinText(await ask(asked, { model, reasoning: 'low', messages }))).toBe('It says b.')
  expect(server.requests[1]?.path).toBe(`/model/${encodeURIComponent(model)}/converse-stream`)
  expect(server.requests[1]?.body).toMatchObject({
    messages: [{}, { content: [{ reasoningContent: {} }, { reasoningContent: {} }, {}, {}, {}] }, {}],
  })
})

test('thoughts that Bedrock refuses are left out, once', async () => {
  const server = await serve({ replies: ['Fine.'] })
  const pieces = [{ type: 'thinking', thinking: 'Hm.', signature: 'of another time' }]
  const messages = [
    { role: 'user', text: 'Hi' },
    { role: 'assistant', text: 'Ho', carry: { provider: 'bedrock', data: { model, pieces } } },
    { role: 'user', text: 'And?' },
  ] as const
  expect(joinText(await ask(await at(server.url), { model, reasoning: 'low', messages }))).toBe('Fine.')
  expect(server.requests).toHaveLength(2)
})

test.for<[ServiceFault, Partial<ModelFailure>, string]>([
  [
    { status: 429, headers: { 'retry-after': '7' } },
    { kind: 'rate-limit', retryable: true, retryAfterMs: 7000, code: 'ThrottlingException' },
    'in 7 s',
  ],
  [{ status: 500 }, { kind: 'server', retryable: true }, 'Amazon Bedrock failed'],
  [{ status: 503 }, { kind: 'overloaded', retryable: true }, 'Amazon Bedrock is busy'],
  [{ status: 529 }, { kind: 'overloaded', retryable: true }, 'Amazon Bedrock is busy'],
  [{ status: 408 }, { kind: 'timeout', retryable: true }, 'Amazon Bedrock failed'],
  [{ status: 424 }, { kind: 'server', retryable: true }, 'Amazon Bedrock failed'],
  [{ status: 403, message: 'API Key has expired' }, { kind: 'auth', retryable: false }, 'AWS_BEARER_TOKEN_BEDROCK'],
  [{ status: 404 }, { kind: 'model-not-found', retryable: false }, 'has no model "fake-model"'],
  [
    { status: 400, message: 'Input is too long for requested model.' },
    { kind: 'context-overflow', retryable: false },
    'longer than fake-model can read',
  ],
  [
    { status: 400, message: 'Retry your request with the ID or ARN of an inference profile that contains this model.' },
    { kind: 'model-not-found', retryable: false },
    'inference profile',
  ],
  [{ status: 502, body: '<html>Bad gateway</html>' }, { kind: 'server', retryable: true }, 'status 502'],
  ['cut', { kind: 'cut', retryable: true }, 'Send the message again.'],
  ['no-end', { kind: 'cut', retryable: true }, 'ended its answer in the middle'],
  ['garbage', { kind: 'garbled', retryable: true }, 'wrong checksum'],
  ['html', { kind: 'garbled', retryable: false }, 'something that is no event stream'],
  ['wrong-json', { kind: 'garbled', retryable: false }, 'something that is no event stream'],
  ['error-event', { kind: 'rate-limit', retryable: true }, 'Too many requests.'],
])('Bedrock with the fault %j is told as a failure', async ([fault, expected, said]) => {
  const server = await serve({ replies: [{ text: ['Hello ', 'there.'], fault }] })
  const failure = await collectFailure(await at(server.url))
  expect(failure).toMatchObject(expected)
  expect(failure.message).toContain(said)
})

test('what Bedrock said before the break has been delivered', async () => {
  for (const fault of ['error-event', 'garbage'] as const) {
    const server = await serve({ replies: [{ text: ['Hello ', 'there.'], fault }] })
    expect(joinText(await ask(await at(server.url)))).toBe('Hello there.')
  }
})

test('Bedrock that sends byte by byte says the same', async () => {
  const reply = { reasoning: 'Grüße ', text: ['naïve ', '漢字 🙂'], calls: [{ name: 't', arguments: { é: '🙂' } }] }
  const server = await serve({ replies: [reply, { ...reply, fault: 'slow' }] })
  const asked = await at(server.url)
  const [fast, slow] = [await ask(asked), await ask(asked)]
  expect(joinText(slow)).toBe(joinText(fast))
  expect(slow.slice(-3)).toEqual(fast.slice(-3))
})

test('Bedrock that falls silent is left when the user interrupts', async () => {
  const server = await serve({ replies: [{ text: 'Hello there.', fault: 'stall' }] })
  const abort = new AbortController()
  const failure = collectFailure(await at(server.url), { signal: abort.signal })
  await server.stalled
  abort.abort()
  expect(await failure).toMatchObject({ kind: 'aborted', retryable: false })
})

test('the connection to Bedrock is kept for the next call', async () => {
  const server = await serve()
  const asked = await at(server.url)
  for (let call = 0; call < 3; call++) await ask(asked)
  expect(server.connections).toBe(1)
})

test('without a key nothing is sent to Bedrock', async () => {
  const server = await serve()
  const asked = await at(server.url, {
    env: { HOME: '/nowhere' },
    config: { providers: { bedrock: { base_url: server.url } } },
  })
  expect(await asked.status()).toEqual({ ready: false, detail: 'AWS_BEARER_TOKEN_BEDROCK is not set' })
  expect((await collectFailure(asked)).message).toContain('`svc config set AWS_BEARER_TOKEN_BEDROCK <key>`')
  expect(await asked.models()).toEqual([])
  expect(server.requests).toEqual([])
})

test.for([
  { BEDROCK_BASE_URL: 'https://bedrock-runtime.us-east-1.amazonaws.com.evil.test' },
  { BEDROCK_BASE_URL: 'https://ec2-203-0-113-1.compute-1.amazonaws.com' },
  { BEDROCK_BASE_URL: 'http://bedrock-runtime.us-east-1.amazonaws.com' },
  { BEDROCK_BASE_URL: 'not an address' },
  { AWS_REGION: 'evil.test/?' },
])('the key of Bedrock is not sent with %j', async (more) => {
  const net = { request: () => Promise.reject(new Error('nothing may be sent')) }
  const asked = provider(await open({ net, env: { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key', ...more } }))
  expect(await asked.status()).toMatchObject({
    ready: false,
    detail: expect.stringMatching(/^(BEDROCK_BASE_URL|AWS_REGION) is /),
  })
  expect(await collectFailure(asked)).toMatchObject({ kind: 'invalid', retryable: false })
})

test.for([
  [{}, 'https://bedrock-runtime.us-east-1.amazonaws.com', 'https://bedrock.us-east-1.amazonaws.com'],
  [
    { AWS_DEFAULT_REGION: 'eu-central-1' },
    'https://bedrock-runtime.eu-central-1.amazonaws.com',
    'https://bedrock.eu-central-1.amazonaws.com',
  ],
  [
    { AWS_REGION: 'us-gov-west-1', BEDROCK_BASE_URL: 'https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/' },
    'https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com',
    'https://bedrock-fips.us-gov-west-1.amazonaws.com',
  ],
] as const)('with %j Bedrock is asked in its region', async ([more, runtime, control]) => {
  const urls: string[] = []
  const net = {
    request: ({ url }: { url: string }) => {
      urls.push(url)
      return Promise.reject(new Error('no network in tests'))
    },
  }
  const asked = provider(await open({ net, env: { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key', ...more } }))
  await ask(asked, { model: 'a:0' })
  expect(await asked.models()).toEqual([])
  expect(urls).toEqual([
    `${runtime}/model/a%3A0/converse-stream`,
    `${control}/foundation-models?byOutputModality=TEXT`,
    `${control}/inference-profiles?maxResults=1000`,
  ])
})

test('inference profiles and models on demand are listed, and what is no chat model is not', async () => {
  expect(await (await at((await serve()).url)).models()).toEqual([
    { id: model, label: 'US Claude Sonnet 4.5', images: true },
    { id: 'amazon.nova-lite-v1:0', label: 'Amazon Nova Lite', images: true },
  ])
})

test('a server that repeats the key of Bedrock does not show it to anyone', async () => {
  const server = await serve({ replies: [{ fault: { status: 400, message: 'bad header bedrock-key' } }] })
  expect((await collectFailure(await at(server.url))).message).not.toContain('bedrock-key')
})

test('a key of the pool may have its own address', async () => {
  const server = await serve()
  const ended: string[] = []
  const credential = {
    id: 'pooled',
    key: 'bedrock-key',
    baseUrl: server.url,
    succeeded: () => void ended.push('well'),
    failed: () => ended.push('badly') > 9,
  }
  const pool = { take: async () => credential, status: () => ({ ready: true, detail: 'one key' }) }
  const kernel = await open({
    env: {},
    with: [
      {
        name: 'fake-pool',
        provides: ['credentials'],
        setup: (ctx) => void ctx.provide(Credentials, () => pool as never),
      },
    ],
  })
  const asked = provider(kernel)
  expect((await asked.status()).detail).toBe('one key, region us-east-1')
  expect(joinText(await ask(asked))).toBe('Hello.')
  for await (const _ of asked.stream({ model, messages: [], tools: [], signal: AbortSignal.abort() })) break
  expect(ended).toEqual(['well', 'badly'])
})

test('a picture that Bedrock does not take is refused before anything is sent, and put in words later', async () => {
  const server = await serve()
  const asked = await at(server.url)
  const large = { mediaType: 'image/png', data: 'A'.repeat((50 * 2 ** 20) / 0.75) }
  const strange = { mediaType: 'image/tiff', data: 'AAAA' }
  const fails = (image: typeof large) =>
    collectFailure(asked, { messages: [{ role: 'user', text: 'Look.', images: [image] }] })
  expect(await fails(large)).toMatchObject({ kind: 'invalid', retryable: false })
  expect((await fails(large)).message).toContain('A picture has 50 MB, and')
  expect((await fails(large)).message).toContain('takes 3.75 MB at most. Nothing was sent.')
  expect((await fails(strange)).message).toContain('takes JPEG, PNG, GIF, WEBP. Nothing was sent.')
  expect(server.requests).toEqual([])
  const messages = [
    { role: 'user', text: 'Look.', images: [large, strange] },
    { role: 'assistant', text: 'At what?' },
    { role: 'user', text: 'Never mind.' },
  ] as const
  expect(joinText(await ask(asked, { messages }))).toBe('Hello.')
  expect(JSON.stringify(server.requests[0]?.body)).toContain('[a picture of 50 MB, too large for this model]')
})

test.for(['http://elsewhere.test', 'nowhere'])('a key of the pool is not sent to %s in the clear', async (baseUrl) => {
  const net = { request: () => Promise.reject(new Error('nothing may be sent')) }
  const credential = { id: 'pooled', key: 'bedrock-key', baseUrl, succeeded: () => undefined, failed: () => false }
  const pool = { take: async () => credential, status: () => ({ ready: true, detail: 'one key' }) }
  const kernel = await open({
    net,
    with: [
      {
        name: 'fake-pool',
        provides: ['credentials'],
        setup: (ctx) => void ctx.provide(Credentials, () => pool as never),
      },
    ],
  })
  const failure = await collectFailure(provider(kernel))
  expect(failure).toMatchObject({ kind: 'invalid', retryable: false })
  expect(failure.message).toContain('pooled')
})

test('thinking that a model behind Bedrock cannot do is left out, and the question answered', async () => {
  const server = await serve({ replies: ['Fine.'] })
  const asked = await at(server.url)
  expect(joinText(await ask(asked, { model: 'openai.gpt-oss-20b-1:0', reasoning: 'high' }))).toBe('Fine.')
  expect(server.requests).toHaveLength(2)
})
