import { Models } from 'svc/sdk'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type ModelServer, startModelServer } from '../../../support/model-server.ts'

/** Addresses of closed ports for all local servers, and other ones for some. */
async function providers(servers: Readonly<Record<string, ModelServer>> = {}): Promise<object> {
  const closed = await startModelServer()
  await closed.close()
  const ids = ['ollama', 'lmstudio', 'llama-cpp', 'vllm']
  return Object.fromEntries(ids.map((id) => [id, { base_url: servers[id]?.origin ?? closed.origin }]))
}

async function open(config: object, env: Record<string, string> = {}): Promise<Models> {
  const kernel = await testKernel({ plugins: ['models'], config: { ...config }, env, clock: virtualClock() })
  onTestFinished(() => kernel.stop())
  return kernel.use(Models)
}

test('the model of a local server answers a newcomer', async () => {
  const vllm = await startModelServer({ kind: 'vllm', models: ['org/model'] })
  onTestFinished(() => vllm.close())
  const models = await open({ providers: await providers({ vllm }) }, { OPENAI_API_KEY: 'openai-key' })
  const choice = await models.choose()
  expect([choice.provider.name, choice.model, choice.source]).toEqual(['vllm', 'org/model', 'found'])
  expect(choice.notes.join('\n')).toContain('OPENAI_API_KEY is set (environment), but it is not used until')
})

test('a newcomer with nothing at all gets the demo, and is told how to connect a model', async () => {
  const models = await open({ providers: await providers() })
  const choice = await models.choose()
  expect([choice.provider.name, choice.model, choice.source]).toEqual(['demo', 'demo', 'demo'])
  expect(choice.notes).toHaveLength(2)
  await expect(models.choose({ withoutDemo: true })).rejects.toThrow(
    /^No model is connected\. Looked for: OpenAI \(OPENAI_API_KEY is not set\), .*Ollama \(nothing answers on 127/,
  )
})

test('a configured server is not visited before it is needed', async () => {
  const server = await startModelServer({ replies: [] })
  onTestFinished(() => server.close())
  const models = await open({ model: { provider: 'custom', base_url: server.url, default: 'fake-model' } })
  expect((await models.choose()).model).toBe('fake-model')
  expect(server.visits).toEqual([])
  expect(server.connections).toBe(0)
})

test('the only model of a compatible server need not be named', async () => {
  const server = await startModelServer({ models: ['the-one'] })
  onTestFinished(() => server.close())
  const models = await open({ model: { provider: 'custom', base_url: server.url } })
  expect((await models.choose()).model).toBe('the-one')
})
