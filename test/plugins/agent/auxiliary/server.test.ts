import { AuxiliaryModels } from 'svc/sdk'
import { ModelServers } from 'svc/sdk/provider'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type ModelServerOptions, startModelServer } from '../../../support/model-server.ts'

/** Side work with its own server; no one else is connected. */
async function open(options: ModelServerOptions, more: object = {}, env: Record<string, string> = {}) {
  const server = await startModelServer(options)
  onTestFinished(() => server.close())
  const kernel = await testKernel({
    plugins: ['auxiliary', 'provider-openai'],
    clock: virtualClock(),
    env,
    config: { auxiliary: { title: { base_url: server.url, ...more } } },
  })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  const work = kernel.use(AuxiliaryModels)
  const ask = () => work.ask({ slot: 'title', messages: [{ role: 'user', text: 'Name this.' }] })
  return { kernel, server, work, ask }
}

test('a slot with an address of its own asks that server, with the key of its variable', async () => {
  const { server, ask, work } = await open(
    { replies: ['Ships.'], key: 'small-key' },
    { key_env: 'SMALL_KEY', model: 'small-1' },
    { SMALL_KEY: 'small-key' },
  )
  expect(await ask()).toMatchObject({ text: 'Ships.', provider: 'auxiliary:title', model: 'small-1' })
  expect(server.requests.map(({ body }) => body['model'])).toEqual(['small-1'])
  expect(work.slots().find(({ slot }) => slot === 'title')).toMatchObject({ provider: server.url, model: 'small-1' })
})

test('without a model the newest that the server lists does the work', async () => {
  const { ask } = await open({ replies: ['Ships.'], models: ['older', 'newer'] })
  expect(await ask()).toMatchObject({ model: 'newer' })
})

test('a server that lists no model is told of with what to type', async () => {
  const { ask } = await open({ models: [] })
  await expect(ask()).rejects.toThrow(/does not list its models.*svc config set auxiliary\.title\.model <model>/)
})

test('an address that is none is told with the key that holds it', async () => {
  const { ask } = await open({}, { base_url: 'small.local/v1', model: 'm' })
  await expect(ask()).rejects.toThrow(/auxiliary\.title\.base_url is "small\.local\/v1", but it must begin with http/)
})

test('the key of a vendor is not sent to a server of another name', async () => {
  const { server, ask } = await open(
    {},
    { key_env: 'GROQ_API_KEY', base_url: 'https://model.test/v1', model: 'm' },
    { GROQ_API_KEY: 'groq-key' },
  )
  await expect(ask()).rejects.toThrow(/the key of Groq goes to https:\/\/api\.groq\.com only/)
  expect(server.requests).toEqual([])
})

test('a server in the chain is asked when the first one fails', async () => {
  const second = await startModelServer({ replies: ['From the second.'] })
  onTestFinished(() => second.close())
  const { ask } = await open(
    { replies: [{ fault: { status: 400, body: '{"error":{"message":"No."}}' } }] },
    { model: 'a', fallback_chain: [{ base_url: second.url, model: 'b' }] },
  )
  expect(await ask()).toMatchObject({ text: 'From the second.', model: 'b' })
})

test('the same server is the same provider, so that what it refused is not asked of it again', async () => {
  const { kernel, server } = await open({})
  const at = () => kernel.use(ModelServers).at({ name: 'x', label: 'X', baseUrl: server.url, setting: 'x.base_url' })
  expect(at()).toBe(at())
})

test('a slot with another provider than the chat and no model is done by its cheap model', async () => {
  const server = await startModelServer({ replies: ['Ships.'] })
  onTestFinished(() => server.close())
  const kernel = await testKernel({
    plugins: ['auxiliary', 'provider-openai'],
    clock: virtualClock(),
    env: { STEPFUN_API_KEY: 'step-key', STEPFUN_BASE_URL: server.url },
    config: { model: { provider: 'openai', default: 'gpt-5.2' }, auxiliary: { title: { provider: 'stepfun' } } },
  })
  onTestFinished(() => kernel.stop())
  const messages = [{ role: 'user', text: 'Name this.' }] as const
  const answer = await kernel.use(AuxiliaryModels).ask({ slot: 'title', messages })
  expect(answer).toMatchObject({ provider: 'stepfun', model: 'step-3.5-flash' })
})
