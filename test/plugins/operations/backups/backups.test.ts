/** Stories of homes that are copied, lost and brought back. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { Home } from 'svc/sdk'
import { Control } from 'svc/sdk/host'
import { newHolder } from 'svc/sdk/kit/process'
import { BackupRules, Backups } from 'svc/sdk/operations'
import { type Database, Storage } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { packTar } from '../../../../plugins/operations/backups/tar.ts'
import { readTree, temporaryFolder, writeFiles } from '../../../support/temporary.ts'

const START = Date.UTC(2026, 0, 1)

async function open(files: Record<string, unknown> = {}) {
  const place = temporaryFolder()
  const home = join(place, 'home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFiles(home, files)
  const clock = virtualClock(START)
  const kernel = await testKernel({ plugins: ['backups'], home, clock })
  return { kernel, clock, home, place, [Symbol.asyncDispose]: () => kernel[Symbol.asyncDispose]() }
}

/** Of one command, as JSON. */
async function ask(kernel: Awaited<ReturnType<typeof testKernel>>, ...argv: string[]) {
  const { code, out, err } = await kernel.run(['backup', ...argv, '--json'])
  expect({ code, err }).toMatchObject({ code: 0 })
  return JSON.parse(out) as Record<string, string | number | boolean> & { file: string; warnings?: string[] }
}

test('a home comes back as it was: files, rights, folders and links; no caches, logs and locks', async () => {
  const at = await open({
    'config.yaml': 'model:\n  provider: demo\n',
    '.env': 'A_KEY=value\n',
    'skills/a/SKILL.md': 'a'.repeat(100_000),
    'profiles/work/config.yaml': 'b: 1\n',
    'profiles/work/logs/svc.log': 'left out',
    'cache/lists.json': '{}',
    'data/x/work.lock': newHolder('ab'),
    'skills/b/yarn.lock': '# what was installed\n',
  })
  await using _ = at
  mkdirSync(join(at.home, 'skills/empty'))
  writeFileSync(join(at.home, 'skills/run.sh'), '#!/bin/sh\n', { mode: 0o700 })
  symlinkSync('a', join(at.home, 'skills/link'))
  symlinkSync('/nowhere/at all', join(at.home, 'broken'))
  chmodSync(join(at.home, '.env'), 0o600)
  const { file } = await ask(at.kernel, 'create')
  expect(dirname(file)).toBe(join(at.place, 'home-backups'))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(dirname(file))).toHaveLength(1)
  const copy = join(at.place, 'copy')
  await ask(at.kernel, 'restore', file, '--to', copy)
  const expected = { ...readTree(at.home) }
  for (const path of Object.keys(expected)) if (/(^|\/)(cache|logs)\/|work\.lock$/.test(path)) delete expected[path]
  expect(readTree(copy)).toEqual(expected)
  expect(Object.keys(expected)).toContain('skills/b/yarn.lock')
  expect(existsSync(join(copy, 'data/x/work.lock'))).toBe(false)
  expect(readlinkSync(join(copy, 'skills/link'))).toBe('a')
  expect(readlinkSync(join(copy, 'broken'))).toBe('/nowhere/at all')
  expect(lstatSync(join(copy, 'skills/empty')).isDirectory()).toBe(true)
  expect(statSync(join(copy, 'skills/run.sh')).mode & 0o777).toBe(0o700)
  expect(statSync(join(copy, '.env')).mode & 0o777).toBe(0o600)
})

test('databases that are written meanwhile are of one moment, each and together', async () => {
  const at = await open()
  await using _ = at
  const migrations = ['CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)', 'CREATE TABLE more (id INTEGER)']
  const make = (name: string) =>
    at.kernel.use(Storage).open({ file: at.kernel.use(Home).path('data', name, `${name}.db`), migrations })
  const [inbox, outbox] = [make('inbox'), make('outbox')]
  const add = (database: Database) =>
    database.transaction(() => database.prepare('INSERT INTO rows (text) VALUES (?)').run('x'.repeat(3000)))
  for (let count = 0; count < 400; count++) for (const each of [inbox, outbox]) add(each)
  let written = 0
  const { file, warnings } = await at.kernel.use(Backups).create({
    onProgress: () => {
      // As a gateway does: what is answered was received before.
      for (let count = 0; count < 20; count++) for (const each of [inbox, outbox]) add(each)
      written++
    },
  })
  expect(warnings).toEqual([])
  expect(written).toBeGreaterThan(1)
  const copy = join(at.place, 'copy')
  await ask(at.kernel, 'restore', file, '--to', copy)
  expect(readdirSync(join(copy, 'data/inbox'))).toEqual(['inbox.db'])
  await using other = await testKernel({ plugins: ['storage'], home: copy })
  const counts = ['inbox', 'outbox'].map((name) => {
    const database = other.use(Storage).open({ file: join(copy, 'data', name, `${name}.db`), migrations })
    return database.prepare<{ count: number }>('SELECT count(*) AS count FROM rows').get()?.count
  })
  expect(counts).toEqual([400, 400])
  const verified = await ask(at.kernel, 'verify', file)
  expect(verified).toMatchObject({ ok: true, program: '0.2.0', schemas: { 'data/inbox/inbox.db': 2 } })
})

