import { SvcError } from 'svc/sdk'
import { Credentials, type ModelFailure, type ModelProvider, Providers } from 'svc/sdk/provider'
import { providerContract } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { ask, collectFailure, joinText, request } from '../../../support/ask-model.ts'
import type { ServiceFault } from '../../../support/sse-service.ts'
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
  expect(joinText(events)).toBe('(Hm, files.)I look.')
  expect(events.slice(-3)).toEqual([
    { type: 'tool-call', call: { id: 'toolu_7', name: 'read_file', input: { path: 'notes.txt' } } },
    { type: 'usage', usage: { input: 113, output: 21, cachedInput: 100, cacheWriteInput: 10 } },
    expect.objectContaining({ type: 'end', reason: 'tool-calls' }),
  ])
})

test.for([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'filtered'],
  ['pause_turn', 'length'],
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
  expect(joinText(await ask(asked, { messages }))).toBe('It says b.')
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
  [{ status: 413 }, { kind: 'payload-too-large', retryable: false }, 'more bytes than Anthropic takes'],
  [
    { status: 400, message: 'prompt is too long: 208310 tokens > 200000 maximum' },
    { kind: 'context-overflow', retryable: false },
    'longer than fake-model can read',
  ],
  [
    { status: 400, message: 'Your credit balance is too low to access the Anthropic API.' },
    { kind: 'billing', retryable: false },
    'because of billing',
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
  const failure = await collectFailure(await at(server.url))
  expect(failure).toMatchObject(expected)
  expect(failure.message).toContain(said)
})

test('what Claude said before the break has been delivered', async () => {
  const server = await serve({ replies: [{ text: ['Hello ', 'there.'], fault: 'error-event' }] })
  expect(joinText(await ask(await at(server.url)))).toBe('Hello there.')
})

test('Claude that falls silent is left when the user interrupts', async () => {
  const server = await serve({ replies: [{ text: 'Hello there.', fault: 'stall' }] })
  const abort = new AbortController()
  const failure = collectFailure(await at(server.url), { signal: abort.signal })
  await server.stalled
  abort.abort()
  expect(await failure).toMatchObject({ kind: 'aborted', retryable: false })
})

test('Claude that sends byte by byte says the same', async () => {
  const reply = { reasoning: 'Grüße ', text: ['naïve ', '漢字 🙂'], calls: [{ name: 't', arguments: { é: '🙂' } }] }
  const server = await serve({ replies: [reply, { ...reply, fault: 'slow' }] })
  const asked = await at(server.url)
  const [fast, slow] = [await ask(asked), await ask(asked)]
  expect(joinText(slow)).toBe(joinText(fast))
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
  expect((await collectFailure(asked)).message).toContain('`svc config set ANTHROPIC_API_KEY <key>`')
  expect(await asked.models()).toEqual([])
  expect(server.requests).toEqual([])
})

