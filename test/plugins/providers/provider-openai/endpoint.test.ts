import { expect, test } from 'vitest'
import { ask, collectFailure } from '../../../support/ask-model.ts'
import { customAt, open, provider, serve } from './ask.ts'

test('the address may have a slash at its end or the path of the chat endpoint', async () => {
  const server = await serve({ replies: ['a', 'b', 'c', 'd'] })
  for (const end of ['', '/', '/chat/completions', '/chat/completions/']) await ask(await customAt(server.url + end))
  expect(server.requests.map(({ path }) => path)).toEqual(Array(4).fill('/v1/chat/completions'))
})

test('a query stays behind the path', async () => {
  const server = await serve({ replies: ['a'] })
  await ask(await customAt(`${server.url}?api-version=1`))
  expect(server.requests[0]?.path).toBe('/v1/chat/completions?api-version=1')
})

test.for([
  ['', 'model.base_url is not set. Type `svc config set model.base_url http://host:port/v1`.'],
  ['localhost:8000/v1', 'model.base_url is "localhost:8000/v1", but it must begin with http:// or https://. Type'],
  ['ftp://host/v1', 'must begin with http:// or https://'],
  ['http://', 'model.base_url is "http://", which is not an address. Type'],
  ['http://me:secret@host/v1', 'model.base_url has a user name or password in it; keys belong into .env. Type'],
] as const)('the address "%s" is refused in words', async ([address, said]) => {
  const asked = await customAt(address)
  const failure = await collectFailure(asked)
  expect(failure).toMatchObject({ kind: 'invalid', retryable: false })
  expect(failure.message).toContain(said)
  expect(failure.message).not.toContain('secret')
  expect(await asked.models()).toEqual([])
  expect(await asked.status()).toMatchObject({ ready: false })
})

test('each key goes to its own server and nowhere else', async () => {
  const env = { OPENAI_API_KEY: 'openai-key', CUSTOM_API_KEY: 'custom-key', VLLM_API_KEY: 'vllm-key' }
  const custom = await serve({ replies: ['a'] })
  const vllm = await serve({ replies: ['a'], kind: 'vllm' })
  const ollama = await serve({ replies: ['a'], kind: 'ollama' })
  const providers = { vllm: { base_url: vllm.origin }, ollama: { base_url: ollama.url } }
  const kernel = await open({ env, config: { model: { base_url: custom.url }, providers } })
  for (const id of ['custom', 'vllm', 'ollama']) await ask(provider(kernel, id))
  const keys = [custom, vllm, ollama].map(({ requests }) => requests[0]?.headers.authorization)
  expect(keys).toEqual(['Bearer custom-key', 'Bearer vllm-key', undefined])
})

test('the key of OpenAI goes to OpenAI, with the field for limits that OpenAI knows', async () => {
  const asked: { url: string; headers?: Readonly<Record<string, string>>; body?: unknown }[] = []
  const net = {
    request: (request: (typeof asked)[number]) => {
      asked.push(request)
      return Promise.reject(new Error('no network in tests'))
    },
  }
  const kernel = await open({
    net,
    env: { OPENAI_API_KEY: 'openai-key' },
    config: { model: { base_url: 'http://else' } },
  })
  await ask(provider(kernel, 'openai'), { maxOutputTokens: 9 })
  expect(asked[0]?.url).toBe('https://api.openai.com/v1/responses')
  expect(asked[0]?.headers?.['authorization']).toBe('Bearer openai-key')
  expect(asked[0]?.body).toContain('"max_output_tokens":9')
})

test('without a key no header is sent', async () => {
  const server = await serve({ replies: ['a'] })
  await ask(await customAt(server.url))
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
  expect(server.requests[0]?.body).toMatchObject({ model: 'fake-model', stream: true })
})
