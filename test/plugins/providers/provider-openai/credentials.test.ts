import { type Credential, Credentials, type ModelFailure, SvcError } from 'svc/sdk'
import { expect, test } from 'vitest'
import { ask, failureOf, request, textOf } from '../../../support/ask-model.ts'
import { open, provider, serve } from './ask.ts'

/** A pool that gives out these keys in turn and writes down what it was told. */
function pool(keys: readonly (Partial<Credential> & { key: string })[]) {
  const told: string[] = []
  const waiting = [...keys]
  const take = async (name: string, variables: readonly string[]) => {
    told.push(`take ${name} ${variables.join(' ')}`)
    const next = waiting.shift()
    return next && credentialOf(next, told, () => waiting.length > 0)
  }
  const status = () => ({ ready: true, detail: 'two keys' })
  return { told, plugin: pluginOf({ take, status }) }
}

function credentialOf(more: Partial<Credential> & { key: string }, told: string[], isMore: () => boolean): Credential {
  return {
    id: more.key,
    ...more,
    succeeded: () => void told.push(`${more.key} succeeded`),
    failed: ({ kind }: ModelFailure) => {
      told.push(`${more.key} failed: ${kind}`)
      return isMore()
    },
  }
}

function pluginOf(service: object) {
  return {
    name: 'fake-auth',
    provides: ['credentials'],
    setup: (ctx: { provide(token: unknown, make: () => unknown): unknown }) => {
      ctx.provide(Credentials, () => service)
    },
  }
}

async function groqAt(url: string, plugin: ReturnType<typeof pluginOf>) {
  const config = { providers: { groq: { base_url: url } } }
  return provider(await open({ with: [plugin as never], env: { GROQ_API_KEY: 'variable' }, config }), 'groq')
}

test('the key of a call is one of the pool, which hears that it went well', async () => {
  const server = await serve({ replies: ['Hi'] })
  const { told, plugin } = pool([{ key: 'first' }])
  const asked = await groqAt(server.url, plugin)
  expect(await asked.status()).toEqual({ ready: true, detail: 'two keys' })
  expect(textOf(await ask(asked))).toBe('Hi')
  expect(server.requests[0]?.headers.authorization).toBe('Bearer first')
  expect(told).toEqual(['take groq GROQ_API_KEY', 'first succeeded'])
})

test('a key that is refused makes way for the next one at once', async () => {
  const server = await serve({ replies: [{ fault: { status: 429, headers: { 'retry-after': '60' } } }, 'Hi'] })
  const { told, plugin } = pool([{ key: 'first' }, { key: 'second' }])
  const asked = await groqAt(server.url, plugin)
  expect(await failureOf(asked)).toMatchObject({ kind: 'rate-limit', retryable: true, retryAfterMs: 0 })
  expect(textOf(await ask(asked))).toBe('Hi')
  expect(server.requests[1]?.headers.authorization).toBe('Bearer second')
  expect(told).toContain('first failed: rate-limit')
})

test('without another key the failure stays as the service said it', async () => {
  const server = await serve({ replies: [{ fault: { status: 401, message: 'No.' } }] })
  const asked = await groqAt(server.url, pool([{ key: 'first' }]).plugin)
  const failure = await failureOf(asked)
  expect(failure).toMatchObject({ kind: 'auth', retryable: false })
  expect(failure).not.toHaveProperty('retryAfterMs')
})

test.for([
  ['CREDENTIALS_RESTING', 'rate-limit'],
  ['CREDENTIALS_DEAD', 'auth'],
] as const)('keys that are all out of use (%s) fail as %s in the words of the pool', async ([code, kind]) => {
  const take = () => Promise.reject(new SvcError(code, 'All keys are out of use.'))
  const asked = await groqAt('http://127.0.0.1:9/v1', pluginOf({ take }))
  expect(await failureOf(asked)).toEqual({ kind, message: 'All keys are out of use.', retryable: false })
})

test('a reader that leaves gives its key back', async () => {
  const server = await serve({ replies: [{ deltas: 50, fault: 'stall' }] })
  const { told, plugin } = pool([{ key: 'first' }])
  for await (const _ of (await groqAt(server.url, plugin)).stream(request())) break
  expect(told).toContain('first failed: aborted')
})

test('a key with an address of its own goes there only, and never over plain HTTP', async () => {
  const own = await serve({ replies: ['Own.'] })
  const usual = await serve({ replies: ['Usual.'] })
  const { told, plugin } = pool([
    { key: 'first', baseUrl: own.url },
    { key: 'second', baseUrl: 'http://far.test/v1' },
  ])
  const asked = await groqAt(usual.url, plugin)
  expect(textOf(await ask(asked))).toBe('Own.')
  expect((await failureOf(asked)).message).toContain('kept with an address that is not HTTPS')
  expect(usual.requests).toEqual([])
  expect(told.filter((each) => each.startsWith('second'))).toHaveLength(1)
})

test('a server that needs no key is asked without one', async () => {
  const server = await serve({ replies: ['Hi'] })
  const { plugin } = pool([])
  const kernel = await open({ with: [plugin as never], config: { providers: { vllm: { base_url: server.origin } } } })
  expect(textOf(await ask(provider(kernel, 'vllm')))).toBe('Hi')
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
})

test('a key of Azure brings the address of its resource, when none is set', async () => {
  const server = await serve({ replies: ['Hi'] })
  const { told, plugin } = pool([{ key: 'mine', baseUrl: server.url }])
  const kernel = await open({ with: [plugin as never] })
  const asked = provider(kernel, 'azure-openai')
  expect(textOf(await ask(asked))).toBe('Hi')
  expect(server.requests[0]).toMatchObject({ path: '/v1/chat/completions', headers: { 'api-key': 'mine' } })
  expect(told).toContain('mine succeeded')
  expect(await failureOf(asked)).toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('azure-openai.base_url is not set'),
  })
})

test.for([
  [[{ baseUrl: 'https://mine.openai.azure.com' }], { ready: true, detail: 'two keys' }],
  [[{}], { ready: false }],
])('whether Azure could be asked depends on an address, too: %j', async ([keys, expected]) => {
  const list = async () => keys
  const plugin = pluginOf({ list, status: () => ({ ready: true, detail: 'two keys' }) })
  const kernel = await open({ with: [plugin as never] })
  expect(await provider(kernel, 'azure-openai').status()).toMatchObject(expected as object)
})