test('a database that is damaged is in the backup as it is, and the command says so', async () => {
  const at = await open({ 'data/x/broken.db': 'no database '.repeat(1000), 'workspace/other.db': '' })
  await using _ = at
  const { warnings, file } = await ask(at.kernel, 'create')
  expect(warnings).toEqual([
    expect.stringMatching(/^data\/x\/broken\.db is in the backup as it is on the disk.*not a database/),
  ])
  const copy = join(at.place, 'copy')
  await ask(at.kernel, 'restore', file, '--to', copy)
  expect(readFileSync(join(copy, 'data/x/broken.db'), 'utf8')).toBe('no database '.repeat(1000))
})

test('a restore replaces the home, keeps it, and can be undone', async () => {
  const at = await open({ 'config.yaml': 'a: 1\n', 'SOUL.md': 'before' })
  await using _ = at
  const { file } = await ask(at.kernel, 'create')
  writeFiles(at.home, { 'SOUL.md': 'after', 'skills/new/SKILL.md': 'new' })
  await at.clock.advance(1000)
  expect((await at.kernel.run(['backup', 'restore', file])).err).toContain('CLI_CONFIRM')
  expect(readFileSync(join(at.home, 'SOUL.md'), 'utf8')).toBe('after')
  const { out } = await at.kernel.run(['backup', 'restore', file, '--yes'])
  expect(out).toContain('To bring it back: svc backup restore --undo')
  expect(readFileSync(join(at.home, 'SOUL.md'), 'utf8')).toBe('before')
  expect(existsSync(join(at.home, 'skills'))).toBe(false)
  await at.clock.advance(1000)
  await ask(at.kernel, 'restore', '--undo', '--yes')
  expect(readFileSync(join(at.home, 'SOUL.md'), 'utf8')).toBe('after')
  expect(existsSync(join(at.home, 'skills/new/SKILL.md'))).toBe(true)
  await at.clock.advance(1000)
  // The undo can be undone, and no more than two homes stay.
  await ask(at.kernel, 'restore', '--undo', '--yes')
  expect(readFileSync(join(at.home, 'SOUL.md'), 'utf8')).toBe('before')
  for (let count = 0; count < 4; count++) {
    await at.clock.advance(1000)
    await ask(at.kernel, 'restore', file, '--yes')
  }
  expect(readdirSync(at.place).filter((name) => name.startsWith('.home.before-'))).toHaveLength(2)
})

test('without a replaced home there is nothing to undo', async () => {
  const at = await open()
  await using _ = at
  expect((await at.kernel.run(['backup', 'restore', '--undo', '--yes'])).err).toContain('No restore can be undone')
})

test('a switch that was cut between its two renames is completed at the next start', async () => {
  const place = temporaryFolder()
  writeFiles(place, { '.home.next/SOUL.md': 'restored', '.home.before-2026-01-01T00-00-00-000Z/SOUL.md': 'before' })
  const { locateHome } = await import('../../../../home/home-folder.ts')
  locateHome({ SVC_HOME: join(place, 'home') })
  expect(readFileSync(join(place, 'home/SOUL.md'), 'utf8')).toBe('restored')
  // A home that is there is never replaced by a start.
  writeFiles(place, { '.home.next/SOUL.md': 'other' })
  locateHome({ SVC_HOME: join(place, 'home') })
  expect(readFileSync(join(place, 'home/SOUL.md'), 'utf8')).toBe('restored')
})

