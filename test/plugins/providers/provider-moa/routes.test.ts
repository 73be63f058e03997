/** The mixtures of models in the dashboard: read, set, and refused where they could not answer. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeProvider } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'

const preset = {
  reference_models: [
    { provider: 'fake', model: 'fake-1' },
    { provider: 'fake', model: 'fake-2' },
  ],
  aggregator: { provider: 'fake', model: 'fake-1' },
}
const whole = { ...preset, enabled: true, max_tokens: 4096, timeout: 300 }

async function openDesk(config: Record<string, unknown> = {}) {
  const model = fakeProvider([])
  const home = temporaryFolder()
  const settings = { model: { provider: 'fake', default: 'fake-1' }, ...config }
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(settings))
  const desk = await openDashboard({ home, plugins: ['provider-moa', 'config'], with: [model.plugin] })
  return {
    ...desk,
    read: async () => (await desk.ask('GET', '/api/model/moa')).json,
    set: (body: unknown) => desk.ask('PUT', '/api/model/moa', { body }),
    stored: () => readFileSync(join(desk.kernel.home, 'config.yaml'), 'utf8'),
  }
}

test('presets are set as a whole, written to the configuration, and read as they are', async () => {
  const { read, set, stored } = await openDesk()
  expect(await read()).toEqual({ default_preset: 'default', active_preset: null, presets: {} })
  const done = await set({ presets: { default: preset, small: { ...preset, max_tokens: 100 } } })
  expect([done.status, done.json.presets]).toEqual([200, { default: whole, small: { ...whole, max_tokens: 100 } }])
  expect(Object.keys((await read()).presets)).toEqual(['default', 'small'])
  expect(stored()).toMatch(/max_tokens"?: 100/)
  expect((await set({ default_preset: 'small' })).json.default_preset).toBe('small')
  // A preset that is not in the list is removed, unless it is the default.
  expect((await set({ presets: { default: preset } })).status).toBe(400)
  expect((await set({ default_preset: 'default', presets: { default: preset } })).status).toBe(200)
  expect(Object.keys((await read()).presets)).toEqual(['default'])
})

test('a preset that could not answer is refused, and nothing is written', async () => {
  const { read, set } = await openDesk({ moa: { presets: { default: preset } } })
  const refused = async (body: unknown) => {
    const { status, json } = await set(body)
    return [status, json.detail]
  }
  const withModel = (model: object) => ({ presets: { default: { ...preset, aggregator: model } } })
  expect(await refused(withModel({ provider: 'moa', model: 'default' }))).toEqual([
    400,
    expect.stringContaining('one of its own models'),
  ])
  expect(await refused(withModel({ provider: 'nowhere', model: 'x' }))).toEqual([
    400,
    expect.stringContaining('no provider "nowhere"'),
  ])
  expect(await refused({ default_preset: 'gone' })).toEqual([400, expect.stringContaining('There are: default')])
  expect((await set({ presets: { default: { ...preset, reference_models: [] } } })).status).toBe(400)
  expect((await set({ presets: { 'a b': preset } })).status).toBe(400)
  expect((await read()).presets).toEqual({ default: whole })
})

test('the mixture that answers is told', async () => {
  const { read } = await openDesk({
    moa: { presets: { default: preset } },
    model: { provider: 'moa', default: 'default' },
  })
  expect((await read()).active_preset).toBe('default')
})
