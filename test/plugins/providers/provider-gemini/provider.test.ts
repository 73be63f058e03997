import { Credentials, type ModelFailure, type ProviderMetadata } from 'svc/sdk/provider'
import { providerContract } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { ask, collectFailure, joinText } from '../../../support/ask-model.ts'
import { REFUSED } from '../../../support/gemini-server.ts'
import type { ServiceFault } from '../../../support/sse-service.ts'
import { at, open, provider, serve } from './ask.ts'

for (const { name, run } of providerContract(async () => {
  const server = await serve({ replies: [{ text: ['Hel', 'lo.'], calls: [{ name: 'greet' }, { name: 'greet' }] }] })
  return { provider: await at(server.url) }
}))
  test(`Gemini behind the provider contract: ${name}`, run)

test('an answer of Gemini comes as reasoning, text, calls, usage and end', async () => {
  const calls = [{ name: 'read_file', arguments: { path: 'notes.txt' } }]
  const usage = { promptTokenCount: 113, cachedContentTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 5 }
  const server = await serve({ replies: [{ reasoning: ['Hm, ', 'files.'], text: ['I ', 'look.'], calls, usage }] })
  const events = await ask(await at(server.url))
  expect(joinText(events)).toBe('(Hm, files.)I look.')
  const call = { id: expect.stringMatching(/^call_[0-9a-f]{16}$/), name: 'read_file', input: { path: 'notes.txt' } }
  expect(events.slice(-3)).toEqual([
    { type: 'tool-call', call },
    { type: 'usage', usage: { input: 113, output: 25, cachedInput: 100, reasoning: 5 } },
    { type: 'end', reason: 'tool-calls' },
  ])
})

test.for([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'filtered'],
  ['RECITATION', 'filtered'],
  ['PROHIBITED_CONTENT', 'filtered'],
  ['IMAGE_SAFETY', 'filtered'],
  ['OTHER', 'stop'],
] as const)('Gemini that stopped for %s has ended with %s', async ([finish, reason]) => {
  const server = await serve({ replies: [{ text: 'So', finish }] })
  expect((await ask(await at(server.url))).at(-1)).toEqual({ type: 'end', reason })
})

test.for(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])(
  'a call that Gemini itself could not read (%s) is asked for again',
  async (finish) => {
    const server = await serve({ replies: [{ text: 'So', finish }] })
    expect(await collectFailure(await at(server.url))).toMatchObject({ kind: 'garbled', retryable: true })
  },
)

