import { expect, test } from 'vitest'
import { vendors } from '../../../../plugins/providers/provider-openai/vendors.ts'
import { ask, collectFailure } from '../../../support/ask-model.ts'
import { open, provider, serve } from './ask.ts'

interface Sent {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A network that remembers what was to be sent. */
function recorder() {
  const sent: Sent[] = []
  const net = {
    request: (request: Sent) => {
      sent.push(request)
      return Promise.reject(new Error('no network in tests'))
    },
  }
  return { sent, net }
}

const everyKey = Object.fromEntries(
  vendors.flatMap(({ keyName, otherKeyNames = [] }) =>
    [keyName, ...otherKeyNames].map((name) => [name, `key-of-${name}`]),
  ),
)
const azure = {
  'azure-openai': { base_url: 'https://mine.openai.azure.com' },
  'azure-foundry': { base_url: 'https://mine.services.ai.azure.com' },
}

test.for(vendors)('$label is asked at a host of its own with its own key', async (vendor) => {
  const { sent, net } = recorder()
  const asked = provider(await open({ net, env: everyKey, config: { providers: azure } }), vendor.id)
  expect(await asked.status()).toEqual({ ready: true, detail: `${vendor.keyName} is set (environment)` })
  await ask(asked, { maxOutputTokens: 9 })
  const { url = '', headers = {}, body } = sent[0] ?? {}
  const { hostname, protocol } = new URL(url)
  expect(protocol).toBe('https:')
  expect(vendor.hosts.some((own) => hostname === own || hostname.endsWith(`.${own}`))).toBe(true)
  const keys = Object.values(headers).filter((value) => value.includes('key-of-'))
  expect(keys).toEqual([`${vendor.keyHeader ? '' : 'Bearer '}key-of-${vendor.keyName}`])
  const limit = vendor.wire === 'responses' ? 'max_output_tokens' : vendor.limitField
  expect(JSON.parse(String(body))).toMatchObject({ stream: true, [limit]: 9 })
})

test.for(vendors)('$label does not give its key to another host', async ({ id, label }) => {
  const { sent, net } = recorder()
  const config = { providers: { [id]: { base_url: 'https://api.evil.test/v1' } } }
  const asked = provider(await open({ net, env: everyKey, config }), id)
  expect(await asked.status()).toMatchObject({
    ready: false,
    detail: expect.stringContaining(`the key of ${label} goes`),
  })
  const failure = await collectFailure(asked)
  expect(failure).toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('svc config set model.provider custom'),
  })
  expect(await asked.models()).toEqual([])
  expect(sent).toEqual([])
})

test('a vendor may be stood in for by a server of this machine', async () => {
  const server = await serve({ replies: ['a'] })
  const config = { providers: { groq: { base_url: server.url } } }
  await ask(provider(await open({ env: { GROQ_API_KEY: 'groq-key' }, config }), 'groq'))
  expect(server.requests[0]?.headers.authorization).toBe('Bearer groq-key')
})

test('the first variable that is set holds the key, and the usual one is the one to set', async () => {
  const { sent, net } = recorder()
  await ask(provider(await open({ net, env: { Z_AI_API_KEY: 'third' } }), 'zai'))
  expect(sent[0]?.headers?.['authorization']).toBe('Bearer third')
  expect(await provider(await open({ net }), 'zai').status()).toEqual({
    ready: false,
    detail: 'GLM_API_KEY is not set',
  })
})

test.for([
  ['https://mine.openai.azure.com', '', 'https://mine.openai.azure.com/openai/v1/chat/completions'],
  [
    'https://mine.openai.azure.com/openai/deployments/gpt',
    '2024-10-21',
    'https://mine.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
  ],
  [
    'https://mine.openai.azure.com/openai/v1?api-version=preview',
    '2024-10-21',
    'https://mine.openai.azure.com/openai/v1/chat/completions?api-version=preview',
  ],
  [
    'https://mine.openai.azure.com/',
    '2024-10-21',
    'https://mine.openai.azure.com/openai/deployments/fake-model/chat/completions?api-version=2024-10-21',
  ],
] as const)('Azure at %s with api_version "%s" is asked at %s', async ([base_url, api_version, url]) => {
  const { sent, net } = recorder()
  const config = { providers: { 'azure-openai': { base_url, api_version } } }
  await ask(provider(await open({ net, env: { AZURE_OPENAI_API_KEY: 'azure-key' }, config }), 'azure-openai'))
  expect(sent[0]).toMatchObject({ url, headers: { 'api-key': 'azure-key' } })
  expect(sent[0]?.headers).not.toHaveProperty('authorization')
})

test('Azure without an address says what to set', async () => {
  const asked = provider(await open({ env: everyKey }), 'azure-openai')
  expect(await asked.status()).toEqual({ ready: false, detail: 'providers.azure-openai.base_url is not set' })
})

