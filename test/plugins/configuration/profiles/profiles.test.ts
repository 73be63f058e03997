/** `svc profile`: what it makes, moves and refuses. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Control } from 'svc/sdk/host'
import { type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { parseNewName } from '../../../../plugins/configuration/profiles/names.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

const DAY_MS = 86_400_000

async function open(files: Readonly<Record<string, string>> = {}) {
  const home = temporaryFolder()
  writeFiles(home, files)
  const clock = virtualClock()
  const kernel = await testKernel({ plugins: ['profiles'], home, clock })
  onTestFinished(() => kernel.stop())
  const svc = async (...argv: string[]) => await kernel.run(['profile', ...argv])
  return { home, clock, kernel, svc, at: (path: string) => join(home, 'profiles', path) }
}

function readJson({ out }: { readonly out: string }) {
  return JSON.parse(out) as Record<string, unknown> & { readonly profiles: readonly Record<string, unknown>[] }
}

test('a profile is created for its owner only, with its description, and is listed', async () => {
  const { svc, at, home } = await open()
  expect(await svc('create', 'work', '--description', ' Answers mail: daily ')).toMatchObject({ code: 0 })
  expect(statSync(at('work')).mode & 0o777).toBe(0o700)
  expect(parse(readFileSync(at('work/profile.yaml'), 'utf8'))).toEqual({
    description: 'Answers mail: daily',
    description_auto: false,
  })
  expect(readJson(await svc('list', '--json')).profiles).toEqual([
    expect.objectContaining({ name: 'default', path: home, is_default: true, is_active: true, description: '' }),
    expect.objectContaining({ name: 'work', path: at('work'), is_active: false, description: 'Answers mail: daily' }),
  ])
  expect((await svc()).out).toMatch(/^work .*Answers mail: daily$/m)
  expect((await svc('show', 'WORK')).out).toContain(at('work'))
  expect(readdirSync(at('')).filter((name) => name.startsWith('.'))).toEqual([])
})

test.for([
  ...['', '..', '../x', 'a/b', 'a\\b', '/etc', '.hidden', 'a b', 'a.b', 'ünicode', 'a\u0300', 'ﬁ', 'İ', 'x'.repeat(65)],
  ...['default', 'Default', 'svc', 'root', 'sudo', 'tmp', 'test', 'con', 'LPT1', '_a'],
])('%j cannot be the name of a profile', (name) => {
  expect(() => parseNewName(name)).toThrow(expect.objectContaining({ code: 'PROFILE_NAME' }))
})

test('a name that leads elsewhere makes nothing', async () => {
  const { svc, home } = await open({ 'profiles/work/.env': 'A=b\n' })
  for (const words of [
    ['create', '../x'],
    ['rename', 'work', 'a/b'],
    ['restore', '../../x'],
    ['use', '..'],
  ])
    expect(await svc(...words)).toMatchObject({ code: 1, out: '' })
  expect(readdirSync(join(home, 'profiles'))).toEqual(['work'])
})

test('a name is lower-cased, and one that differs only in case is taken', async () => {
  const { svc, at } = await open({ 'profiles/Old/config.yaml': '' })
  expect((await svc('create', 'Work')).code).toBe(0)
  expect(existsSync(at('work'))).toBe(true)
  expect((await svc('create', 'WORK')).err).toContain('PROFILE_TAKEN')
  expect((await svc('create', 'old')).err).toContain('PROFILE_TAKEN')
  expect((await svc('create', 'new')).code).toBe(0)
  expect((await svc('rename', 'new', 'wOrk')).err).toContain('PROFILE_TAKEN')
})

test('--no-skills switches built-in skills off in the new home alone', async () => {
  const { svc, at, home } = await open()
  expect((await svc('create', 'bare', '--no-skills')).code).toBe(0)
  expect((await svc('create', 'full')).code).toBe(0)
  const markers = [at('bare'), at('full'), home].map((dir) => existsSync(join(dir, '.no-bundled-skills')))
  expect(markers).toEqual([true, false, false])
  expect((await svc('create', 'copy', '--clone', '--no-skills')).err).toContain('--no-skills')
})

test('without the plugin for built-in skills --no-skills is refused, and nothing is made', async () => {
  const kernel = await testKernel({ plugins: ['profiles'], config: { plugins: { disabled: ['skill-seeds'] } } })
  onTestFinished(() => kernel.stop())
  expect((await kernel.run(['profile', 'create', 'bare', '--no-skills'])).err).toContain('PROFILE_SKILLS')
  expect(existsSync(join(kernel.home, 'profiles/bare'))).toBe(false)
})

const full = {
  'config.yaml': '# mine\nmodel: { provider: openai, default: gpt-9 }\n',
  '.env': 'OPENAI_API_KEY=sk-0123456789abcdef\n',
  'SOUL.md': 'Be brief.\n',
  'skills/mail/SKILL.md': '---\nname: mail\ndescription: Mail.\n---\n',
  'skills/.seeding.lock': '{}',
  'memories/USER.md': 'Likes tea.\n',
  'data/sessions/sessions.db': 'conversations',
  'logs/svc.log': 'lines',
  'plugins/evil/index.js': 'code',
}

test('a clone takes along what plugins name as portable and the keys, and nothing else', async () => {
  const { svc, at, home } = await open(full)
  symlinkSync('/etc', join(home, 'skills/link'))
  const made = readJson(await svc('create', 'lab', '--clone', '--json'))
  expect(made).toMatchObject({ ok: true, name: 'lab', skipped: ['skills/link'] })
  const copied = ['config.yaml', '.env', 'SOUL.md', 'skills/mail/SKILL.md', 'memories/USER.md'] as const
  for (const path of copied) expect(readFileSync(at(`lab/${path}`), 'utf8')).toBe(full[path])
  expect(readdirSync(at('lab')).sort()).toEqual([
    ...['.env', 'SOUL.md', 'config.yaml', 'memories', 'profile.yaml', 'skills'],
  ])
  expect(readdirSync(at('lab/skills'))).toEqual(['mail'])
  expect(statSync(at('lab/.env')).mode & 0o777).toBe(0o600)
  expect(readJson(await svc('show', 'lab', '--json'))).toMatchObject({
    ...{ model: 'gpt-9', provider: 'openai', has_env: true, skill_count: 1 },
  })
  writeFileSync(at('lab/SOUL.md'), 'Sing.')
  expect((await svc('create', 'two', '--clone-from', 'lab')).code).toBe(0)
  expect(readFileSync(at('two/SOUL.md'), 'utf8')).toBe('Sing.')
  expect((await svc('create', 'three', '--clone-from', 'nope')).err).toContain('PROFILE_NOT_FOUND')
})

test('the active profile is chosen, follows a rename, and cannot be deleted', async () => {
  const { svc, home } = await open()
  const active = () =>
    existsSync(join(home, 'active_profile')) ? readFileSync(join(home, 'active_profile'), 'utf8') : ''
  await svc('create', 'work')
  expect((await svc('use', 'nope')).err).toContain('PROFILE_NOT_FOUND')
  expect((await svc('use', 'work')).code).toBe(0)
  expect(active()).toBe('work\n')
  expect((await svc('delete', 'work', '--yes')).err).toContain('svc profile use default')
  expect((await svc('rename', 'work', 'office')).code).toBe(0)
  expect(active()).toBe('office\n')
  expect((await svc('use', 'default')).code).toBe(0)
  expect(active()).toBe('')
  expect((await svc('delete', 'office', '--yes')).code).toBe(0)
  for (const words of [
    ['delete', 'default', '--yes'],
    ['rename', 'default', 'x'],
  ])
    expect((await svc(...words)).err).toContain('PROFILE_IN_USE')
})

test('an active profile that is gone is said', async () => {
  const { svc } = await open({ active_profile: 'gone\n' })
  expect((await svc('list')).err).toContain('the active profile gone is gone')
})

test('a deleted profile comes back whole, and is thrown away when its time is over', async () => {
  const { svc, at, home, clock } = await open({ 'profiles/work/.env': 'A=b\n' })
  const { trash } = readJson(await svc('delete', 'work', '--yes', '--json'))
  expect([existsSync(at('work')), readFileSync(join(String(trash), '.env'), 'utf8')]).toEqual([false, 'A=b\n'])
  await svc('create', 'work')
  expect((await svc('restore', 'work')).err).toContain('PROFILE_TAKEN')
  await svc('rename', 'work', 'other')
  expect((await svc('restore', 'work')).code).toBe(0)
  expect(readFileSync(at('work/.env'), 'utf8')).toBe('A=b\n')
  expect(readdirSync(join(home, 'trash/profiles'))).toEqual([])
  await svc('delete', 'work', '--yes')
  await clock.advance(29 * DAY_MS)
  await svc('delete', 'other', '--yes')
  expect(readdirSync(join(home, 'trash/profiles'))).toHaveLength(2)
  await svc('create', 'third')
  await clock.advance(2 * DAY_MS)
  await svc('delete', 'third', '--yes')
  expect(readdirSync(join(home, 'trash/profiles'))).toHaveLength(2)
  expect((await svc('restore', 'work')).err).toContain('PROFILE_NOT_FOUND')
})

test('a profile in which svc runs is neither renamed nor deleted', async () => {
  const { svc, at } = await open()
  await svc('create', 'work')
  const other: TestKernel = await testKernel({ plugins: ['control'], home: at('work') })
  onTestFinished(() => other.stop())
  await using _ = await other.use(Control).serve('gateway')
  // It is of this very process, which is not counted: a socket of another one stands for it.
  const socket = readdirSync(at('work/run'))[0] ?? ''
  mkdirSync(at('work/run'), { recursive: true })
  symlinkSync(socket, at('work/run/1.sock'))
  expect(readJson(await svc('show', 'work', '--json'))).toMatchObject({ gateway_running: true })
  for (const words of [
    ['delete', 'work', '--yes'],
    ['rename', 'work', 'x'],
  ])
    expect((await svc(...words)).err).toContain('svc runs in it: gateway (process 1)')
})

test('a description that cannot be read counts as empty, and the file is kept when another is written', async () => {
  const { readDescription, writeDescription } = await import(
    '../../../../plugins/configuration/profiles/description.ts'
  )
  for (const text of [
    '{',
    'description: [1]',
    '- a',
    '\0',
    'a: &a [*a]\nb: *a',
    'x'.repeat(70_000),
    'description: 7',
  ]) {
    const dir = temporaryFolder()
    writeFiles(dir, { 'profile.yaml': text })
    expect(readDescription(dir)).toEqual({ description: '', description_auto: false })
    const kept = await writeDescription(dir, { description: 'New.', description_auto: true }, 0)
    expect(readFileSync(join(dir, kept ?? ''), 'utf8')).toBe(text)
    expect(readDescription(dir)).toEqual({ description: 'New.', description_auto: true })
  }
  const dir = temporaryFolder()
  writeFiles(dir, { 'profile.yaml': 'description: Old.\ncolour: red\n' })
  expect(await writeDescription(dir, { description: 'New.', description_auto: false }, 0)).toBeUndefined()
  expect(parse(readFileSync(join(dir, 'profile.yaml'), 'utf8'))).toMatchObject({ colour: 'red', description: 'New.' })
})
