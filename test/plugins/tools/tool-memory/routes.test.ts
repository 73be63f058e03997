/** The memories of the agent as the dashboard shows and changes them. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'

async function open() {
  const desk = await openDashboard({
    plugins: ['tool-memory', 'config'],
    env: { OPENAI_API_KEY: 'sk-otters-0123456789' },
    config: { memory: { memory_char_limit: 120 } },
  })
  const folder = join(desk.kernel.home, 'memories')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'MEMORY.md'),
    'The key is sk-otters-0123456789\n§\n[origin: a web page; not confirmed]\nOtters hold hands\n',
  )
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const entries = '/api/memory/entries'
  return { ...desk, folder, read, entries }
}

test('entries are listed with their origin, and a secret in them is masked', async () => {
  const { ask } = await open()
  const { status, json, text } = await ask('GET', '/api/memory')
  expect([status, text.includes('sk-otters')]).toEqual([200, false])
  expect(json.active).toBe('files')
  expect(json.entries).toMatchObject([
    { target: 'memory', index: 0, origin: null, confirmed: true },
    { target: 'memory', index: 1, content: 'Otters hold hands', origin: 'a web page', confirmed: false },
  ])
  expect(json.builtin_files).toMatchObject([
    { target: 'memory', limit: 120 },
    { target: 'user', characters: 0 },
  ])
})

test('an entry is added, changed, confirmed and forgotten, and one that is gone is said to be', async () => {
  const { ask, entries, read } = await open()
  expect((await ask('POST', entries, { body: { target: 'user', content: 'Likes rivers' } })).status).toBe(200)
  expect(read('USER.md')).toBe('Likes rivers\n')
  const change = { target: 'user', content: 'Likes rivers', replacement: 'Likes lakes' }
  expect((await ask('PUT', entries, { body: change })).status).toBe(200)
  expect((await ask('PUT', entries, { body: change })).status).toBe(404)
  const foreign = { target: 'memory', content: 'Otters hold hands' }
  expect((await ask('PUT', entries, { body: { ...foreign, confirmed: true } })).status).toBe(200)
  expect(read('MEMORY.md')).toContain('[origin: a web page]\nOtters hold hands')
  // Named as it was shown, with its secret masked.
  const [shown] = (await ask('GET', '/api/memory')).json.entries
  expect((await ask('DELETE', entries, { body: { target: 'memory', content: shown.content } })).status).toBe(200)
  expect(read('MEMORY.md')).not.toContain('sk-otters')
  expect((await ask('DELETE', entries, { body: { target: 'memory', content: shown.content } })).status).toBe(404)
  expect(read('USER.md')).toBe('Likes lakes\n')
})

test('what would not fit, or would not be read back as one entry, is refused and nothing is changed', async () => {
  const { ask, entries, read } = await open()
  const before = read('MEMORY.md')
  const add = async (content: string) => (await ask('POST', entries, { body: { target: 'memory', content } })).status
  expect(await add('x'.repeat(121))).toBe(409)
  expect(await add('one\n§\ntwo')).toBe(400)
  expect(await add('[origin: me]\ntrust this')).toBe(400)
  expect(await add('  ')).toBe(400)
  expect(read('MEMORY.md')).toBe(before)
})

test('all is forgotten only after a yes, and the file stays as it was next to the new one', async () => {
  const { ask, read, folder } = await open()
  const before = read('MEMORY.md')
  const reset = (body: object) => ask('POST', '/api/memory/reset', { body })
  expect((await reset({ target: 'all' })).status).toBe(400)
  expect(read('MEMORY.md')).toBe(before)
  expect((await reset({ target: 'all', confirm: true })).json).toMatchObject({ ok: true, removed: 2 })
  expect([read('MEMORY.md'), read('MEMORY.md.bak')]).toEqual(['', before])
  expect((await reset({ target: 'user', confirm: true })).json).toMatchObject({ removed: 0, backups: [] })
  expect(existsSync(join(folder, 'USER.md.bak'))).toBe(false)
})

test('the place for memories is the files of the home, whose limits are settings', async () => {
  const { ask } = await open()
  expect((await ask('PUT', '/api/memory/provider', { body: { provider: 'files' } })).json.active).toBe('files')
  expect((await ask('PUT', '/api/memory/provider', { body: { provider: 'cloud' } })).status).toBe(400)
  const path = '/api/memory/providers/files/config'
  expect((await ask('GET', path)).json.fields).toContainEqual(
    expect.objectContaining({ key: 'memory_char_limit', value: 120 }),
  )
  expect((await ask('GET', '/api/memory/providers/cloud/config')).status).toBe(404)
  expect((await ask('PUT', path, { body: { values: { memory_char_limit: 1 } } })).status).toBe(400)
  expect((await ask('PUT', path, { body: { values: { other: 1 } } })).status).toBe(400)
})

test('the place of memories is made on request, for its owner alone; another one is not there', async () => {
  const { ask, folder, read } = await open()
  const before = read('MEMORY.md')
  const setup = (name: string) => ask('POST', `/api/memory/providers/${name}/setup`, { body: {} })
  expect((await setup('files')).json).toEqual({ ok: true, name: 'files', setup: [] })
  expect(read('MEMORY.md')).toBe(before)
  rmSync(folder, { recursive: true })
  expect((await setup('files')).status).toBe(200)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect((await setup('cloud')).status).toBe(404)
})
