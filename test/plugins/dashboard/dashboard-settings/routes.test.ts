import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeProvider, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { type DeskOptions, openDashboard } from '../dashboard/desk.ts'

async function openSettings(options: DeskOptions = {}) {
  const model = fakeProvider(['hi'])
  const home = mkdtempSync(join(tmpdir(), 'svc-settings-'))
  writeFileSync(join(home, 'config.yaml'), '# mine\nmodel:\n  provider: fake\n  default: fake-1\n')
  const desk = await openDashboard({
    plugins: ['dashboard-settings', 'config', 'models', 'credentials'],
    with: [model.plugin],
    home,
    ...options,
  })
  const yaml = () => readFileSync(join(desk.kernel.home, 'config.yaml'), 'utf8')
  return { ...desk, yaml }
}

test('keys are set one by one, others stay, the diff is shown and taken back', async () => {
  const { ask, yaml } = await openSettings()
  const before = yaml()
  const { json } = await ask('PUT', '/api/config', { body: { edits: { 'model.default': 'fake-2' } } })
  expect(json.change.diff).toContain('fake-2')
  expect((await ask('GET', '/api/config')).json.config.model).toMatchObject({ provider: 'fake', default: 'fake-2' })
  const fields = (await ask('GET', '/api/config/schema')).json.fields
  expect(fields.find(({ path }: { path: string }) => path === 'dashboard.server.port')).toMatchObject({
    type: 'number',
    default: 9119,
    category: 'dashboard',
  })
  const refused = await ask('PUT', '/api/config', { body: { edits: { 'dashboard.server.port': 'many' } } })
  expect(refused.status).toBe(400)
  expect((await ask('GET', '/api/config/changes')).json.changes[0].id).toBe(json.change.id)
  expect((await ask('POST', '/api/config/undo', { body: {} })).status).toBe(200)
  expect(yaml()).toBe(before)
})

test('of two windows that edit one text the second sees a conflict, and nothing is overwritten', async () => {
  const { ask, yaml } = await openSettings()
  const { yaml: base } = (await ask('GET', '/api/config/raw')).json
  const put = (name: string) =>
    ask('PUT', '/api/config/raw', { body: { yaml_text: base.replace('fake-1', name), base } })
  expect((await put('first')).status).toBe(200)
  const second = await put('second')
  expect({ status: second.status, code: second.json.code }).toEqual({ status: 409, code: 'config_edit_conflict' })
  expect(yaml()).toContain('first')
  const broken = await ask('POST', '/api/config/check', { body: { yaml_text: 'model: [' } })
  expect(broken.json.problems[0]).toMatchObject({ severity: 'error' })
  expect((await ask('PUT', '/api/config/raw', { body: { yaml_text: 'model: [' } })).status).toBe(400)
})

test('a secret is written to .env, shown masked, and revealed five times in half a minute', async () => {
  const clock = virtualClock()
  const { ask, kernel } = await openSettings({ clock })
  const [key, value] = ['SVC_DASHBOARD_SESSION_TOKEN', 'sekret-abcdefghijklmnop']
  expect((await ask('PUT', '/api/env', { body: { key, value } })).json).toEqual({ ok: true, key })
  expect(readFileSync(join(kernel.home, '.env'), 'utf8')).toContain(value)
  await kernel.plugins.applyConfig()
  const { text, json } = await ask('GET', '/api/env')
  expect(text).not.toContain(value)
  expect(json.variables.find((each: { key: string }) => each.key === key)).toMatchObject({
    is_set: true,
    is_password: true,
    redacted_value: 'sekr…mnop',
    source: '.env',
  })
  for (let count = 0; count < 5; count++)
    expect((await ask('POST', '/api/env/reveal', { body: { key } })).json).toEqual({ key, value })
  expect((await ask('POST', '/api/env/reveal', { body: { key } })).status).toBe(429)
  await clock.advance(30_001)
  expect((await ask('POST', '/api/env/reveal', { body: { key } })).status).toBe(200)
  expect((await ask('PUT', '/api/env', { body: { key: 'NO_SUCH_NAME', value: 'x' } })).status).toBe(404)
  expect((await ask('DELETE', '/api/env', { body: { key } })).json).toEqual({ ok: true, key })
})

test('the model in use is told as the agent chooses it, and another one is chosen', async () => {
  const { ask, yaml } = await openSettings()
  expect((await ask('GET', '/api/model/info')).json).toMatchObject({ ok: true, provider: 'fake', model: 'fake-1' })
  const options = (await ask('GET', '/api/model/options?include_unconfigured=false')).json
  expect(options).toMatchObject({ provider: 'fake', model: 'fake-1' })
  expect(options.providers.find(({ slug }: { slug: string }) => slug === 'fake')).toMatchObject({ is_current: true })
  expect((await ask('POST', '/api/model/set', { body: { provider: 'none', model: 'x' } })).status).toBe(400)
  expect((await ask('POST', '/api/model/set', { body: { provider: 'fake', model: 'fake-9' } })).json.ok).toBe(true)
  expect(yaml()).toContain('fake-9')
})

test('keys of a provider are kept and never read back', async () => {
  const { ask } = await openSettings()
  const key = 'key-aaaabbbbccccdddd'
  const { id } = (
    await ask('POST', '/api/credentials/pool', { body: { provider: 'fake', api_key: key, label: 'mine' } })
  ).json
  const { text, json } = await ask('GET', '/api/credentials/pool')
  expect(text).not.toContain(key)
  expect(json.entries).toEqual([expect.objectContaining({ id, provider: 'fake', label: 'mine', status: 'ok' })])
  expect((await ask('DELETE', `/api/credentials/pool/fake/${id}`)).status).toBe(200)
  expect((await ask('GET', '/api/credentials/pool')).json.entries).toEqual([])
})

test('defaults are told as config.yaml would have them', async () => {
  const { ask } = await openSettings()
  const { config } = (await ask('GET', '/api/config/defaults')).json
  expect(config).toMatchObject({ dashboard: { server: { port: 9119 } } })
})

test('a provider is asked with what is stored for it, and its refusal is an answer', async () => {
  const { ask } = await openSettings()
  const { json } = await ask('POST', '/api/providers/validate', { body: { provider: 'fake' } })
  expect(json).toMatchObject({ ok: true, models: expect.arrayContaining(['fake-1']) })
  const without = (await ask('POST', '/api/providers/validate', { body: { provider: 'anthropic' } })).json
  expect(without).toMatchObject({ ok: false, models: [] })
  expect(without.message).toContain('ANTHROPIC_API_KEY')
  expect((await ask('POST', '/api/providers/validate', { body: { provider: 'none' } })).status).toBe(404)
  const chosen = await ask('GET', '/api/model/recommended-default?provider=fake')
  expect(chosen.json).toEqual({ provider: 'fake', model: 'fake-1' })
  expect((await ask('GET', '/api/model/recommended-default?provider=anthropic')).status).toBe(409)
})