test('a home in which svc runs is not replaced', async () => {
  const at = await open()
  await using _ = at
  const { file } = await ask(at.kernel, 'create')
  await using other = await testKernel({ plugins: ['control'], home: at.home })
  await using __ = await other.use(Control).serve('gateway')
  // It is of this very process, which is not counted: a socket of another one stands for it.
  symlinkSync(readdirSync(join(at.home, 'run'))[0] ?? '', join(at.home, 'run/1.sock'))
  for (const words of [[file], ['--undo']])
    expect(await at.kernel.run(['backup', 'restore', ...words, '--yes'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/gateway \(process 1\).*BACKUP_IN_USE/s),
    })
})

test('a backup of a later svc is refused before anything is read of it', async () => {
  const at = await open({ 'SOUL.md': 'mine' })
  await using _ = at
  const later = { kind: 'svc-backup', format: 1, created: '2027-01-01T00:00:00.000Z', program: '0.3.0' }
  for (const head of [later, { ...later, format: 2, program: '0.2.0', created: 5 }]) {
    const file = await archive(at.place, [['backup.json', JSON.stringify(head)]])
    const { code, err } = await at.kernel.run(['backup', 'restore', file, '--yes'])
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/made by a later svc.*svc update.*BACKUP_TOO_NEW/s),
    })
  }
  expect(readFileSync(join(at.home, 'SOUL.md'), 'utf8')).toBe('mine')
  expect(readdirSync(at.place).filter((name) => name.startsWith('.'))).toEqual([])
})

test('archives of strangers: paths that lead out, links, doubles, wrong hashes, a cut end', async () => {
  const at = await open()
  await using _ = at
  const head = [
    'backup.json',
    JSON.stringify({ kind: 'svc-backup', format: 1, created: 'x', program: '0.2.0' }),
  ] as const
  const manifest = (files: Record<string, string>, more: object = {}) => {
    const facts = Object.entries(files).map(([path, text]) => [
      path,
      { bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') },
    ])
    return [
      'manifest.json',
      JSON.stringify({ files: Object.fromEntries(facts), folders: [], links: {}, ...more }),
    ] as const
  }
  const cases: [string, (readonly [string, string])[]][] = [
    ['leads out', [head, ['home/../../out', 'x'], manifest({ '../../out': 'x' })]],
    ['leads out', [head, ['home//etc/x', 'x'], manifest({})]],
    ['leads out', [head, ['out', 'x'], manifest({})]],
    ['twice', [head, ['home/a', 'x'], ['home/a', 'y'], manifest({ a: 'y' })]],
    ['was changed', [head, ['home/a', 'x'], manifest({ a: 'y' })]],
    ['is missing', [head, manifest({ a: 'y' })]],
    ['was added', [head, ['home/a', 'x'], manifest({})]],
    ['cut off', [head, ['home/a', 'x']]],
    ['goes on after its end', [head, manifest({}), ['home/a', 'x']]],
    ['not a backup', [['home/a', 'x']]],
    ['cannot be made', [head, manifest({}, { links: { '../x': '/etc' } })]],
    ['folders', [head, manifest({}, { folders: ['a'] })]],
    ['description', [head, ['manifest.json', '{}']]],
  ]
  for (const [why, entries] of cases) {
    const file = await archive(at.place, entries)
    const { code, err } = await at.kernel.run(['backup', 'restore', file, '--to', join(at.place, 'to')])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(new RegExp(`${why}.*BACKUP_DAMAGED`, 's')) })
    expect(
      readdirSync(at.place)
        .sort()
        .filter((name) => name !== 'home' && !name.endsWith('.tar.gz')),
    ).toEqual([])
  }
})

test('whatever byte is changed or cut: the file is refused, or what it holds is what was in the home', {
  timeout: 120_000,
}, async () => {
  const at = await open({ 'SOUL.md': 'a soul', 'config.yaml': 'a: 1\n' })
  await using _ = at
  const { file } = await ask(at.kernel, 'create')
  const bytes = readFileSync(file)
  const change = fc.record({ at: fc.nat(bytes.length - 1), by: fc.integer({ min: 1, max: 255 }), cut: fc.boolean() })
  let count = 0
  await fc.assert(
    fc.asyncProperty(change, async ({ at: place, by, cut }) => {
      const wrong = Buffer.from(cut ? bytes.subarray(0, place) : bytes)
      if (!cut) wrong[place] = (wrong[place] ?? 0) ^ by
      const changed = join(at.place, `changed-${count++}.tar.gz`)
      await writeFile(changed, wrong)
      const to = join(at.place, `to-${count}`)
      const { code } = await at.kernel.run(['backup', 'restore', changed, '--to', to])
      if (code === 0) expect(readFileSync(join(to, 'SOUL.md'), 'utf8')).toBe('a soul')
      else expect(existsSync(to)).toBe(false)
    }),
    { numRuns: 60 },
  )
})

