import { SvcError } from 'svc/sdk'
import { Credentials, type LeasedCredential, type ModelFailure } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { ask, collectFailure, joinText, request } from '../../../support/ask-model.ts'
import { open, provider, serve } from './ask.ts'

/** A pool that gives out these keys in turn and writes down what it was told. */
function pool(keys: readonly (Partial<LeasedCredential> & { key: string })[]) {
  const told: string[] = []
  const waiting = [...keys]
  const take = async (name: string, variables: readonly string[]) => {
    told.push(`take ${name} ${variables.join(' ')}`)
    const next = waiting.shift()
    return next && createCredential(next, told, () => waiting.length > 0)
  }
  const status = () => ({ ready: true, detail: 'two keys' })
  return { told, plugin: createPlugin({ take, status }) }
}

function createCredential(
  more: Partial<LeasedCredential> & { key: string },
  told: string[],
  isMore: () => boolean,
): LeasedCredential {
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

function createPlugin(service: object) {
  return {
    name: 'fake-auth',
    provides: ['credentials'],
    setup: (ctx: { provide(token: unknown, make: () => unknown): unknown }) => {
      ctx.provide(Credentials, () => service)
    },
  }
}

async function groqAt(url: string, plugin: ReturnType<typeof createPlugin>) {
  const config = { providers: { groq: { base_url: url } } }
  return provider(await open({ with: [plugin as never], env: { GROQ_API_KEY: 'variable' }, config }), 'groq')
}

test('the key of a call is one of the pool, which hears that it went well', async () => {
  const server = await serve({ replies: ['Hi'] })
  const { told, plugin } = pool([{ key: 'first' }])
  const asked = await groqAt(server.url, plugin)
  expect(await asked.status()).toEqual({ ready: true, detail: 'two keys' })
  expect(joinText(await ask(asked))).toBe('Hi')
  expect(server.requests[0]?.headers.authorization).toBe('Bearer first')
  expect(told).toEqual(['take groq GROQ_API_KEY', 'first succeeded'])
})

test('a key that is refused makes way for the next one at once', async () => {
  const server = await serve({ replies: [{ fault: { status: 429, headers: { 'retry-after': '60' } } }, 'Hi'] })
  const { told, plugin } = pool([{ key: 'first' }, { key: 'second' }])
  const asked = await groqAt(server.url, plugin)
  expect(await collectFailure(asked)).toMatchObject({ kind: 'rate-limit', retryable: true, retryAfterMs: 0 })
  expect(joinText(await ask(asked))).toBe('Hi')
  expect(server.requests[1]?.headers.authorization).toBe('Bearer second')
  expect(told).toContain('first failed: rate-limit')
})

test('without another key the failure stays as the service said it', async () => {
  const server = await serve({ replies: [{ fault: { status: 401, message: 'No.' } }] })
  const asked = await groqAt(server.url, pool([{ key: 'first' }]).plugin)
  const failure = await collectFailure(asked)
  expect(failure).toMatchObject({ kind: 'auth', retryable: false })
  expect(failure).not.toHaveProperty('retryAfterMs')
})

test.for([
  ['CREDENTIALS_RESTING', 'rate-limit'],
  ['CREDENTIALS_DEAD', 'auth'],
] as const)('keys that are all out of use (%s) fail as %s in the words of the pool', async ([code, kind]) => {
  const take = () => Promise.reject(new SvcError(code, 'All keys are out of use.'))
  const asked = await groqAt('http://127.0.0.1:9/v1', createPlugin({ take }))
  expect(await collectFailure(asked)).toEqual({ kind, message: 'All keys are out of use.', retryable: false })
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
  expect(joinText(await ask(asked))).toBe('Own.')
  expect((await collectFailure(asked)).message).toContain('kept with an address that is not HTTPS')
  expect(usual.requests).toEqual([])
  expect(told.filter((each) => each.startsWith('second'))).toHaveLength(1)
})

test('a server that needs no key is asked without one', async () => {
  const server = await serve({ replies: ['Hi'] })
  const { plugin } = pool([])
  const kernel = await open({ with: [plugin as never], config: { providers: { vllm: { base_url: server.origin } } } })
  expect(joinText(await ask(provider(kernel, 'vllm')))).toBe('Hi')
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
})

test('a key of Azure brings the address of its resource, when none is set', async () => {
  const server = await serve({ replies: ['Hi'] })
  const { told, plugin } = pool([{ key: 'mine', baseUrl: server.url }])
  const kernel = await open({ with: [plugin as never] })
  const asked = provider(kernel, 'azure-openai')
  expect(joinText(await ask(asked))).toBe('Hi')
  expect(server.requests[0]).toMatchObject({ path: '/v1/chat/completions', headers: { 'api-key': 'mine' } })
  expect(told).toContain('mine succeeded')
  expect(await collectFailure(asked)).toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('azure-openai.base_url is not set'),
  })
})

test.for([
  [[{ baseUrl: 'https://mine.openai.azure.com' }], { ready: true, detail: 'two keys' }],
  [[{}], { ready: false }],
])('whether Azure could be asked depends on an address, too: %j', async ([keys, expected]) => {
  const list = async () => keys
  const plugin = createPlugin({ list, status: () => ({ ready: true, detail: 'two keys' }) })
  const kernel = await open({ with: [plugin as never] })
  expect(await provider(kernel, 'azure-openai').status()).toMatchObject(expected as object)
})
