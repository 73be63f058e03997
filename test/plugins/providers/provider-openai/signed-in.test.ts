import { Credentials, type LeasedCredential } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { signedIn } from '../../../../plugins/providers/provider-openai/signed-in.ts'
import { ask, collectFailure } from '../../../support/ask-model.ts'
import { open, provider } from './ask.ts'

interface Sent {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The plugin with a pool that has a sign-in of every provider, and a network that remembers what was to be sent. */
async function openSignedIn(credential: Partial<LeasedCredential> = {}) {
  const sent: Sent[] = []
  const net = {
    request: (request: Sent) => {
      sent.push(request)
      return Promise.reject(new Error('no network in tests'))
    },
  }
  const lease = {
    id: 'a',
    key: 'token-1',
    type: 'oauth',
    succeeded: () => undefined,
    failed: () => false,
    ...credential,
  }
  const pool = {
    name: 'fake-auth',
    provides: ['credentials'],
    setup: (ctx: { provide(token: unknown, make: () => unknown): unknown }) => {
      ctx.provide(Credentials, () => ({
        take: async () => lease,
        status: () => ({ ready: true, detail: 'signed in' }),
        list: async () => [],
      }))
    },
  }
  return { sent, kernel: await open({ net, with: [pool as never] }) }
}

test.for(signedIn.filter(({ address }) => address !== undefined))(
  '$label gets the token of a sign-in at its own host',
  async (entry) => {
    const { sent, kernel } = await openSignedIn()
    const asked = provider(kernel, entry.id)
    expect(await asked.status()).toEqual({ ready: true, detail: 'signed in' })
    expect(asked.auth).toMatchObject({ type: entry.signIn, keyNames: [] })
    await ask(asked)
    const { hostname, protocol } = new URL(sent[0]?.url ?? '')
    expect(protocol).toBe('https:')
    expect(entry.hosts.some((own) => hostname === own || hostname.endsWith(`.${own}`))).toBe(true)
    expect(sent[0]?.headers).toMatchObject({ authorization: 'Bearer token-1', ...entry.headers })
  },
)

test.for(signedIn)('$label does not give its token to another host', async ({ id }) => {
  const sent: unknown[] = []
  const net = { request: (request: unknown) => Promise.reject(sent.push(request)) }
  const config = { providers: { [id]: { base_url: 'https://api.evil.test/v1' } } }
  const asked = provider(await open({ net, config }), id)
  expect((await collectFailure(asked)).message).toMatch(/goes to https:/)
  expect(sent).toEqual([])
})

test('ChatGPT is told the account, gets what the system says as instructions, and names its models itself', async () => {
  const { sent, kernel } = await openSignedIn({ account: 'acc-1' })
  const codex = provider(kernel, 'codex')
  await ask(codex, {
    messages: [
      { role: 'system', text: 'Be brief.' },
      { role: 'user', text: 'Hi' },
    ],
  })
  expect(sent[0]).toMatchObject({
    url: 'https://chatgpt.com/backend-api/codex/responses',
    headers: { 'chatgpt-account-id': 'acc-1', originator: 'svc' },
  })
  const body = JSON.parse(sent[0]?.body ?? '{}')
  expect(body).toMatchObject({ instructions: 'Be brief.', store: false, stream: true })
  expect(JSON.stringify(body.input)).not.toContain('Be brief.')
  expect((await codex.models()).map(({ id }) => id)).toContain('gpt-5.5')
  expect(sent).toHaveLength(1)
})

test.for([
  ['gpt-5.2', '/responses'],
  ['claude-sonnet-4-5', '/chat/completions'],
] as const)('Copilot asks %s at %s', async ([model, path]) => {
  const { sent, kernel } = await openSignedIn({ baseUrl: 'https://api.individual.githubcopilot.com' })
  await ask(provider(kernel, 'copilot'), { model })
  expect(sent[0]?.url).toBe(`https://api.individual.githubcopilot.com${path}`)
})

test('the address of Vertex comes with the identity', async () => {
  const baseUrl = 'https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/endpoints/openapi'
  const { sent, kernel } = await openSignedIn({ baseUrl })
  expect(await provider(kernel, 'vertex').status()).toMatchObject({ ready: true })
  await ask(provider(kernel, 'vertex'), { model: 'google/gemini-3-flash-preview' })
  expect(sent[0]?.url).toBe(`${baseUrl}/chat/completions`)
})

test('a token goes as bearer token, also where a key has its own header', async () => {
  const { sent, kernel } = await openSignedIn({ baseUrl: 'https://mine.services.ai.azure.com' })
  await ask(provider(kernel, 'azure-foundry'), { model: 'gpt-5.2' })
  expect(sent[0]?.headers).toMatchObject({ authorization: 'Bearer token-1' })
  expect(sent[0]?.headers).not.toHaveProperty('api-key')
})
