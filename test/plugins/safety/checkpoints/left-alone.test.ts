/** What snapshots never touch. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { listTree, openStore, projectFolder } from './support.ts'

test('nothing is written through a link that took the place of a folder which is ignored', async () => {
  const store = openStore()
  const dir = projectFolder()
  const outside = temporaryFolder()
  writeFiles(dir, { 'out/x.txt': 'x' })
  await store.take(dir, 'one')
  rmSync(join(dir, 'out'), { recursive: true })
  symlinkSync(outside, join(dir, 'out'))
  writeFiles(dir, { '.gitignore': 'out\n' })
  const { leftAlone } = await store.restore(dir, '1', 'out')
  expect(leftAlone).toEqual([{ path: 'out/x.txt', why: 'something else is in the place of its folder' }])
  expect(listTree(outside)).toEqual([])
})

test('a file that someone goes on writing while files are put back is left alone', async () => {
  const dir = projectFolder()
  let count = 0
  // A name for a copy is made before each file is put back.
  const hex = (bytes: number) => {
    if (count > 0) writeFileSync(join(dir, 'b.txt'), 'mine '.repeat(count++))
    return (++names).toString(16).padStart(bytes * 2, '0')
  }
  let names = 0
  const store = openStore({ random: { hex } })
  writeFiles(dir, { 'a.txt': 'a', 'b.txt': 'b' })
  await store.take(dir, 'one')
  writeFiles(dir, { 'a.txt': 'A', 'b.txt': 'B' })
  count = 1
  const { restored, leftAlone } = await store.restore(dir, '1')
  expect(restored).toEqual(['a.txt'])
  expect(leftAlone).toEqual([{ path: 'b.txt', why: 'it has just changed' }])
  expect(readFileSync(join(dir, 'b.txt'), 'utf8')).toBe('mine '.repeat(count - 1))
})

test('huge, ignored and excluded files are neither kept nor touched', async () => {
  const store = openStore({ config: { max_file_mb: 0.001, exclude: ['node_modules', '*.secret'] } })
  const dir = projectFolder()
  const huge = 'x'.repeat(2000)
  writeFiles(dir, { '.gitignore': 'dist/\n*.log\n', 'a.txt': 'a', 'grows.bin': huge, 'shrinks.bin': huge })
  await store.take(dir, 'one')
  const mine = {
    'dist/app.js': 'built',
    'sub/run.log': 'log',
    'node_modules/p/index.js': 'p',
    'key.secret': 'k',
    'grows.bin': `${huge}${huge}`,
    'shrinks.bin': 'small now',
  }
  writeFiles(dir, { ...mine, 'a.txt': 'A', 'sub/new.txt': 'n' })
  const { removed, leftAlone } = await store.restore(dir, '1')
  expect(removed).toEqual(['sub/new.txt'])
  expect(leftAlone).toEqual([{ path: 'shrinks.bin', why: 'the snapshot does not tell how it was' }])
  for (const [path, text] of Object.entries(mine)) expect(readFileSync(join(dir, path), 'utf8')).toBe(text)
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('a')
})

test('a file that the newer .gitignore names is left as it is, and one that only the older names is not removed', async () => {
  const store = openStore()
  const dir = projectFolder()
  writeFiles(dir, { '.gitignore': '*.old\n', 'was.old': 'never kept', 'will.new': 'kept' })
  await store.take(dir, 'one')
  writeFiles(dir, { '.gitignore': '*.new\n', 'will.new': 'changed' })
  const { leftAlone } = await store.restore(dir, '1')
  expect(readFileSync(join(dir, 'was.old'), 'utf8')).toBe('never kept')
  expect(readFileSync(join(dir, 'will.new'), 'utf8')).toBe('changed')
  expect(leftAlone.map(({ path }) => path).sort()).toEqual(['was.old', 'will.new'])
})

test('a repository of the user is as it was: index, history, dirty and staged files, hooks, filters', async () => {
  const store = openStore()
  const dir = join(realpathSync(temporaryFolder()), 'repository')
  const home = temporaryFolder()
  mkdirSync(dir)
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=b@c', ...words], {
      cwd: dir,
      env,
      stdio: 'pipe',
    }).toString()
  git('init', '-q')
  git('config', 'core.autocrlf', 'true')
  git('config', 'filter.loud.clean', 'tr a-z A-Z')
  git('config', 'filter.loud.smudge', 'tr a-z A-Z')
  writeFiles(dir, {
    '.gitattributes': '*.txt filter=loud eol=crlf ident\n*.bin -text\n',
    'a.txt': 'a\r\n$Id$\n',
    'b.txt': 'b\n',
    'c.txt': 'c',
  })
  mkdirSync(join(dir, '.git/hooks'), { recursive: true })
  for (const hook of [
    'post-checkout',
    'reference-transaction',
    'post-index-change',
    'pre-commit',
    'fsmonitor-watchman',
  ])
    writeFileSync(join(dir, '.git/hooks', hook), '#!/bin/sh\ntouch hooked\n', { mode: 0o755 })
  git('-c', 'core.hooksPath=/dev/null', 'add', '-A')
  git('-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-m', 'one')
  writeFiles(dir, { 'a.txt': 'dirty\r\n', 'b.txt': 'staged\n', 'untracked.txt': 'u' })
  git('-c', 'core.hooksPath=/dev/null', 'add', 'b.txt')
  const status = () =>
    git('--no-optional-locks', '-c', 'core.hooksPath=/dev/null', 'status', '--porcelain=v2', '--branch')
  const kept = ['.git/index', '.git/HEAD', '.git/config']
  const before = {
    tree: listTree(dir),
    status: status(),
    files: kept.map((path) => readFileSync(join(dir, path), 'latin1')),
  }

  await store.take(dir, 'one')
  writeFiles(dir, { 'a.txt': 'agent', 'b.txt': 'agent', 'untracked.txt': 'agent', 'new.txt': 'agent' })
  rmSync(join(dir, 'c.txt'))
  await store.list(dir)
  await store.restore(dir, '1')

  expect(listTree(dir)).toEqual(before.tree)
  expect(kept.map((path) => readFileSync(join(dir, path), 'latin1'))).toEqual(before.files)
  expect(status()).toBe(before.status)
  expect(existsSync(join(dir, 'hooked'))).toBe(false)
})

test('a repository in the project keeps its .git; its files are kept like others, and it is never deleted', async () => {
  const store = openStore()
  const dir = projectFolder()
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: join(dir, 'sub'), env: { PATH: process.env['PATH'] ?? '', HOME: dir } })
  writeFiles(dir, { 'a.txt': 'a', 'sub/x.txt': 'x' })
  git('init', '-q')
  writeFiles(dir, { 'module/.git': 'gitdir: ../.git/modules/module\n', 'module/y.txt': 'y' })
  const before = listTree(dir)
  await store.take(dir, 'one')
  writeFiles(dir, {
    'sub/x.txt': 'X',
    'module/y.txt': 'Y',
    'new/.git/HEAD': 'ref: refs/heads/main\n',
    'new/z.txt': 'z',
  })
  const head = readFileSync(join(dir, 'sub/.git/HEAD'), 'utf8')
  await store.restore(dir, '1')
  expect(readFileSync(join(dir, 'sub/.git/HEAD'), 'utf8')).toBe(head)
  expect(readFileSync(join(dir, 'module/.git'), 'utf8')).toContain('gitdir')
  expect(existsSync(join(dir, 'new/.git/HEAD'))).toBe(true)
  expect(existsSync(join(dir, 'new/z.txt'))).toBe(false)
  expect(listTree(dir).filter((line) => line !== '"new"/')).toEqual(before)
})

test('what changes while it is put back is left alone, and so is a folder with other files', async () => {
  const store = openStore()
  const dir = projectFolder()
  writeFiles(dir, { name: 'a file' })
  await store.take(dir, 'one')
  rmSync(join(dir, 'name'))
  writeFiles(dir, { 'name/.git/config': 'mine', 'name/tracked': 't' })
  const { leftAlone } = await store.restore(dir, '1')
  expect(leftAlone).toEqual([{ path: 'name', why: 'a folder with other files is in its place' }])
  expect(readFileSync(join(dir, 'name/.git/config'), 'utf8')).toBe('mine')
})

test('svc keeps its own folder out, also when it is in the project', async () => {
  const dir = projectFolder()
  const home = join(dir, '.svc')
  mkdirSync(home)
  const store = openStore({ home })
  writeFiles(dir, { 'a.txt': 'a', '.svc/.gitkeep': '' })
  await store.take(dir, 'one')
  writeFiles(dir, { '.svc/state': 's', 'b.txt': 'b' })
  expect((await store.restore(dir, '1')).removed).toEqual(['b.txt'])
  expect(existsSync(join(home, 'state'))).toBe(true)
})

test('a pipe does not hold it up, and stays', async () => {
  const store = openStore()
  const dir = projectFolder()
  execFileSync('mkfifo', [join(dir, 'pipe')])
  writeFiles(dir, { 'a.txt': 'a' })
  await store.take(dir, 'one')
  writeFiles(dir, { 'a.txt': 'b' })
  await store.restore(dir, '1')
  expect(lstatSync(join(dir, 'pipe')).isFIFO()).toBe(true)
})

test('the exclude file of the repository counts like a .gitignore, and a .git that is a file is none', async () => {
  const store = openStore()
  const dir = projectFolder()
  writeFiles(dir, { '.git/info/exclude': 'notes.txt\n', 'notes.txt': 'mine', 'a.txt': 'a' })
  const worktree = join(realpathSync(temporaryFolder()), 'worktree')
  writeFiles(worktree, { '.git': 'gitdir: elsewhere\n', '.gitignore': '*.log\n', 'a.txt': 'a' })
  await store.take(dir, 'one')
  await store.take(worktree, 'one')
  writeFiles(dir, { 'notes.txt': 'changed', 'a.txt': 'A' })
  writeFiles(worktree, { 'x.log': 'log', 'a.txt': 'A' })
  expect((await store.restore(dir, '1')).restored).toEqual(['a.txt'])
  expect((await store.restore(worktree, '1')).restored).toEqual(['a.txt'])
  expect(readFileSync(join(dir, 'notes.txt'), 'utf8')).toBe('changed')
  expect(readFileSync(join(worktree, 'x.log'), 'utf8')).toBe('log')
})

test('the workspace among the folders of svc is the user’s, and has snapshots; what svc keeps there has none', async () => {
  const home = realpathSync(temporaryFolder())
  const store = openStore({ home })
  writeFiles(home, { 'workspace/notes.txt': 'one', 'config.yaml': 'x: 1', 'data/x.db': 'x' })
  expect(await store.take(join(home, 'workspace'), 'one')).toMatchObject({ id: expect.any(String) })
  for (const folder of ['.', 'data'])
    expect((await store.take(join(home, folder), 'one')).why).toContain('belongs to svc itself')
})
