/** Stories of the state of a home that is brought back. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Home } from 'svc/sdk'
import { Control } from 'svc/sdk/host'
import { Backups, Snapshots } from 'svc/sdk/operations'
import { type Database, Storage } from 'svc/sdk/storage'
import { fakeProvider, fakeTalk, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { runBuilt } from '../../../support/built.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { missingTmux, Tmux } from '../../../support/tmux.ts'

const START = Date.UTC(2026, 0, 1, 9)
const FIRST = '2026-01-01-090000'
const migrations = ['CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)']

const FILES = {
  'config.yaml': 'model:\n  provider: fake\n',
  '.env': 'A_KEY=one\n',
  'SOUL.md': 'calm',
  'memories/USER.md': 'likes bees',
  'data/notes/state.json': '{"seen":1}',
  'data/notes/blobs/large.bin': 'blob',
  'skills/tidy/SKILL.md': 'old skill',
  'profiles/work/config.yaml': 'a: 1\n',
  'cache/lists.json': '{}',
}

async function open(files: Record<string, unknown> = FILES, plugins: readonly string[] = []) {
  const place = temporaryFolder()
  const home = join(place, 'home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFiles(home, files)
  const clock = virtualClock(START)
  const kernel = await testKernel({
    plugins: ['snapshots', 'backups', 'tool-memory', 'storage', 'plugin-manager', ...plugins],
    ...{ home, clock, with: [fakeProvider([]).plugin] },
  })
  const read = (path: string) => (existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : undefined)
  return { kernel, clock, home, place, read, [Symbol.asyncDispose]: () => kernel[Symbol.asyncDispose]() }
}

type Place = Awaited<ReturnType<typeof open>>

async function ask({ kernel }: Place, ...argv: string[]) {
  const { code, out, err } = await kernel.run(['snapshot', ...argv, '--json'])
  expect({ code, err }).toMatchObject({ code: 0 })
  return JSON.parse(out)
}

const withDatabase = (place: Place, work: (database: Database) => void) => {
  const file = place.kernel.use(Home).path('data', 'notes', 'deep', 'notes.db')
  const database = place.kernel.use(Storage).open({ file, migrations })
  work(database)
}
const insert = (text: string) => (database: Database) =>
  void database.prepare('INSERT INTO rows (text) VALUES (?)').run(text)

test('a snapshot has settings, keys, memories, databases and small state, and nothing that is large or installed', async () => {
  await using place = await open()
  writeFiles(place.home, { 'data/notes/dump.txt': 'x'.repeat(2 ** 20 + 1) })
  withDatabase(place, insert('one'))
  const { id, file, warnings } = await ask(place, 'create', 'before', 'the', 'move')
  expect([id, warnings, basename(file)]).toEqual([FIRST, [], `snapshot-${FIRST}.tar.gz`])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { out } = await place.kernel.run(['snapshot', 'list'])
  expect(out).toMatch(/^1 {2}2026-01-01-090000 .*before the move/)
  const listed = await place.kernel.use(Backups).list()
  expect(listed).toEqual([])
  for (const [path, text] of Object.entries(FILES)) writeFiles(place.home, { [path]: `${text} changed` })
  await ask(place, 'restore', '1', '--yes')
  const stays = ['data/notes/blobs/large.bin', 'skills/tidy/SKILL.md', 'profiles/work/config.yaml']
  for (const [path, text] of Object.entries(FILES))
    if (!path.startsWith('cache/'))
      expect([path, place.read(path)]).toEqual([path, stays.includes(path) ? `${text} changed` : text])
  expect(statSync(join(place.home, '.env')).mode & 0o777).toBe(0o600)
})

test('a restore brings databases back, removes later state, and is undone by the snapshot that it took', async () => {
  await using place = await open()
  withDatabase(place, insert('one'))
  await ask(place, 'create')
  withDatabase(place, insert('two'))
  writeFiles(place.home, { 'data/later/later.json': '{}', 'auth.json': '{}', 'workspace/a.txt': 'work' })
  await place.clock.advance(60_000)
  const { before, files } = await ask(place, 'restore', FIRST, '--yes')
  expect(files).toBeGreaterThan(4)
  const rows = async () => {
    await using other = await testKernel({ plugins: ['storage'], home: place.home })
    const database = other.use(Storage).open({ file: other.use(Home).path('data/notes/deep/notes.db'), migrations })
    return database
      .prepare<{ text: string }>('SELECT text FROM rows')
      .all()
      .map(({ text }) => text)
  }
  expect(await rows()).toEqual(['one'])
  expect([place.read('data/later/later.json'), place.read('auth.json'), place.read('workspace/a.txt')]).toEqual([
    ...[undefined, undefined, 'work'],
  ])
  const list = await ask(place, 'list')
  expect(list.map(({ id, label }: { id: string; label?: string }) => [id, label])).toEqual([
    [before, `before restoring ${FIRST}`],
    [FIRST, undefined],
  ])
  // The whole home that was copied for it does not stay.
  expect(readdirSync(join(place.place, 'home-backups'))).toHaveLength(2)
  await place.clock.advance(60_000)
  await ask(place, 'restore', before, '--yes')
  expect(await rows()).toEqual(['one', 'two'])
  expect(place.read('data/later/later.json')).toBe('{}')
})

test('a restore asks first, and names what it does not find or cannot read', async () => {
  await using place = await open()
  const { file } = await ask(place, 'create')
  writeFiles(place.home, { 'SOUL.md': 'wild' })
  expect((await place.kernel.run(['snapshot', 'restore', '1'])).err).toContain('CLI_CONFIRM')
  expect((await place.kernel.run(['snapshot', 'restore', '2', '--yes'])).err).toContain('SNAPSHOT_UNKNOWN')
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.subarray(0, bytes.length - 100))
  expect((await place.kernel.run(['snapshot', 'restore', '1', '--yes'])).err).toContain('BACKUP_DAMAGED')
  // Before it asks.
  expect((await place.kernel.run(['snapshot', 'restore', '1'])).err).toContain('BACKUP_DAMAGED')
  expect(place.read('SOUL.md')).toBe('wild')
  expect(await ask(place, 'list')).toHaveLength(1)
})

test('a home in which svc runs is not put back', async () => {
  await using place = await open()
  await ask(place, 'create')
  writeFiles(place.home, { 'SOUL.md': 'wild' })
  await using other = await testKernel({ plugins: ['control'], home: place.home })
  await using _ = await other.use(Control).serve('gateway')
  // It is of this very process, which is not counted: a socket of another one stands for it.
  symlinkSync(readdirSync(join(place.home, 'run'))[0] ?? '', join(place.home, 'run/1.sock'))
  const { code, err } = await place.kernel.run(['snapshot', 'restore', '1', '--yes'])
  expect([code, err]).toEqual([1, expect.stringMatching(/gateway \(process 1\).*BACKUP_IN_USE/s)])
  const snapshots = place.kernel.use(Snapshots)
  const { signal } = new AbortController()
  const restored = snapshots.restore(await snapshots.find('1', signal), signal)
  await expect(restored).rejects.toMatchObject({ code: 'BACKUP_IN_USE' })
  expect([place.read('SOUL.md'), (await ask(place, 'list')).length]).toEqual(['wild', 1])
})

test('a snapshot is not restored as a backup, and a backup is not a snapshot', async () => {
  await using place = await open()
  const { file } = await ask(place, 'create')
  const { err } = await place.kernel.run(['backup', 'restore', file, '--yes'])
  expect(err).toMatch(/is a snapshot.*BACKUP_TARGET/s)
  await place.kernel.run(['backup', 'create'])
  expect(await ask(place, 'list')).toHaveLength(1)
})

test('twenty snapshots stay, fewer on request, and the oldest can be restored although another is taken', async () => {
  await using place = await open()
  for (let count = 0; count < 21; count++) {
    const { removed } = await ask(place, 'create', String(count))
    expect(removed).toBe(count === 20 ? 1 : 0)
    // Two in one second do not take the same name.
    if (count % 2 === 1) await place.clock.advance(5000)
  }
  const list = await ask(place, 'list')
  expect([list.length, list[0].label, list[19].label]).toEqual([20, '20', '1'])
  await ask(place, 'restore', '20', '--yes')
  expect(await ask(place, 'list')).toHaveLength(20)
  expect((await place.kernel.run(['snapshot', 'prune', '2'])).err).toContain('CLI_CONFIRM')
  expect((await place.kernel.run(['snapshot', 'prune', 'all'])).err).toContain('SNAPSHOT_COUNT')
  expect(await ask(place, 'prune', '2', '--yes')).toEqual({ ok: true, removed: 18 })
  expect((await ask(place, 'list')).map(({ number }: { number: number }) => number)).toEqual([1, 2])
})

test('/snapshot takes, lists and removes snapshots, and restores nothing without a yes', async () => {
  await using place = await open(FILES, ['agent', 'conversation'])
  const talk = fakeTalk(place.kernel, { cwd: place.place, person: { confirm: false } })
  expect(await talk.type('/snapshot')).toContain('There are no snapshots')
  expect(await talk.type('/snap create first one')).toMatch(/^Snapshot 2026-01-01-090000: \d+ files/)
  expect(await talk.type('/snapshot list')).toMatch(/^1\. `2026-01-01-090000` .*, first one$/)
  expect(await talk.type('/snapshot restore 7')).toContain('There is no snapshot "7"')
  expect(await talk.type('/snapshot restore 1')).toBe('Nothing was changed.')
  expect(await talk.type('/snapshot cancel')).toBe('No restore waits.')
  expect(await talk.type('/snapshot prune 0')).toBe('Nothing was changed.')
  expect(await talk.type('/snapshot prune 0 now')).toBe('1 snapshot removed.')
  expect(await talk.type('/snapshot undo')).toContain('Type /snapshot list')
})

const absent = missingTmux()

test.skipIf(absent !== undefined)(
  `a restore that a chat was asked for is done when it ends, unless it was taken back${absent ? ` (${absent})` : ''}`,
  { timeout: 60_000 },
  async () => {
    const place = temporaryFolder()
    const home = join(place, 'home')
    mkdirSync(home, { mode: 0o700 })
    writeFiles(home, { 'config.yaml': 'model:\n  provider: demo\n', 'SOUL.md': 'calm' })
    expect(runBuilt(['snapshot', 'create'], { home }).out).toContain('Snapshot 2')
    writeFiles(home, { 'SOUL.md': 'wild' })
    const chat = async (...lines: readonly (readonly [line: string, shows: RegExp])[]) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: place, SVC_HOME: home, TERM: 'tmux-256color' }
      const shell = `'${process.execPath}' '${join(root, 'dist/kernel/bin.cjs')}' chat --plain; echo "ended: $?"; read -r wait`
      const terminal = new Tmux({ command: ['/bin/sh', '-c', shell], columns: 160, rows: 40, cwd: place, env })
      await terminal.shows(/^>/m)
      for (const [line, shows] of lines) {
        terminal.line(line)
        await terminal.shows(shows)
      }
      terminal.line('/quit')
      const screen = await terminal.shows(/ended: 0/)
      await terminal.close()
      return screen
    }
    const ask = ['/snapshot restore 1 --yes', /is restored when svc ends here/] as const
    await chat(ask, ['/snapshot cancel', /Nothing is restored/])
    expect(readFileSync(join(home, 'SOUL.md'), 'utf8')).toBe('wild')
    expect(await chat(ask, ['/snapshot cancel', /Nothing is restored/], ask)).toContain('The state is that of snapshot')
    expect(readFileSync(join(home, 'SOUL.md'), 'utf8')).toBe('calm')
    // Taken once, although it was asked for twice.
    expect(JSON.parse(runBuilt(['snapshot', 'list', '--json'], { home }).out)).toHaveLength(2)
  },
)