test.for(['https://api.anthropic.com.evil.test', 'http://api.anthropic.com', 'https://evil.test', 'not an address'])(
  'the key of Anthropic is not sent to %s',
  async (address) => {
    const net = { request: () => Promise.reject(new Error('nothing may be sent')) }
    const asked = await at(address, { net, config: { providers: { anthropic: { base_url: address } } } })
    expect(await asked.status()).toMatchObject({ ready: false, detail: expect.stringContaining('base_url is') })
    expect(await collectFailure(asked)).toMatchObject({ kind: 'invalid', retryable: false })
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

test('a server that repeats the key does not show it to anyone', async () => {
  const server = await serve({ replies: [{ fault: { status: 400, message: 'bad header anthropic-key' } }] })
  expect((await collectFailure(await at(server.url), request())).message).not.toContain('anthropic-key')
})

test('what Claude thought goes back with the results of its calls', async () => {
  const calls = [{ id: 'toolu_7', name: 'read_file', arguments: { path: 'a' } }]
  const server = await serve({ replies: [{ reasoning: 'Hm.', redacted: 'xyz', text: 'I look.', calls }, 'It says b.'] })
  const asked = await at(server.url)
  const model = 'claude-sonnet-4-5'
  const first = await ask(asked, { model, reasoning: 'low' })
  const end = first.at(-1)
  const carry = end?.type === 'end' ? end.carry : undefined
  const toolCalls = first.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
  const messages = [
    { role: 'user', text: 'What does a say?' },
    { role: 'assistant', text: 'I look.', toolCalls, ...(carry && { carry: JSON.parse(JSON.stringify(carry)) }) },
    { role: 'tool', callId: 'toolu_7', text: 'b' },
  ] as const
  expect(joinText(await ask(asked, { model, reasoning: 'low', messages }))).toBe('It says b.')
  expect(server.requests[1]?.body).toMatchObject({
    thinking: { type: 'enabled' },
    messages: [
      {},
      { content: [{ type: 'thinking', thinking: 'Hm.' }, { type: 'redacted_thinking', data: 'xyz' }, {}, {}] },
      {},
    ],
  })
})

test('thoughts whose signature is refused are left out, once', async () => {
  const server = await serve({ replies: ['Fine.'] })
  const asked = await at(server.url)
  const model = 'claude-sonnet-4-5'
  const pieces = [{ type: 'thinking', thinking: 'Hm.', signature: 'of another time' }]
  const messages = [
    { role: 'user', text: 'Hi' },
    { role: 'assistant', text: 'Ho', carry: { provider: 'anthropic', data: { model, pieces } } },
    { role: 'user', text: 'And?' },
  ] as const
  expect(joinText(await ask(asked, { model, reasoning: 'low', messages }))).toBe('Fine.')
  expect(server.requests).toHaveLength(2)
})

test('a key of the pool is used, told how the call ended, and changed for another', async () => {
  const ended: string[] = []
  const keys = ['wrong-key', 'anthropic-key']
  const pool = {
    take: async () => ({
      id: 'pooled',
      key: keys.shift() ?? '',
      succeeded: () => void ended.push('well'),
      failed: ({ kind }: ModelFailure) => ended.push(kind) === 1,
    }),
    status: () => ({ ready: true, detail: 'two keys' }),
  }
  const server = await serve()
  const kernel = await open({
    config: { providers: { anthropic: { base_url: server.url } } },
    with: [
      {
        name: 'fake-pool',
        provides: ['credentials'],
        setup: (ctx) => void ctx.provide(Credentials, () => pool as never),
      },
    ],
  })
  const asked = provider(kernel)
  expect(await asked.status()).toEqual({ ready: true, detail: 'two keys' })
  expect(await collectFailure(asked)).toMatchObject({ kind: 'auth', retryable: true, retryAfterMs: 0 })
  expect(joinText(await ask(asked))).toBe('Hello.')
  expect(ended).toEqual(['auth', 'well'])
})

test('a pool whose keys all rest is told as a failure without a call', async () => {
  const take = () => Promise.reject(new SvcError('CREDENTIALS_RESTING', 'All keys rest until noon.'))
  const kernel = await open({
    with: [
      {
        name: 'fake-pool',
        provides: ['credentials'],
        setup: (ctx) => void ctx.provide(Credentials, () => ({ take }) as never),
      },
    ],
  })
  expect(await collectFailure(provider(kernel))).toMatchObject({
    kind: 'rate-limit',
    retryable: false,
    message: 'All keys rest until noon.',
  })
})

test('other services with the same API have their own key in its own header', async () => {
  const sent: { url: string; headers?: Readonly<Record<string, string>> }[] = []
  const net = {
    request: (request: (typeof sent)[number]) => {
      sent.push(request)
      return Promise.reject(new Error('no network in tests'))
    },
  }
  const kernel = await open({ net, env: { KIMI_CODING_API_KEY: 'kimi-key', MINIMAX_CN_API_KEY: 'mini-key' } })
  for (const id of ['kimi-coding', 'minimax-cn']) await ask(kernel.all(Providers).get(id) as ModelProvider)
  expect(sent.map(({ url, headers }) => [url, headers?.['x-api-key'] ?? headers?.['authorization']])).toEqual([
    ['https://api.kimi.com/coding/v1/messages', 'kimi-key'],
    ['https://api.minimaxi.com/anthropic/v1/messages', 'Bearer mini-key'],
  ])
})

test('a picture that Anthropic does not take is refused before anything is sent, and put in words later', async () => {
  const server = await serve()
  const asked = await at(server.url)
  const large = { mediaType: 'image/png', data: 'A'.repeat((50 * 2 ** 20) / 0.75) }
  const strange = { mediaType: 'image/tiff', data: 'AAAA' }
  const fails = (image: typeof large) =>
    collectFailure(asked, { messages: [{ role: 'user', text: 'Look.', images: [image] }] })
  expect(await fails(large)).toMatchObject({ kind: 'invalid', retryable: false })
  expect((await fails(large)).message).toContain('A picture has 50 MB, and')
  expect((await fails(large)).message).toContain('takes 7.5 MB at most. Nothing was sent.')
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

test('thinking that a model behind Anthropic cannot do is left out, and the question answered', async () => {
  const server = await serve({ replies: ['Fine.'] })
  const asked = await at(server.url)
  expect(joinText(await ask(asked, { model: 'claude-opus-9', reasoning: 'high' }))).toBe('Fine.')
  expect(server.requests).toHaveLength(2)
})

test('a token of a sign-in goes as bearer token, with the word that lets it in, and a key of the API as key', async () => {
  const server = await serve()
  const sent = []
  for (const key of ['sk-ant-oat01-token', 'sk-ant-api03-key']) {
    const env = { CLAUDE_CODE_OAUTH_TOKEN: key, ANTHROPIC_BASE_URL: server.url }
    await ask(provider(await open({ env })))
    const { authorization, 'x-api-key': own, 'anthropic-beta': beta } = server.requests.at(-1)?.headers ?? {}
    sent.push([authorization, own, beta])
  }
  expect(sent).toEqual([
    ['Bearer sk-ant-oat01-token', undefined, 'oauth-2025-04-20'],
    [undefined, 'sk-ant-api03-key', undefined],
  ])
})

test('the faster speed is asked for where a model has it, with its beta, and is the tier of the answer', async () => {
  const server = await serve({ replies: ['Quick.', 'Usual.', 'Not so quick.'] })
  const asked = await at(server.url)
  expect(asked.tiers?.('claude-opus-5')).toEqual(['priority', 'default'])
  expect(asked.tiers?.('claude-sonnet-5-5')).toEqual([])
  const fast = await ask(asked, { model: 'claude-opus-5', serviceTier: 'priority' })
  expect(fast).toContainEqual({ type: 'usage', usage: { input: 7, output: 9 }, tier: 'priority' })
  expect(server.requests[0]?.body).toMatchObject({ speed: 'fast' })
  expect(server.requests[0]?.headers['anthropic-beta']).toBe('fast-mode-2026-02-01')
  const usual = await ask(asked, { model: 'claude-opus-5', serviceTier: 'default' })
  expect(usual).toContainEqual({ type: 'usage', usage: { input: 7, output: 9 } })
  expect(server.requests[1]?.body).not.toHaveProperty('speed')
  expect(server.requests[1]?.headers).not.toHaveProperty('anthropic-beta')
  await ask(asked, { model: 'claude-sonnet-5-5', serviceTier: 'priority' })
  expect(server.requests[2]?.body).not.toHaveProperty('speed')
})

test('a speed that the service refuses is asked without, and counts as usual', async () => {
  const server = await serve({
    replies: ({ body }) =>
      'speed' in body
        ? { fault: { status: 400, message: 'Fast mode is not enabled for your organization.' } }
        : 'Slow.',
  })
  const events = await ask(await at(server.url), { model: 'claude-opus-5-5', serviceTier: 'priority' })
  expect(joinText(events)).toBe('Slow.')
  expect(events).toContainEqual({ type: 'usage', usage: { input: 7, output: 9 }, tier: 'default' })
})
