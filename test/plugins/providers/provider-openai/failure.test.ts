import type { ModelFailure } from 'svc/sdk/provider'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { collectFailure } from '../../../support/ask-model.ts'
import type { Reply } from '../../../support/model-replies.ts'
import { customAt, open, provider, serve } from './ask.ts'

type Case = [what: string, reply: Reply, expected: Partial<ModelFailure>, said: RegExp]

const full = "This model's maximum context length is 8192 tokens."

test.for<Case>([
  [
    'a wrong key',
    { fault: { status: 401, message: 'Incorrect API key' } },
    { kind: 'auth', status: 401, retryable: false },
    /did not accept the key in CUSTOM_API_KEY: Incorrect API key\. .*`svc config set CUSTOM_API_KEY <key>`/,
  ],
  [
    'an empty purse',
    { fault: { status: 402, message: 'Insufficient credits' } },
    { kind: 'billing', status: 402, retryable: false },
    /because of billing: Insufficient credits\./,
  ],
  [
    'a spent quota',
    { fault: { status: 429, message: 'You exceeded your current quota', code: 'insufficient_quota' } },
    { kind: 'billing', retryable: false },
    /because of billing/,
  ],
  [
    'a forbidden region',
    { fault: { status: 403, message: 'Country not supported' } },
    { kind: 'invalid', status: 403, retryable: false },
    /Country not supported/,
  ],
  [
    'a model nobody has',
    { fault: { status: 404, message: 'The model `x` does not exist', code: 'model_not_found' } },
    { kind: 'model-not-found', status: 404, retryable: false },
    /no model "fake-model".*svc config set model\.default/,
  ],
  [
    'a model that was not pulled',
    { fault: { status: 404, body: '{"error":{"message":"model \\"x\\" not found, try pulling it first"}}' } },
    { kind: 'model-not-found', retryable: false },
    /try pulling it first/,
  ],
  [
    'a rate limit in seconds',
    { fault: { status: 429, headers: { 'retry-after': '7' } } },
    { kind: 'rate-limit', status: 429, retryable: true, retryAfterMs: 7000 },
    /Try again in 7 s\./,
  ],
  [
    'a rate limit without a time',
    { fault: { status: 429 } },
    { kind: 'rate-limit', retryable: true },
    /Try again in a moment\./,
  ],
  [
    'a server error',
    { fault: { status: 500, message: 'boom' } },
    { kind: 'server', status: 500, retryable: true },
    /failed: boom\./,
  ],
  [
    'a bad gateway with a page',
    { fault: { status: 502, body: '<html>Bad gateway</html>' } },
    { kind: 'server', status: 502, retryable: true },
    /failed: status 502\./,
  ],
  [
    'a busy server',
    { fault: { status: 503, headers: { 'retry-after': '2' } } },
    { kind: 'overloaded', retryable: true, retryAfterMs: 2000 },
    /is busy/,
  ],
  [
    'an overloaded service',
    { fault: { status: 529 } },
    { kind: 'overloaded', status: 529, retryable: true },
    /is busy/,
  ],
  [
    'a timeout of a proxy',
    { fault: { status: 408 } },
    { kind: 'timeout', retryable: true },
    /status 408|Scripted error 408/,
  ],
  [
    'a full context',
    { fault: { status: 400, message: full, code: 'context_length_exceeded' } },
    { kind: 'context-overflow', status: 400, retryable: false },
    /longer than fake-model can read/,
  ],
  [
    'a full context at llama.cpp',
    {
      fault: {
        status: 400,
        body: '{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}',
      },
    },
    { kind: 'context-overflow', retryable: false },
    /available context size/,
  ],
  [
    'a body that is too large',
    { fault: { status: 413, body: 'Payload too large' } },
    { kind: 'payload-too-large', status: 413 },
    /Payload too large\./,
  ],
  [
    'a request it does not like',
    { fault: { status: 422, body: '{"detail":[{"msg":"field required"}]}' } },
    { kind: 'invalid', status: 422, retryable: false },
    /did not accept the request: .*field required/,
  ],
  [
    'an error in a list',
    { fault: { status: 400, body: '[{"error":{"message":"API key not valid"}}]' } },
    { kind: 'invalid' },
    /API key not valid/,
  ],
  [
    'a web page',
    { fault: 'html' },
    { kind: 'invalid', status: 200, retryable: false },
    /answered with a web page.*model\.base_url/,
  ],
  [
    'a move to elsewhere',
    { fault: { status: 302, headers: { location: 'https://other.test/' } } },
    { kind: 'invalid', status: 302, retryable: false },
    /sends callers on to https:\/\/other\.test\//,
  ],
  [
    'JSON of something else',
    { fault: 'wrong-json' },
    { kind: 'garbled', retryable: false },
    /no chat completion.*OpenAI-compatible/,
  ],
  ['words instead of JSON', { fault: { status: 200, body: 'OK' } }, { kind: 'garbled' }, /no chat completion/],
  [
    'garbage in the stream',
    { text: 'Hi', fault: 'garbage' },
    { kind: 'garbled', retryable: true },
    /sent "\{"choices": \[oops"/,
  ],
  [
    'events of another protocol',
    {
      fault: {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: 'data: {"type":"ping"}\n\ndata: [DONE]\n\n',
      },
    },
    { kind: 'garbled' },
    /events that are no chat completion/,
  ],
  [
    'an error in the stream',
    { text: 'Hi', fault: 'error-event' },
    { kind: 'server', retryable: true },
    /The engine fell over\./,
  ],
  [
    'a cut connection',
    { deltas: 50, fault: 'cut' },
    { kind: 'cut', retryable: true },
    /closed the connection in the middle/,
  ],
  [
    'an answer without its end',
    { text: 'Hi', fault: 'no-finish' },
    { kind: 'cut', retryable: true },
    /ended its answer in the middle/,
  ],
])('%s is told apart and explained', async ([, reply, expected, said]) => {
  const server = await serve({ replies: [reply] })
  const failure = await collectFailure(await customAt(server.url, { env: { CUSTOM_API_KEY: 'right-key' } }))
  expect(failure).toMatchObject(expected)
  expect(failure.message).toMatch(said)
})

