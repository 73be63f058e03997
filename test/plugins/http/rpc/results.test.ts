import { definePlugin } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { startProgram } from './program.ts'

test('each method says what it takes and what it answers', async () => {
  const { get } = await startProgram(['hi'])
  const { methods } = (await get('rpc.discover')) as {
    methods: readonly { name: string; summary: string; result: object }[]
  }
  expect(methods.length).toBeGreaterThan(25)
  expect(methods.filter(({ result }) => Object.keys(result).length === 0).map(({ name }) => name)).toEqual([])
})

test('methods without a session answer what they say', async () => {
  const { get } = await startProgram(['hi'])
  expect(await get('commands.catalog')).toMatchObject({ commands: expect.arrayContaining([expect.anything()]) })
  expect(await get('session.most_recent')).toEqual({ id: null })
  expect(await get('tools.list')).toHaveProperty('toolsets')
  expect(await get('model.options', { provider: 'fake' })).toMatchObject({ provider: 'fake' })
  expect(await get('config.get', { key: 'model.default' })).toMatchObject({ key: 'model.default' })
})

test('the strict check asks the provider, as the agent chose it; the other one only what was chosen', async () => {
  const { get } = await startProgram(['hi'])
  expect(await get('setup.runtime_check')).toMatchObject({ ok: true, provider: 'fake', source: 'configured' })
  expect(await get('setup.runtime_check', { provider: 'nothing' })).toMatchObject({
    ...{ ok: false, provider_configured: false, code: 'MODEL_PROVIDER_UNKNOWN' },
    error: expect.stringContaining('nothing'),
  })
  const shut = {
    ...{ name: 'shut', label: 'Shut', models: async () => [], stream: async function* () {} },
    status: async () => ({ ready: false, detail: 'FAKE_KEY is not set.' }),
  }
  const other = await startProgram(['hi'], {
    with: [
      {
        ...definePlugin({ setup: (ctx) => void ctx.add(Providers, shut) }),
        name: 'shut-provider',
      },
    ],
    config: { model: { provider: 'shut', default: 'fake-1' } },
  })
  expect(await other.get('setup.runtime_check')).toMatchObject({ ok: false, error: 'FAKE_KEY is not set.' })
  expect(await other.get('setup.status')).toMatchObject({ ok: true, provider: 'shut' })
})
