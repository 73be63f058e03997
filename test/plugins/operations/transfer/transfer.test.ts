/** Stories of people who change machines. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { Control } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { talk } from '../../sessions/sessions-cli/support.ts'
import { openMachine, packEntries, readEntries } from './support.ts'

const laptop = (folder: string) => ({
  'config.yaml': `# my settings\nmodel:\n  provider: demo\n  api_key: inline-key-4711\nterminal:\n  cwd: ${folder}\n`,
  '.env': 'OPENAI_API_KEY=sk-env-key-0815\n',
  'auth.json': '{"token":"sign-in-0815"}',
  'SOUL.md': 'Be brief. My key is sk-env-key-0815.\n',
  'skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies up.\n---\n',
  'memories/USER.md': 'Likes tea.\n',
  'skill-bundles/a.yaml': 'skills: [tidy]\n',
  'profiles/work/config.yaml': 'model:\n  provider: demo\n  token: profile-token-99\n',
  'profiles/work/.env': 'X_KEY=profile-key-4711\n',
  'profiles/work/memories/USER.md': 'Works late.\n',
  active_profile: 'work\n',
  'plugins/evil/index.js': 'code',
  'logs/svc.log': 'log',
  'cache/x.json': '{}',
  'data/approvals/approvals.db': 'grants',
  'processes.json': '[]',
  'workspace/big.bin': 'x',
})

test('what is mine is on the other machine; keys, paths, code and state of the machine are not', async () => {
  const folder = temporaryFolder()
  const one = await openMachine(laptop(folder))
  const { id } = talk(one.kernel.use(Sessions), ['where is the tea?', 'On the shelf.'])
  const made = await one.ask('export')
  expect(made.file).toBe(join(one.place, 'svc-export-2026-01-01-000000.tar.gz'))
  expect(statSync(made.file).mode & 0o777).toBe(0o600)
  expect(made.notes).toEqual(
    expect.arrayContaining([
      'model.api_key of config.yaml was left out: it is secret.',
      'terminal.cwd of config.yaml was left out: it names a file of the machine.',
      'model.token of profiles/work/config.yaml was left out: it is secret.',
      '*** stands for keys in SOUL.md.',
    ]),
  )
  const entries = await readEntries(readFileSync(made.file))
  expect(
    Object.keys(entries)
      .filter((name) => name.startsWith('home/') && !name.endsWith('/'))
      .sort(),
  ).toEqual(
    [
      ...['SOUL.md', 'active_profile', 'config.yaml', 'data/sessions/sessions.db', 'memories/USER.md'],
      ...[
        'profiles/work/config.yaml',
        'profiles/work/memories/USER.md',
        'skill-bundles/a.yaml',
        'skills/tidy/SKILL.md',
      ],
    ].map((path) => `home/${path}`),
  )
  const all = JSON.stringify(entries)
  for (const secret of ['inline-key-4711', 'sk-env-key-0815', 'sign-in-0815', 'profile-token-99', 'profile-key-4711'])
    expect(all, secret).not.toContain(secret)
  expect(all).not.toContain(folder)

  const two = await openMachine({ 'logs/svc.log': 'log', '.env': 'OPENAI_API_KEY=sk-of-two-1234\n' })
  const taken = await two.ask('import', made.file, '--yes')
  expect(taken).toMatchObject({ files: 9, replaced: [], ignored: [] })
  expect(readFileSync(two.at('config.yaml'), 'utf8')).toBe('# my settings\nmodel:\n  provider: demo\nterminal: {}\n')
  expect(readFileSync(two.at('memories/USER.md'), 'utf8')).toBe('Likes tea.\n')
  expect(readFileSync(two.at('.env'), 'utf8')).toContain('sk-of-two-1234')
  await using there = await testKernel({ plugins: ['sessions'], home: two.home })
  expect(there.use(Sessions).open(id).history()).toMatchObject([
    { text: 'where is the tea?' },
    { text: 'On the shelf.' },
  ])
})

test('settings are taken over only after a yes, also where nothing is replaced, and what they can do is said', async () => {
  const one = await openMachine({ 'config.yaml': 'agent:\n  max_turns: 7\n' })
  const { file } = await one.ask('export')
  const two = await openMachine({ 'workspace/x': 'x' })
  const said = await two.run(['import', file])
  expect(said).toMatchObject({ code: 1, err: expect.stringContaining('add --yes') })
  const declined = await two.run(['import', file], { interactive: true, answers: ['n'] })
  expect(declined).toMatchObject({ code: 1, out: expect.stringContaining('can start programs') })
  expect(existsSync(two.at('config.yaml'))).toBe(false)
  expect(await two.run(['import', file, '--yes'])).toMatchObject({ code: 0 })
  expect(readFileSync(two.at('config.yaml'), 'utf8')).toContain('max_turns: 7')
})

test('an import asks before it replaces, leaves what it does not replace, and can be undone', async () => {
  const one = await openMachine({ 'SOUL.md': 'of one', 'skills/a/SKILL.md': 'a of one' })
  const { file } = await one.ask('export')
  const two = await openMachine({ 'SOUL.md': 'of two', 'skills/b/SKILL.md': 'b of two', 'workspace/x': 'x' })
  const before = ['SOUL.md', 'skills/b/SKILL.md', 'workspace/x'].map((path) => readFileSync(two.at(path), 'utf8'))
  const plan = await two.ask('import', file, '--dry-run')
  expect(plan).toMatchObject({ dryRun: true, replaced: ['SOUL.md'], files: 2 })
  const refused = await two.run(['import', file])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('add --yes') })
  const declined = await two.run(['import', file], { interactive: true, answers: ['n'] })
  expect(declined).toMatchObject({ code: 1, out: expect.stringContaining('SOUL.md') })
  expect(readdirSync(two.place)).toEqual(['home'])
  expect(['SOUL.md', 'skills/b/SKILL.md', 'workspace/x'].map((path) => readFileSync(two.at(path), 'utf8'))).toEqual(
    before,
  )

  const { code, out } = await two.run(['import', file], { interactive: true, answers: ['y'] })
  expect(code).toBe(0)
  expect(out).toContain('svc backup restore --undo')
  const read = (path: string) => readFileSync(two.at(path), 'utf8')
  expect([read('SOUL.md'), read('skills/a/SKILL.md'), read('skills/b/SKILL.md'), read('workspace/x')]).toEqual([
    ...['of one', 'a of one', 'b of two', 'x'],
  ])
  expect(readdirSync(join(two.place, 'home-backups'))).toHaveLength(1)
  await two.clock.advance(1000)
  expect(await two.run(['backup', 'restore', '--undo', '--yes'])).toMatchObject({ code: 0 })
  expect(read('SOUL.md')).toBe('of two')
  expect(existsSync(two.at('skills/a'))).toBe(false)
})

test('a damaged, cut, later or other file changes nothing', async () => {
  const one = await openMachine({ 'SOUL.md': 'of one', 'skills/a/SKILL.md': 'a'.repeat(5000) })
  const { file } = await one.ask('export')
  const entries = await readEntries(readFileSync(file))
  const bytes = readFileSync(file)
  const changed = (name: string, text: string) =>
    packEntries(Object.entries(entries).map(([each, old]) => [each, each === name ? text : old] as const))
  const head = JSON.parse(entries['backup.json'] ?? '') as Record<string, unknown>
  await one.clock.advance(5000)
  const { file: backup } = await one.ask('backup', 'create')
  const cases: [string, Buffer, string][] = [
    ['changed', await changed('home/SOUL.md', 'by one'), 'BACKUP_DAMAGED'],
    ['cut', bytes.subarray(0, bytes.length - 40), 'BACKUP_DAMAGED'],
    ['no archive', Buffer.from('hello'), 'BACKUP_DAMAGED'],
    ['a later format', await changed('backup.json', JSON.stringify({ ...head, format: 2 })), 'BACKUP_TOO_NEW'],
    ['a later svc', await changed('backup.json', JSON.stringify({ ...head, program: '9.0.0' })), 'BACKUP_TOO_NEW'],
    ['a backup', readFileSync(backup), 'svc backup restore'],
  ]
  const two = await openMachine({ 'SOUL.md': 'of two' })
  for (const [what, content, message] of cases) {
    const wrong = join(two.place, 'wrong.tar.gz')
    writeFileSync(wrong, content)
    expect(await two.run(['import', wrong, '--yes']), what).toMatchObject({
      code: 1,
      err: expect.stringContaining(message),
    })
    expect(readFileSync(two.at('SOUL.md'), 'utf8'), what).toBe('of two')
    expect(readdirSync(two.place).sort(), what).toEqual(['home', 'wrong.tar.gz'])
  }
  expect(await two.run(['import', 'none.tar.gz', '--yes'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('BACKUP'),
  })
  for (const words of [
    ['restore', file, '--yes'],
    ['restore', file, '--to', join(two.place, 'new')],
  ])
    expect(await two.run(['backup', ...words])).toMatchObject({ code: 1, err: expect.stringContaining('svc import') })
  expect(await two.run(['backup', 'verify', file])).toMatchObject({ code: 0 })
})

test('a stranger’s export brings no code, no keys and no state of svc, and writes through no link', async () => {
  const files = {
    'SOUL.md': 'of a stranger',
    'skills/link/x.md': 'through',
    'plugins/evil/index.js': 'code',
    '.env': 'A_KEY=theirs',
    'profiles/work/.env': 'A_KEY=theirs',
    'consents/consents.json': '{}',
    'data/kernel/seal.key': 'aa',
  }
  const hashes = Object.entries(files).map(([path, text]) => [
    path,
    { bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') },
  ])
  const archive = await packEntries([
    ['backup.json', JSON.stringify({ kind: 'svc-export', format: 1, created: 'x', program: '0.2.0' })],
    ...Object.entries(files).map(([path, text]) => [`home/${path}`, text] as const),
    [
      'manifest.json',
      JSON.stringify({ files: Object.fromEntries(hashes), folders: [], links: { 'skills/out': '/etc' } }),
    ],
  ])
  const two = await openMachine({ '.env': 'A_KEY=mine-1234567\n' })
  mkdirSync(join(two.place, 'elsewhere'))
  mkdirSync(two.at('skills'))
  symlinkSync(join(two.place, 'elsewhere'), two.at('skills/link'))
  writeFileSync(join(two.place, 'x.tar.gz'), archive)
  const { ignored, files: taken } = await two.ask('import', 'x.tar.gz', '--yes')
  expect(taken).toBe(2)
  expect(ignored).toEqual(Object.keys(files).slice(2))
  expect(readdirSync(join(two.place, 'elsewhere'))).toEqual([])
  expect(readFileSync(two.at('skills/link/x.md'), 'utf8')).toBe('through')
  expect(readFileSync(two.at('.env'), 'utf8')).toContain('mine')
  expect(readFileSync(two.at('data/kernel/seal.key'), 'utf8')).not.toBe('aa')
  for (const path of ['plugins', 'consents', 'skills/out', 'profiles'])
    expect(existsSync(two.at(path)), path).toBe(false)
})

test('parts are chosen by their words; an unknown one and an empty one are errors', async () => {
  const one = await openMachine({ 'SOUL.md': 'a', 'memories/USER.md': 'b', 'profiles/w/memories/USER.md': 'c' })
  expect(await one.ask('export', '--only', 'memories', '--out', 'm.tar.gz')).toMatchObject({ parts: { memories: 2 } })
  expect(await one.run(['export', '--only', 'dreams'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/"dreams".*memories, profiles, sessions, settings.*TRANSFER_PART/s),
  })
  expect(await one.run(['export', '--sessions'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('TRANSFER_EMPTY'),
  })
  talk(one.kernel.use(Sessions), ['hi'])
  expect(await one.ask('export', '--sessions', '--out', 's.tar.gz')).toMatchObject({ parts: { sessions: 1 } })
  expect(await one.run(['export', '--out', 's.tar.gz'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('BACKUP_TARGET'),
  })
})

test('settings that cannot be parsed are not in an export, since what is secret in them is not known', async () => {
  const one = await openMachine({
    'profiles/w/config.yaml': 'model: [\n  api_key: inline-key-4711\n',
    'SOUL.md': 'a',
  })
  const { file, notes } = await one.ask('export')
  expect(notes).toEqual([expect.stringContaining('profiles/w/config.yaml was left out')])
  expect(Object.keys(await readEntries(readFileSync(file)))).not.toContain('home/profiles/w/config.yaml')
})

test('an import waits until svc has ended in the home', async () => {
  const one = await openMachine({ 'SOUL.md': 'of one' })
  const { file } = await one.ask('export')
  const two = await openMachine()
  await using other = await testKernel({ plugins: ['control'], home: two.home })
  await using _ = await other.use(Control).serve('gateway')
  symlinkSync(readdirSync(two.at('run'))[0] ?? '', two.at('run/1.sock'))
  expect(await two.run(['import', file, '--yes'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/gateway \(process 1\).*BACKUP_IN_USE/s),
  })
  expect(existsSync(two.at('SOUL.md'))).toBe(false)
})

test('with keys the file is encrypted, and they are theirs who know the passphrase', { timeout: 180_000 }, async () => {
  const one = await openMachine(laptop(temporaryFolder()), { SVC_EXPORT_PASSPHRASE: 'correct horse battery' })
  const { file } = await one.ask('export', '--with-secrets', '--only', 'settings', '--out', 'all.age')
  expect(readFileSync(file).toString('latin1')).not.toContain('sk-env-key-0815')
  const two = await openMachine()
  const wrong = await two.run(['import', file], { interactive: true, answers: ['wrong passphrase'] })
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('BACKUP_PASSPHRASE') })
  expect(await two.run(['import', file])).toMatchObject({
    code: 1,
    err: expect.stringContaining('TRANSFER_PASSPHRASE'),
  })
  const right = await two.run(['import', file], { interactive: true, answers: ['correct horse battery', 'y'] })
  expect(right).toMatchObject({ code: 0 })
  expect(readFileSync(two.at('.env'), 'utf8')).toBe('OPENAI_API_KEY=sk-env-key-0815\n')
  expect(statSync(two.at('.env')).mode & 0o777).toBe(0o600)
  expect(readFileSync(two.at('config.yaml'), 'utf8')).toContain('inline-key-4711')
  expect(readFileSync(two.at('profiles/work/.env'), 'utf8')).toContain('profile-key-4711')
  expect(existsSync(two.at('auth.json'))).toBe(true)
  const weak = await openMachine({ 'SOUL.md': 'a' }, { SVC_EXPORT_PASSPHRASE: 'short' })
  expect(await weak.run(['export', '--encrypt'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('10 characters'),
  })
  expect(readdirSync(weak.place)).toEqual(['home'])
})