test('a date to come back is counted from now', async () => {
  const clock = virtualClock(Date.UTC(2026, 0, 1))
  const server = await serve({
    replies: [{ fault: { status: 429, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' } } }],
  })
  const failure = await collectFailure(await customAt(server.url, { clock }))
  expect(failure.retryAfterMs).toBe(90_000)
  expect(failure.message).toContain('Try again in 90 s.')
})

test('no one at the address is explained with the address', async () => {
  const server = await serve()
  await server.close()
  const failure = await collectFailure(await customAt(server.url))
  expect(failure).toMatchObject({ kind: 'unreachable', retryable: false })
  expect(failure.message).toBe(
    `${server.origin} cannot be reached: nothing listens there. Check that the server runs. If the address is wrong: \`svc config set model.base_url http://host:port/v1\`.`,
  )
})

test('a missing /v1 is guessed from a 404 and from a page', async () => {
  const server = await serve({ kind: 'other' })
  const failure = await collectFailure(await customAt(server.origin))
  expect(failure).toMatchObject({ kind: 'invalid', status: 404 })
  expect(failure.message).toContain(`\`svc config set model.base_url ${server.origin}/v1\``)
  const model = await serve()
  const unknown = await collectFailure(await customAt(model.origin))
  expect(unknown.message).toContain(
    `does not know this path (Not found). Most servers want /v1 at the end: \`svc config set model.base_url ${model.origin}/v1\`.`,
  )
})

test('a server that answers 200 to paths it does not know is understood', async () => {
  const server = await serve({ kind: 'lmstudio' })
  const failure = await collectFailure(await customAt(server.origin))
  expect(failure).toMatchObject({ kind: 'invalid', retryable: false })
  expect(failure.message).toContain(`${server.origin}/v1`)
})

test('a server that repeats the key it was sent does not show it', async () => {
  const key = 'sk-very-secret-1234'
  const server = await serve({
    replies: [{ fault: { status: 401, message: `Bad key ${key}` } }, { fault: 'garbage', text: key }],
  })
  const failure = await collectFailure(await customAt(server.url, { env: { CUSTOM_API_KEY: key } }))
  expect(failure.message).toContain('Bad key ***.')
})

test('a call without a key where one is wanted names the command', async () => {
  const server = await serve({ key: 'right-key', replies: [] })
  const failure = await collectFailure(await customAt(server.url))
  expect(failure).toMatchObject({ kind: 'auth', retryable: false })
  expect(failure.message).toBe(
    `The server at ${server.url} wants an API key. Type \`svc config set CUSTOM_API_KEY <key>\`.`,
  )
  const kernel = await open()
  const openai = await collectFailure(provider(kernel, 'openai'))
  expect(openai.message).toBe('OpenAI wants an API key. Type `svc config set OPENAI_API_KEY <key>`.')
})

test('a certificate no one trusts and a wrong protocol are explained', async () => {
  for (const [code, said] of [
    ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
    ['HPE_INVALID_CONSTANT', 'does not speak HTTP'],
    ['ENOTFOUND', 'Check your network connection'],
  ] as const) {
    const error = Object.assign(new Error('It cannot be reached.', { cause: { code } }), {
      name: 'SvcError',
      code: 'NET_UNREACHABLE',
    })
    const asked = await customAt('http://model.test/v1', { net: { request: () => Promise.reject(error) } })
    const failure = await collectFailure(asked)
    expect(failure).toMatchObject({ kind: 'unreachable', retryable: code === 'ENOTFOUND' })
    expect(failure.message).toContain(said)
  }
})
