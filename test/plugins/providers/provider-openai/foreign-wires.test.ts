import { toResolvedEndpoint } from 'svc/sdk/kit/wire'
import {
  AnthropicWires,
  type ModelEvent,
  type ModelProvider,
  OpenAiWires,
  Providers,
  type WireEndpoint,
} from 'svc/sdk/provider'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startAnthropicServer } from '../../../support/anthropic-server.ts'
import { ask, collectFailure, joinText } from '../../../support/ask-model.ts'
import { startModelServer } from '../../../support/model-server.ts'

type Wire = 'openaiChat' | 'openaiResponses' | 'anthropicMessages'

/** The provider of another plugin, which speaks a wire with a service of its own. */
async function acme(wire: Wire, baseUrl: string, more: Partial<WireEndpoint> = {}): Promise<ModelProvider> {
  const endpoint: WireEndpoint = { name: 'acme', label: 'Acme', baseUrl, key: 'sk-acme-0123456789', ...more }
  const kernel = await testKernel({
    with: [
      {
        name: 'provider-acme',
        requires: ['openai-wires', 'anthropic-wires'],
        contributes: { providers: ['acme'] },
        setup(ctx) {
          ctx.add(Providers, {
            name: 'acme',
            label: 'Acme',
            status: async () => ({ ready: true, detail: 'ready' }),
            models: async () => [],
            stream(request): AsyncIterable<ModelEvent | readonly ModelEvent[]> {
              if (wire === 'anthropicMessages') return ctx.use(AnthropicWires).anthropicMessages(endpoint, request)
              return ctx.use(OpenAiWires)[wire](endpoint, request)
            },
          })
        },
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  const found = kernel.all(Providers).get('acme')
  if (!found) throw new Error(JSON.stringify(kernel.problems()))
  return found
}

async function openAi(options: Parameters<typeof startModelServer>[0] = {}) {
  const server = await startModelServer(options)
  onTestFinished(() => server.close())
  return server
}

test.for(['openaiChat', 'openaiResponses'] as const)(
  'a provider of another plugin speaks %s with its own headers and fields',
  async (wire) => {
    const server = await openAi({ replies: ['Hello from Acme.'] })
    const provider = await acme(wire, `${server.url}/`, {
      headers: ({ model }) => ({ 'x-acme-model': model }),
      body: (fields) => ({ ...fields, acme_tier: 'gold' }),
    })
    expect(joinText(await ask(provider))).toBe('Hello from Acme.')
    const [asked] = server.requests
    expect(asked?.headers).toMatchObject({ authorization: 'Bearer sk-acme-0123456789', 'x-acme-model': 'fake-model' })
    expect(asked?.body).toMatchObject({ acme_tier: 'gold', model: 'fake-model' })
    expect(asked?.path).toContain(wire === 'openaiChat' ? '/chat/completions' : '/responses')
  },
)

test('a provider of another plugin speaks the Messages API', async () => {
  const server = await startAnthropicServer({ replies: ['Hello.'], key: 'sk-acme-0123456789' })
  onTestFinished(() => server.close())
  const provider = await acme('anthropicMessages', server.url, { headers: () => ({ 'x-acme': 'yes' }) })
  expect(joinText(await ask(provider))).toBe('Hello.')
})

test('an error that only this service has is judged by its rules, and named by its label', async () => {
  const server = await openAi({
    replies: [{ fault: { status: 400, message: 'Pay first.', code: 'acme_out_of_credit' } }],
  })
  const errors = [{ code: /^acme_out_of_credit$/, kind: 'billing' }] as const
  const failure = await collectFailure(await acme('openaiChat', server.url, { errors }))
  expect(failure).toMatchObject({ kind: 'billing', message: expect.stringContaining('Acme') })
})

test.for([
  ['http://acme.example/v1', 'HTTPS'],
  ['acme', 'not an address'],
] as const)('a key is not sent to %s', async ([address, reason]) => {
  const failure = await collectFailure(await acme('openaiChat', address))
  expect(failure).toMatchObject({ kind: 'invalid', message: expect.stringContaining(reason) })
})

test.for(['https://acme.example/v1/', 'http://127.0.0.1:9/v1'])('a key may be sent to %s', (baseUrl) => {
  const endpoint = toResolvedEndpoint({ name: 'acme', label: 'Acme', baseUrl, key: 'sk-acme-0123456789' })
  expect(endpoint).toMatchObject({ baseUrl: baseUrl.replace(/\/$/, ''), key: { value: 'sk-acme-0123456789' } })
})
