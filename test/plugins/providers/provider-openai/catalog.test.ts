import { Plugins } from 'svc/sdk/host'
import { Providers } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { catalog } from '../../../../plugins/providers/provider-openai/catalog.ts'
import { ask, collectFailure, joinText } from '../../../support/ask-model.ts'
import { open, provider, serve } from './ask.ts'

test('every service says how one signs in and which other words mean it, and no word means two', async () => {
  const all = (await open()).all(Providers).all()
  const words = all.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  expect(new Set(words).size).toBe(words.length)
  expect(words).toEqual(expect.arrayContaining(['grok', 'azure', 'kimi', 'hf', 'glm', 'nim', 'llama.cpp']))
  for (const { auth } of all) {
    if (auth?.type === 'api-key') expect(auth.page).toMatch(/^https:\/\//)
    if (auth?.type?.endsWith('-key')) expect(auth?.keyNames?.length).toBeGreaterThan(0)
  }
  const names = new Set(all.map(({ name }) => name))
  expect(catalog.filter(({ id }) => !names.has(id))).toEqual([])
})

test('a server with a name is its own provider, with its key, headers and fields', async () => {
  const server = await serve({ replies: ['Box.', 'Box.'], models: ['a-model'] })
  const box = {
    base_url: server.url,
    key_env: 'BOX_KEY',
    extra_headers: { 'x-team': 'blue' },
    extra_body: { top_k: 4, temperature: 0, model: 'mine' },
  }
  const kernel = await open({ env: { BOX_KEY: 'box-key' }, config: { providers: { box } } })
  const asked = provider(kernel, 'custom:box')
  expect(asked).toMatchObject({ label: 'box', auth: { type: 'optional-key', keyNames: ['BOX_KEY'] } })
  expect(await asked.models()).toEqual([{ id: 'a-model' }])
  expect(joinText(await ask(asked, { temperature: 1 }))).toBe('Box.')
  expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer box-key', 'x-team': 'blue' })
  expect(server.requests[0]?.body).toMatchObject({ model: 'fake-model', top_k: 4, temperature: 0 })
})

test('a server with a name can be asked by the Responses API, and its models named', async () => {
  const server = await serve({ replies: ['Box.'], kind: 'openai' })
  await server.close()
  const gone = { base_url: server.url, api_mode: 'responses', models: ['one', 'two', 'one'] }
  const kernel = await open({ config: { providers: { gone } } })
  expect(await provider(kernel, 'custom:gone').models()).toEqual([{ id: 'one' }, { id: 'two' }])
  const other = await serve({ replies: ['Hi'] })
  const box = { base_url: other.url, api_mode: 'codex_responses' }
  await ask(provider(await open({ config: { providers: { box } } }), 'custom:box'))
  expect(other.requests[0]?.path).toBe('/v1/responses')
})

test.for(['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'Z_AI_API_KEY'])(
  'a server with a name does not get %s of a vendor',
  async (key_env) => {
    const sent: unknown[] = []
    const net = { request: (each: unknown) => Promise.reject(sent.push(each)) }
    const config = { providers: { box: { base_url: 'https://box.test/v1', key_env } } }
    const asked = provider(await open({ net, env: { [key_env]: 'a-key' }, config }), 'custom:box')
    expect((await collectFailure(asked)).message).toMatch(
      /providers\.box\.base_url is https:\/\/box\.test, but the key of/,
    )
    expect(sent).toEqual([])
  },
)

test('blocks of other providers and blocks without an address are no servers', async () => {
  const providers = { anthropic: { base_url: 'https://api.anthropic.com' }, empty: { key_env: 'X' } }
  const kernel = await open({ plugins: ['provider-openai', 'provider-anthropic'], config: { providers } })
  const names = kernel
    .all(Providers)
    .all()
    .map(({ name }) => name)
  expect(names.filter((name) => name.startsWith('custom:'))).toEqual([])
})

test('a server with a name outlives a reload of the plugin', async () => {
  const server = await serve({ replies: ['Hi'] })
  const kernel = await open({ config: { providers: { box: { base_url: server.url } } } })
  await kernel.use(Plugins).reload('provider-openai')
  expect(joinText(await ask(provider(kernel, 'custom:box')))).toBe('Hi')
  expect(kernel.problems()).toEqual([])
})