test.for([
  ['openai', 'OPENAI_BASE_URL', 'http://127.0.0.1:9/v1', 'http://127.0.0.1:9/v1/chat/completions'],
  [
    'zai',
    'GLM_BASE_URL',
    'https://open.bigmodel.cn/api/paas/v4/',
    'https://open.bigmodel.cn/api/paas/v4/chat/completions',
  ],
  [
    'azure-openai',
    'AZURE_OPENAI_ENDPOINT',
    'https://mine.openai.azure.com',
    'https://mine.openai.azure.com/openai/v1/chat/completions',
  ],
] as const)('%s can be moved by %s, and config.yaml wins', async ([id, name, address, url]) => {
  const { sent, net } = recorder()
  const env = { ...everyKey, [name]: address }
  await ask(provider(await open({ net, env }), id))
  expect(sent[0]).toMatchObject({ url })
  const config = { providers: { [id]: { base_url: 'http://localhost:7/v1' } } }
  await ask(provider(await open({ net, env, config }), id))
  expect(sent[1]).toMatchObject({ url: 'http://localhost:7/v1/chat/completions' })
})

test('a variable that leads to another host does not get the key either', async () => {
  const { sent, net } = recorder()
  const asked = provider(
    await open({ net, env: { ...everyKey, OPENAI_BASE_URL: 'https://api.evil.test/v1' } }),
    'openai',
  )
  expect((await collectFailure(asked)).message).toContain(
    'OPENAI_BASE_URL is https://api.evil.test, but the key of OpenAI',
  )
  expect(sent).toEqual([])
})

test('the wire follows the host, unless the user says otherwise', async () => {
  const urls = async (id: string, config: Record<string, unknown>) => {
    const { sent, net } = recorder()
    await ask(provider(await open({ net, env: everyKey, config }), id))
    return sent[0]?.url
  }
  expect(await urls('xai', {})).toBe('https://api.x.ai/v1/responses')
  expect(await urls('openai', { providers: { openai: { api_mode: 'chat_completions' } } })).toBe(
    'https://api.openai.com/v1/chat/completions',
  )
  expect(
    await urls('azure-openai', { providers: { 'azure-openai': { ...azure['azure-openai'], api_mode: 'responses' } } }),
  ).toBe('https://mine.openai.azure.com/openai/v1/responses')
  const model = { base_url: 'http://box.test/v1' }
  expect(await urls('custom', { model })).toBe('http://box.test/v1/chat/completions')
  expect(await urls('custom', { model: { ...model, api_mode: 'responses' } })).toBe('http://box.test/v1/responses')
  expect(await urls('custom', { model: { base_url: 'https://api.x.ai/v1' } })).toBe('https://api.x.ai/v1/responses')
})

test('a picture of 50 MB is refused before anything is sent', async () => {
  const { sent, net } = recorder()
  const asked = provider(await open({ net, env: everyKey }), 'openai')
  const images = [{ mediaType: 'image/png', data: 'A'.repeat((50 * 2 ** 20 * 4) / 3) }]
  const failure = await collectFailure(asked, { messages: [{ role: 'user', text: 'Look', images }] })
  expect(failure).toMatchObject({ kind: 'invalid', retryable: false })
  expect(failure.message).toMatch(/has 50 MB, and OpenAI takes 20 MB at most\. Nothing was sent/)
  expect(sent).toEqual([])
})

test.for([
  ['opencode-zen', 'gpt-5.2', 'https://opencode.ai/zen/v1/responses', 'authorization'],
  ['opencode-zen', 'claude-sonnet-4-5', 'https://opencode.ai/zen/v1/messages', 'x-api-key'],
  ['opencode-zen', 'glm-5', 'https://opencode.ai/zen/v1/chat/completions', 'authorization'],
  ['opencode-go', 'minimax-m3', 'https://opencode.ai/zen/go/v1/messages', 'x-api-key'],
  ['azure-foundry', 'claude-opus-4-5', 'https://mine.services.ai.azure.com/anthropic/v1/messages', 'x-api-key'],
  ['azure-foundry', 'gpt-5.2', 'https://mine.services.ai.azure.com/openai/v1/chat/completions', 'api-key'],
] as const)('%s asks %s at %s', async ([id, model, url, header]) => {
  const { sent, net } = recorder()
  const env = { ...everyKey, AZURE_FOUNDRY_BASE_URL: 'https://mine.services.ai.azure.com' }
  const kernel = await open({ net, env, plugins: ['provider-openai', 'provider-anthropic'] })
  await ask(provider(kernel, id), { model })
  expect(sent[0]?.url).toBe(url)
  expect(sent[0]?.headers?.[header]).toContain('key-of-')
})

test('a model that is offered by the Messages API only says which plugin is missing', async () => {
  const { sent, net } = recorder()
  const failure = await collectFailure(provider(await open({ net, env: everyKey }), 'opencode-zen'), {
    model: 'claude-sonnet-4-5',
  })
  expect(failure.message).toContain('`svc plugins enable provider-anthropic`')
  expect(sent).toEqual([])
})

test('the user says how a model is asked, also where the service has its own way for it', async () => {
  const { sent, net } = recorder()
  const config = { providers: { 'opencode-zen': { api_mode: 'chat_completions' } } }
  await ask(provider(await open({ net, env: everyKey, config }), 'opencode-zen'), { model: 'gpt-5.2' })
  expect(sent[0]?.url).toBe('https://opencode.ai/zen/v1/chat/completions')
})