test('places that cannot be used are named, and nothing is left there', async () => {
  const at = await open({ 'SOUL.md': 'x' })
  await using _ = at
  const run = async (...argv: string[]) => (await at.kernel.run(['backup', ...argv])).err
  writeFileSync(join(at.place, 'taken'), '')
  expect(await run('create', '--output', join(at.place, 'taken'))).toContain('is there already')
  expect(await run('create', '--output', join(at.home, 'x.tar.gz'))).toContain('is in the home itself')
  expect(await run('create', '--output', join(at.place, 'no/x.tar.gz'))).toContain('There is no folder')
  expect(await run('restore')).toContain('Name the backup')
  expect(await run('verify', join(at.place, 'missing'))).toContain('cannot be read')
  expect(await run('verify', join(at.place, 'taken'))).toContain('is not a backup of svc')
  expect(await run('verify', at.home)).toContain('cannot be read')
  expect(readdirSync(at.place).sort()).toEqual(['home', 'taken'])
})

test('plugins say how their files get into a backup, or that they stay out', async () => {
  const home = join(temporaryFolder(), 'home')
  mkdirSync(home)
  writeFiles(home, { 'data/own/model.bin': 'large', 'data/own/live': 'changing', 'data/own/notes': 'notes' })
  let held = 0
  await using kernel = await testKernel({
    plugins: ['backups'],
    home,
    with: [
      {
        name: 'own',
        setup(ctx) {
          ctx.add(BackupRules, {
            name: 'models',
            title: 'Models',
            isExcluded: true,
            covers: (path) => path.endsWith('.bin'),
          })
          ctx.add(BackupRules, {
            name: 'live',
            title: 'Live',
            covers: (path) => path === 'data/own/live',
            pin: async () => {
              held++
              return {
                copyTo: async (path) => writeFile(path, 'whole').then(() => ({ schema: 7 })),
                [Symbol.dispose]: () => void held--,
              }
            },
          })
        },
      },
    ],
  })
  const { file } = await ask(kernel, 'create')
  expect(held).toBe(0)
  await ask(kernel, 'restore', file, '--to', `${home}-copy`)
  expect(readTree(`${home}-copy`)).toMatchObject({ 'data/own/live': 'whole', 'data/own/notes': 'notes' })
  expect(existsSync(`${home}-copy/data/own/model.bin`)).toBe(false)
  expect(await ask(kernel, 'verify', file)).toMatchObject({ schemas: { 'data/own/live': 7 } })
})

test('the list has the newest first; a name of the list can be restored from anywhere', async () => {
  const at = await open({ 'SOUL.md': 'x' })
  await using _ = at
  expect((await at.kernel.run(['backup', 'list'])).err).toContain('Make one: svc backup create')
  await ask(at.kernel, 'create')
  await at.clock.advance(60_000)
  const { file } = await ask(at.kernel, 'create')
  const { out } = await at.kernel.run(['backup'])
  expect(out.split('\n').filter((line) => line.includes('.tar.gz'))).toHaveLength(2)
  expect(await at.kernel.run(['backup', 'verify', file.slice(file.lastIndexOf('/') + 1)])).toMatchObject({ code: 0 })
})

/** An archive of these entries. */
async function archive(place: string, entries: readonly (readonly [string, string])[]): Promise<string> {
  const { packer, zipped } = packTar()
  const fill = async () => {
    for (const [name, text] of entries) {
      const writer = packer.add({ name, size: Buffer.byteLength(text), mode: 0o600 }).getWriter()
      await writer.write(Buffer.from(text))
      await writer.close()
    }
    packer.finalize()
  }
  const [bytes] = await Promise.all([
    new Response(zipped as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
    fill(),
  ])
  const file = join(place, 'stranger.tar.gz')
  await writeFile(file, Buffer.from(bytes))
  return file
}