test('a picture that Gemini draws is told, and stands in what it is asked next', async () => {
  const server = await serve({ replies: [{ text: 'Here.', images: ['AAAA'] }, 'Yes.'] })
  const asked = await at(server.url)
  const events = await ask(asked)
  const images = events.flatMap((event) => (event.type === 'image' ? [event.image] : []))
  expect(images).toEqual([{ mediaType: 'image/png', data: 'AAAA' }])
  const messages = [
    { role: 'user', text: 'Draw.' },
    { role: 'assistant', text: 'Here.', images },
    { role: 'user', text: 'Is it done?' },
  ] as const
  await ask(asked, { messages })
  const drawn = { role: 'model', parts: [{ text: 'Here.' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }
  expect(server.requests[1]?.body).toMatchObject({ contents: [{}, drawn, {}] })
})

test('a conversation with tool calls goes through the wire of Gemini and back, signatures too', async () => {
  const calls = [
    { name: 'read_file', arguments: { path: 'a' }, signature: 'c2lnbmVk' },
    { name: 'read_file', arguments: { path: 'b' } },
  ]
  const server = await serve({ replies: [{ text: 'I look.', calls }, 'They say c.'] })
  const asked = await at(server.url)
  const first = await ask(asked, { model: 'gemini-3-pro' })
  const end = first.at(-1)
  const carry = end?.type === 'end' ? end.carry : undefined
  const toolCalls = first.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
  const conversation = (more: { carry?: ProviderMetadata }) => [
    { role: 'user', text: 'What do a and b say?' } as const,
    { role: 'assistant', text: 'I look.', toolCalls, ...more } as const,
    ...toolCalls.map(({ id }) => ({ role: 'tool', callId: id, text: 'c' }) as const),
  ]
  const messages = conversation(carry ? { carry } : {})
  expect(joinText(await ask(asked, { model: 'gemini-3-pro', messages }))).toBe('They say c.')
  const [one, two] = toolCalls.map(({ id }) => ({
    functionResponse: { id, name: 'read_file', response: { output: 'c' } },
  }))
  expect(server.requests[1]?.body).toMatchObject({
    contents: [
      { role: 'user' },
      { role: 'model', parts: [{ text: 'I look.' }, { thoughtSignature: 'c2lnbmVk' }, { functionCall: {} }] },
      { role: 'user', parts: [one, two] },
    ],
  })
  const later = await ask(asked, { model: 'gemini-3-pro', messages: conversation({}) })
  expect(later.at(-1), 'signatures that nobody kept').toMatchObject({ type: 'end' })
})

test('signatures that Gemini refuses are left out, once', async () => {
  const server = await serve({ replies: ['Fine.'] })
  const pieces = [{ type: 'text', length: 2, signature: REFUSED }]
  const messages = [
    { role: 'user', text: 'Hi' },
    { role: 'assistant', text: 'Ho', carry: { provider: 'gemini', data: { model: 'gemini-3-pro', pieces } } },
    { role: 'user', text: 'And?' },
  ] as const
  expect(joinText(await ask(await at(server.url), { model: 'gemini-3-pro', messages }))).toBe('Fine.')
  expect(server.requests).toHaveLength(2)
})

test('a key of the pool that Gemini refuses is changed for another', async () => {
  const credential = { id: 'pooled', key: 'wrong', succeeded: () => undefined, failed: () => true }
  const pool = { take: async () => credential, status: () => ({ ready: true, detail: 'one key' }) }
  const server = await serve()
  const asked = await at(server.url, {
    config: { providers: { gemini: { base_url: server.url } } },
    with: [
      {
        name: 'fake-pool',
        provides: ['credentials'],
        setup: (ctx) => void ctx.provide(Credentials, () => pool as never),
      },
    ],
  })
  expect(await asked.status()).toEqual({ ready: true, detail: 'one key' })
  expect(await collectFailure(asked)).toMatchObject({ kind: 'auth', retryable: true, retryAfterMs: 0 })
})

test.for<[ServiceFault, Partial<ModelFailure>, string]>([
  [
    { status: 429, headers: { 'retry-after': '7' } },
    { kind: 'rate-limit', retryable: true, retryAfterMs: 7000 },
    'in 7 s',
  ],
  [
    {
      status: 429,
      body: JSON.stringify({
        error: {
          code: 429,
          message: 'You exceeded your current quota, please check your plan and billing details.',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }],
        },
      }),
    },
    { kind: 'rate-limit', retryable: true, retryAfterMs: 34_500 },
    'Try again in 35 s.',
  ],
  [
    { status: 429, message: 'You exceeded your current quota, please check your plan and billing details.' },
    { kind: 'billing', retryable: false },
    'because of billing',
  ],
  [{ status: 500 }, { kind: 'server', retryable: true }, 'Gemini failed'],
  [{ status: 503, message: 'The model is overloaded.' }, { kind: 'overloaded', retryable: true }, 'Gemini is busy'],
  [{ status: 529 }, { kind: 'overloaded', retryable: true }, 'Gemini is busy'],
  [{ status: 504 }, { kind: 'timeout', retryable: true }, 'Gemini failed'],
  [
    { status: 400, message: 'API key not valid. Please pass a valid API key.' },
    { kind: 'auth', retryable: false },
    'the key in GOOGLE_API_KEY',
  ],
  [
    { status: 400, message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).' },
    { kind: 'context-overflow', retryable: false },
    'longer than fake-model can read',
  ],
  [{ status: 502, body: '<html>Bad gateway</html>' }, { kind: 'server', retryable: true }, 'status 502'],
  ['cut', { kind: 'cut', retryable: true }, 'Send the message again.'],
  ['no-end', { kind: 'cut', retryable: true }, 'ended its answer in the middle'],
  ['garbage', { kind: 'garbled', retryable: true }, 'Gemini sent "'],
  ['html', { kind: 'garbled', retryable: false }, 'something that is no content'],
  ['wrong-json', { kind: 'garbled', retryable: false }, 'something that is no content'],
  ['error-event', { kind: 'overloaded', retryable: true }, 'The model is overloaded.'],
])('Gemini with the fault %j is told as a failure', async ([fault, expected, said]) => {
  const server = await serve({ replies: [{ text: ['Hello ', 'there.'], fault }] })
  const failure = await collectFailure(await at(server.url))
  expect(failure).toMatchObject(expected)
  expect(failure.message).toContain(said)
})

test('a model that Gemini does not have is told by its name', async () => {
  const failure = await collectFailure(await at((await serve()).url), { model: 'no-such-model' })
  expect(failure).toMatchObject({ kind: 'model-not-found', message: expect.stringContaining('"no-such-model"') })
})

test('Gemini that falls silent is left when the user interrupts', async () => {
  const server = await serve({ replies: [{ text: 'Hello there.', fault: 'stall' }] })
  const abort = new AbortController()
  const failure = collectFailure(await at(server.url), { signal: abort.signal })
  await server.stalled
  abort.abort()
  expect(await failure).toMatchObject({ kind: 'aborted', retryable: false })
})

test('the connection to Gemini is kept for the next call', async () => {
  const server = await serve({ replies: [{ text: 'Hi', fault: 'slow' }] })
  const asked = await at(server.url)
  for (let call = 0; call < 3; call++) await ask(asked)
  expect(server.connections).toBe(1)
})

