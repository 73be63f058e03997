import { Providers } from 'svc/sdk/provider'
import { providerContract, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { catalog } from '../../../../plugins/providers/provider-openai/catalog.ts'
import { config } from '../../../../plugins/providers/provider-openai/config.ts'
import { createProvider } from '../../../../plugins/providers/provider-openai/provider.ts'
import { realNet } from '../../../../program/ports.ts'
import { ask, collectFailure, joinText } from '../../../support/ask-model.ts'
import type { ServerKind } from '../../../support/local-servers.ts'
import { customAt, open, provider, serve } from './ask.ts'

const locals = ['ollama', 'lmstudio', 'llama-cpp', 'vllm'] as const

for (const { name, run } of providerContract(async () => {
  const server = await serve({ replies: () => ({ text: ['Hel', 'lo.'], calls: [{ name: 'greet' }] }) })
  return { provider: await customAt(server.url) }
}))
  test(`a compatible server behind the provider contract: ${name}`, run)

test.for(locals)('%s is found, tells its models and answers', async (id) => {
  const server = await serve({ kind: id, models: ['tiny-chat', 'nomic-embed-text', 'chat-2'], replies: ['Hello.'] })
  const found = provider(await open({ config: { providers: { [id]: { base_url: server.origin } } } }), id)
  const place = server.origin.slice('http://'.length)
  expect(await found.status()).toEqual({ ready: true, detail: `it answers on ${place}`, local: true })
  const ids = (await found.models()).map((model) => model.id)
  expect(ids).toEqual(id === 'lmstudio' ? ['chat-2', 'tiny-chat'] : ['tiny-chat', 'chat-2'])
  expect(joinText(await ask(found))).toBe('Hello.')
})

test.for(locals)('what is not %s is not taken for it', async (id) => {
  const kinds: ServerKind[] = ['other', 'openai', ...locals.filter((other) => other !== id)]
  for (const kind of kinds) {
    const server = await serve({ kind })
    const found = provider(await open({ config: { providers: { [id]: { base_url: server.url } } } }), id)
    const place = server.url.slice('http://'.length)
    expect(await found.status(), kind).toEqual({
      ready: false,
      detail: `what answers on ${place} is something else`,
      local: true,
    })
    expect(await found.models(), kind).toEqual([])
  }
})

test.for(['lmstudio', 'llama-cpp', 'vllm'] as const)('%s with a key says so, and is used with it', async (id) => {
  const server = await serve({ kind: id, key: 'local-key', replies: ['Hello.'] })
  const config = { providers: { [id]: { base_url: server.url } } }
  const name = { lmstudio: 'LM_API_KEY', 'llama-cpp': 'LLAMA_API_KEY', vllm: 'VLLM_API_KEY' }[id]
  const status = await provider(await open({ config }), id).status()
  expect(status.ready).toBe(false)
  expect(status.detail).toContain(`wants a key; type \`svc config set ${name} <key>\``)
  const found = provider(await open({ config, env: { [name]: 'local-key' } }), id)
  expect(await found.status()).toMatchObject({ ready: true })
  expect(joinText(await ask(found))).toBe('Hello.')
})

test('a server that is loading or serves nothing is not ready', async () => {
  const loading = await serve({ kind: 'llama-cpp', state: 'loading' })
  const empty = await serve({ kind: 'ollama', models: [] })
  const providers = { 'llama-cpp': { base_url: loading.origin }, ollama: { base_url: empty.origin } }
  const kernel = await open({ config: { providers } })
  expect((await provider(kernel, 'llama-cpp').status()).detail).toContain('is loading its model')
  const status = await provider(kernel, 'ollama').status()
  expect(status).toMatchObject({ ready: false })
  expect(status.detail).toContain('has no model; pull one with `ollama pull <model>`')
})

test('a closed port is told at once, a bad address in words', async () => {
  const server = await serve()
  await server.close()
  const providers = { ollama: { base_url: server.origin }, vllm: { base_url: 'nowhere' } }
  const kernel = await open({ config: { providers } })
  expect((await provider(kernel, 'ollama').status()).detail).toBe(`nothing answers on 127.0.0.1:${server.port}`)
  expect((await provider(kernel, 'vllm').status()).detail).toContain('providers.vllm.base_url is "nowhere"')
  expect(await provider(kernel, 'vllm').models()).toEqual([])
  const failure = await collectFailure(provider(kernel, 'ollama'))
  expect(failure.message).toContain('`svc config set providers.ollama.base_url http://host:port/v1`')
})

test('a port that accepts and says nothing is given up after a quarter of a second', async () => {
  const clock = virtualClock()
  const net = realNet(clock)
  onTestFinished(() => net.close())
  const silent = await serve({ silent: true })
  const kernel = await open({ clock, net, config: { providers: { vllm: { base_url: silent.origin } } } })
  const status = provider(kernel, 'vllm').status()
  await silent.visited
  await clock.advance(250)
  expect(await status).toMatchObject({ ready: false, detail: expect.stringContaining('nothing answers on') })
  expect(clock.pending()).toBe(0)
})

test('a server with two usual ports is found on the one where it is', async () => {
  const entry = catalog.find((one) => one.id === 'llama-cpp')
  if (entry?.kind !== 'local') throw new Error('llama.cpp is a local server')
  const other = await serve({ kind: 'other' })
  const server = await serve({ kind: 'llama-cpp', replies: ['Here.'] })
  const addresses = [other.origin, server.origin]
  const kernel = await open({
    plugins: [],
    with: [
      {
        name: 'two-ports',
        contributes: { providers: ['llama-cpp'] },
        setup(ctx) {
          const host = { use: ctx.use, find: ctx.find, log: ctx.log, config: config.parse({}) }
          ctx.add(Providers, createProvider({ ...entry, addresses }, host))
        },
      },
    ],
  })
  const found = provider(kernel, 'llama-cpp')
  expect(joinText(await ask(found))).toBe('Here.')
  expect(await found.status()).toMatchObject({ ready: true, detail: `it answers on 127.0.0.1:${server.port}` })
})

test('remote providers tell from keys and config alone whether they could be used', async () => {
  const net = { request: () => Promise.reject(new Error('status must not use the network')) }
  const bare = await open({ net })
  expect(await provider(bare, 'openai').status()).toEqual({ ready: false, detail: 'OPENAI_API_KEY is not set' })
  expect(await provider(bare, 'custom').status()).toEqual({ ready: false, detail: 'model.base_url is not set' })
  const set = await open({
    net,
    env: { OPENAI_API_KEY: 'openai-key' },
    config: { model: { base_url: 'http://model.test/v1/' } },
  })
  expect(await provider(set, 'openai').status()).toEqual({ ready: true, detail: 'OPENAI_API_KEY is set (environment)' })
  const status = await provider(set, 'custom').status()
  expect(status).toEqual({ ready: true, detail: 'model.base_url is http://model.test/v1' })
})

test('models of any compatible server are listed, newest first', async () => {
  const server = await serve({ models: ['older', 'newer', 'text-embedding-3'] })
  expect(await (await customAt(server.url)).models()).toEqual([{ id: 'newer' }, { id: 'older' }])
})

test('a list that cannot be had is empty', async () => {
  const locked = await serve({ key: 'right-key' })
  const page = await serve({ kind: 'other' })
  const gone = await serve()
  await gone.close()
  for (const { url } of [locked, page, gone]) expect(await (await customAt(url)).models()).toEqual([])
})
