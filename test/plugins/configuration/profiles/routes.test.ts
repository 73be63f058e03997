/** Profiles as the dashboard changes them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'

const PLUGINS = ['profiles', 'config']

interface Row {
  readonly name: string
}

test('a profile is created with a model and a soul, described, chosen, renamed, deleted and brought back', async () => {
  const { ask, kernel } = await openDashboard({ plugins: PLUGINS })
  const find = async (name: string) =>
    (await ask('GET', '/api/profiles')).json.profiles.find((each: Row) => each.name === name)
  const body = { name: 'work', description: 'Answers mail', provider: 'demo', model: 'demo', soul: 'You are brief.' }
  const made = await ask('POST', '/api/profiles', { body })
  expect(made.json).toMatchObject({ ok: true, name: 'work', skipped: [] })
  const read = (file: string) => readFileSync(join(kernel.home, 'profiles/work', file), 'utf8')
  expect(read('config.yaml')).toBe('model:\n  provider: demo\n  default: demo\n')
  expect(read('SOUL.md')).toBe('You are brief.\n')
  expect(await find('work')).toMatchObject({ model: 'demo', description: 'Answers mail', is_active: false })
  await ask('PUT', '/api/profiles/work/description', { body: { description: 'Reads mail' } })
  expect(await find('work')).toMatchObject({ description: 'Reads mail', description_auto: false })
  expect((await ask('POST', '/api/profiles/active', { body: { name: 'work' } })).json.active).toBe('work')
  expect((await ask('GET', '/api/profiles')).json).toMatchObject({ active: 'work', current: 'default' })
  expect((await ask('DELETE', '/api/profiles/work')).status).toBe(409)
  expect((await ask('PATCH', '/api/profiles/work', { body: { new_name: 'office' } })).json.name).toBe('office')
  expect((await ask('GET', '/api/profiles')).json.active).toBe('office')
  expect((await ask('GET', '/api/profiles/active')).json).toEqual({ active: 'office', current: 'default' })
  const { command } = (await ask('GET', '/api/profiles/office/setup-command')).json
  expect(command).toBe('svc --profile office setup')
  await ask('POST', '/api/profiles/active', { body: { name: 'default' } })
  const { trash } = (await ask('DELETE', '/api/profiles/office')).json
  expect(existsSync(join(trash, 'SOUL.md'))).toBe(true)
  expect(await find('office')).toBeUndefined()
  expect((await ask('POST', '/api/profiles/office/restore')).json).toMatchObject({ ok: true, name: 'office' })
  expect(await find('office')).toMatchObject({ description: 'Reads mail' })
})

test('a copy keeps the comments of its config.yaml, and one that cannot take a model leaves nothing behind', async () => {
  const { ask, kernel } = await openDashboard({ plugins: PLUGINS })
  const source = join(kernel.home, 'profiles/source')
  mkdirSync(source, { recursive: true })
  writeFileSync(join(source, 'config.yaml'), '# mine\nmodel:\n  default: old # for now\n')
  writeFileSync(join(source, '.env'), 'SOME_KEY=made-up\n')
  const copy = { name: 'copy', clone_from: 'source', model: 'new' }
  expect((await ask('POST', '/api/profiles', { body: copy })).status).toBe(200)
  const dir = join(kernel.home, 'profiles/copy')
  expect(readFileSync(join(dir, 'config.yaml'), 'utf8')).toBe('# mine\nmodel:\n  default: new # for now\n')
  expect(readFileSync(join(dir, '.env'), 'utf8')).toContain('SOME_KEY')
  writeFileSync(join(source, 'config.yaml'), 'model: [\n')
  const broken = await ask('POST', '/api/profiles', { body: { ...copy, name: 'other' } })
  expect(broken).toMatchObject({ status: 409, json: { code: 'profile_model' } })
  expect(existsSync(join(kernel.home, 'profiles/other'))).toBe(false)
})

test('names that cannot be, that are taken or that are not there are refused', async () => {
  const { ask } = await openDashboard({ plugins: PLUGINS })
  const create = async (name: string) => (await ask('POST', '/api/profiles', { body: { name } })).status
  expect(await create('work')).toBe(200)
  expect(await create('work')).toBe(409)
  for (const name of ['../work', 'default', 'a b', '.hidden']) expect([name, await create(name)]).toEqual([name, 400])
  expect((await ask('GET', '/api/profiles/nothing/setup-command')).status).toBe(404)
  expect((await ask('POST', '/api/profiles/active', { body: { name: 'nothing' } })).status).toBe(404)
  expect((await ask('PATCH', '/api/profiles/default', { body: { new_name: 'other' } })).status).toBe(409)
  expect((await ask('DELETE', '/api/profiles/default')).status).toBe(409)
  expect((await ask('DELETE', '/api/profiles/nothing')).status).toBe(404)
  expect((await ask('POST', '/api/profiles/nothing/describe-auto')).status).toBe(404)
  const kept = await ask('POST', '/api/profiles/work/describe-auto')
  expect(kept.json).toMatchObject({ ok: false, profile: 'work', reason: expect.any(String) })
})

test('the soul and the model of a profile are changed, not over a change of others', async () => {
  const { ask, kernel } = await openDashboard({ plugins: PLUGINS })
  await ask('POST', '/api/profiles', { body: { name: 'work', soul: 'You are brief.' } })
  const path = '/api/profiles/work/soul'
  expect((await ask('GET', path)).json).toEqual({ name: 'work', content: 'You are brief.\n' })
  const base = 'You are brief.\n'
  expect((await ask('PUT', path, { body: { content: 'You are kind.\n', base } })).json).toEqual({
    ok: true,
    name: 'work',
  })
  expect(await ask('PUT', path, { body: { content: 'Lost', base } })).toMatchObject({ status: 409 })
  expect((await ask('GET', path)).json.content).toBe('You are kind.\n')
  expect((await ask('GET', '/api/profiles/none/soul')).status).toBe(404)
  const body = { provider: 'demo', model: 'demo' }
  expect((await ask('PUT', '/api/profiles/work/model', { body })).json).toMatchObject({ ok: true, ...body })
  const file = join(kernel.home, 'profiles/work/config.yaml')
  expect(readFileSync(file, 'utf8')).toBe('model:\n  provider: demo\n  default: demo\n')
  expect((await ask('PUT', '/api/profiles/default/model', { body })).status).toBe(409)
})