test('without a key nothing is sent to Gemini', async () => {
  const server = await serve()
  const asked = await at(server.url, { env: {} })
  expect(await asked.status()).toEqual({ ready: false, detail: 'GOOGLE_API_KEY is not set' })
  expect((await collectFailure(asked)).message).toContain('`svc config set GOOGLE_API_KEY <key>`')
  expect(await asked.models()).toEqual([])
  expect(server.requests).toEqual([])
})

test.for(['https://generativelanguage.googleapis.com.evil.test', 'https://googleapis.com', 'nowhere'])(
  'the key of Gemini is not sent to %s',
  async (address) => {
    const net = { request: () => Promise.reject(new Error('nothing may be sent')) }
    const asked = await at(address, { net, config: { providers: { gemini: { base_url: address } } } })
    expect(await asked.status()).toMatchObject({ ready: false, detail: expect.stringContaining('base_url is') })
    expect(await collectFailure(asked)).toMatchObject({ kind: 'invalid', retryable: false })
  },
)

test('Gemini is asked at its own address by default with the other key, and its models are listed', async () => {
  const asked: { url: string; headers?: Readonly<Record<string, string>> }[] = []
  const net = {
    request: (sent: (typeof asked)[number]) => {
      asked.push(sent)
      return Promise.reject(new Error('no network in tests'))
    },
  }
  await ask(provider(await open({ net, env: { GEMINI_API_KEY: 'other-key' } })), { model: 'models/gemini-x' })
  expect(asked[0]).toMatchObject({
    url: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-x:streamGenerateContent?alt=sse',
    headers: { 'x-goog-api-key': 'other-key' },
  })
  expect(await (await at((await serve()).url)).models()).toEqual([
    { id: 'gemini-2.5-flash', label: 'Gemini 2.5 Flash', contextWindow: 1_048_576, maxOutputTokens: 65_536 },
  ])
})

test('a picture that Gemini does not take is refused before anything is sent, and put in words later', async () => {
  const server = await serve()
  const asked = await at(server.url)
  const large = { mediaType: 'image/png', data: 'A'.repeat((50 * 2 ** 20) / 0.75) }
  const strange = { mediaType: 'image/tiff', data: 'AAAA' }
  const fails = (image: typeof large) =>
    collectFailure(asked, { messages: [{ role: 'user', text: 'Look.', images: [image] }] })
  expect(await fails(large)).toMatchObject({ kind: 'invalid', retryable: false })
  expect((await fails(large)).message).toContain('A picture has 50 MB, and')
  expect((await fails(large)).message).toContain('takes 14 MB at most. Nothing was sent.')
  expect((await fails(strange)).message).toContain('takes PNG, JPEG, WEBP, HEIC, HEIF. Nothing was sent.')
  expect(server.requests).toEqual([])
  const messages = [
    { role: 'user', text: 'Look.', images: [large, strange] },
    { role: 'assistant', text: 'At what?' },
    { role: 'user', text: 'Never mind.' },
  ] as const
  expect(joinText(await ask(asked, { messages }))).toBe('Hello.')
  expect(JSON.stringify(server.requests[0]?.body)).toContain('[a picture of 50 MB, too large for this model]')
})

test('thinking that a model behind Gemini cannot do is left out, and the question answered', async () => {
  const server = await serve({ replies: ['Fine.'] })
  const asked = await at(server.url)
  expect(joinText(await ask(asked, { model: 'gemini-9', reasoning: 'high' }))).toBe('Fine.')
  expect(server.requests).toHaveLength(2)
})

test('a tier is asked for, and read from the answer in both spellings', async () => {
  const counts = { promptTokenCount: 7, candidatesTokenCount: 9 }
  const server = await serve({
    replies: [
      { text: 'Quick.', usage: { ...counts, serviceTier: 'priority' } },
      { text: 'Not so quick.', usage: { ...counts, serviceTier: 'SERVICE_TIER_STANDARD' } },
      { text: 'Usual.', usage: counts },
    ],
  })
  const asked = await at(server.url)
  const usage = { input: 7, output: 9 }
  expect(await ask(asked, { serviceTier: 'priority' })).toContainEqual({ type: 'usage', usage, tier: 'priority' })
  expect(await ask(asked, { serviceTier: 'flex' })).toContainEqual({ type: 'usage', usage, tier: 'default' })
  expect(await ask(asked, { serviceTier: 'default' })).toContainEqual({ type: 'usage', usage })
  expect(server.requests.map(({ body }) => (body as { service_tier?: string }).service_tier)).toEqual([
    'priority',
    'flex',
    undefined,
  ])
})

test('a tier that the service refuses is asked without, and counts as usual', async () => {
  const server = await serve({
    replies: ({ body }) =>
      'service_tier' in body ? { fault: { status: 400, message: 'Invalid service_tier for this project.' } } : 'Usual.',
  })
  const events = await ask(await at(server.url), { serviceTier: 'priority' })
  expect(joinText(events)).toBe('Usual.')
  expect(events.find(({ type }) => type === 'usage')).toMatchObject({ tier: 'default' })
})
