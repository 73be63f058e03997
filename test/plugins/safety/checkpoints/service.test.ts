import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { listTree, openStore, projectFolder } from './support.ts'

test('a snapshot brings back what was changed, created and deleted, and the rollback is undone as well', async () => {
  const store = openStore()
  const dir = projectFolder()
  writeFiles(dir, { 'a.txt': 'one\r\ntwo\n', 'src/b.txt': 'b', 'src/deep/c.txt': '' })
  chmodSync(join(dir, 'src/b.txt'), 0o755)
  mkdirSync(join(dir, 'nothing/in/it'), { recursive: true })
  const before = listTree(dir)
  await store.take(dir, 'before write_file')

  writeFiles(dir, { 'a.txt': 'changed', 'new/d.txt': 'd' })
  rmSync(join(dir, 'src'), { recursive: true })
  rmSync(join(dir, 'nothing'), { recursive: true })
  mkdirSync(join(dir, 'fresh/empty'), { recursive: true })
  const after = listTree(dir)

  expect(await store.list(dir)).toMatchObject([
    { number: 1, reason: 'before write_file', changed: { files: 4, insertions: 2, deletions: 3 } },
  ])
  const done = await store.restore(dir, '1')
  expect(listTree(dir)).toEqual(before)
  expect(done.restored).toEqual(['a.txt', 'src/b.txt', 'src/deep/c.txt'])
  expect(done.removed).toEqual(['new/d.txt'])
  expect(done.leftAlone).toEqual([])

  await store.restore(dir, 'undo')
  expect(listTree(dir)).toEqual(after)
  await store.restore(dir, 'undo')
  expect(listTree(dir)).toEqual(before)
})

test('one file alone is put back, and one that came later is removed alone', async () => {
  const store = openStore()
  const dir = projectFolder()
  writeFiles(dir, { 'a.txt': 'a', 'b.txt': 'b' })
  await store.take(dir, 'one')
  writeFiles(dir, { 'a.txt': 'A', 'b.txt': 'B', 'sub/c.txt': 'C', 'd.txt': 'D' })
  await store.restore(join(dir, 'sub'), '1', '../a.txt')
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('a')
  expect(readFileSync(join(dir, 'b.txt'), 'utf8')).toBe('B')
  // The snapshot that the rollback took is number 1 by now.
  await store.restore(dir, '3', 'sub').catch(() => undefined)
  await store.restore(dir, '2', 'sub')
  expect(existsSync(join(dir, 'sub'))).toBe(false)
  expect(existsSync(join(dir, 'd.txt'))).toBe(true)
  await expect(store.restore(dir, '2', '../outside.txt')).rejects.toMatchObject({ code: 'CHECKPOINT_PATH' })
  await expect(store.restore(dir, '2', 'never.txt')).rejects.toMatchObject({ code: 'CHECKPOINT_PATH' })
})

test('a number that there is not one of says what there is, and changes nothing', async () => {
  const store = openStore()
  const dir = projectFolder()
  writeFiles(dir, { 'a.txt': 'a' })
  await expect(store.restore(dir, '99')).rejects.toThrow(`There is no snapshot 99 of ${dir}. There are none.`)
  await store.take(dir, 'one')
  await expect(store.restore(dir, '99')).rejects.toThrow('There is only 1.')
  await expect(store.restore(dir, '0')).rejects.toMatchObject({ code: 'CHECKPOINT_UNKNOWN' })
  await expect(store.restore(dir, 'undo')).rejects.toThrow('nothing to undo')
  expect(await store.list(dir)).toHaveLength(1)
})

test('a snapshot without changes is not kept, also when files were only touched', async () => {
  const store = openStore()
  const dir = projectFolder()
  writeFiles(dir, { 'a.txt': 'a' })
  expect(await store.take(dir, 'one')).toEqual({ id: expect.stringMatching(/^[0-9a-f]{40}$/) })
  expect(await store.take(dir, 'two')).toEqual({ why: 'Nothing has changed since the last snapshot.' })
  writeFiles(dir, { 'a.txt': 'a' })
  expect(await store.take(dir, 'three')).toEqual({ why: 'Nothing has changed since the last snapshot.' })
  chmodSync(join(dir, 'a.txt'), 0o600)
  expect(await store.take(dir, 'four')).toEqual({ id: expect.any(String) })
  expect((await store.list(dir)).map(({ reason }) => reason)).toEqual(['four', 'one'])
})

test('the diff goes from the snapshot to now', async () => {
  const store = openStore()
  const dir = projectFolder()
  writeFiles(dir, { 'ä b.txt': 'old\n' })
  await store.take(dir, 'one')
  writeFiles(dir, { 'ä b.txt': 'new\n' })
  expect(await store.diff(dir, '1')).toMatch(/--- a\/ä b.txt\t?\n\+\+\+ b\/ä b.txt\t?\n@@ -1 \+1 @@\n-old\n\+new\n/)
})

test('names of any bytes come back', async () => {
  const store = openStore()
  const dir = projectFolder()
  const names = [
    '-rf',
    '--',
    'a\nb',
    'tab\t"quote"\\',
    ' space ',
    'ünï',
    '\u{1f600}',
    'a\\b',
    'GIT~1',
    '__proto__',
    '#x',
    ':(glob)*',
    '.GITx',
    'constructor',
    '*',
  ]
  for (const name of names) writeFileSync(join(dir, name), name)
  const raw = Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0xfe, 0x80])])
  writeFileSync(raw, 'raw')
  chmodSync(raw, 0o640)
  const before = listTree(dir)
  await store.take(dir, 'one')
  for (const name of names) rmSync(join(dir, name))
  rmSync(raw)
  const { leftAlone } = await store.restore(dir, '1')
  expect(leftAlone).toEqual([])
  expect(listTree(dir)).toEqual(before)
})

test('files, folders and links take the place of each other, and back', async () => {
  const store = openStore()
  const dir = projectFolder()
  const outside = temporaryFolder()
  writeFiles(outside, { 'secret.txt': 'mine', 'sub/x': 'x' })
  writeFiles(dir, { file: 'f', 'folder/x': 'x', 'folder/y/z': 'z', other: 'o' })
  symlinkSync(outside, join(dir, 'link'))
  symlinkSync('nowhere', join(dir, 'dangling'))
  const before = listTree(dir)
  await store.take(dir, 'one')

  rmSync(join(dir, 'file'))
  writeFiles(dir, { 'file/inner/deep': 'd' })
  rmSync(join(dir, 'folder'), { recursive: true })
  symlinkSync(outside, join(dir, 'folder'))
  rmSync(join(dir, 'link'))
  writeFiles(dir, { 'link/x': 'in a folder now' })
  rmSync(join(dir, 'dangling'))
  writeFiles(dir, { dangling: 'a file' })
  rmSync(join(dir, 'other'))
  mkdirSync(join(dir, 'other'))
  const after = listTree(dir)

  expect((await store.restore(dir, '1')).leftAlone).toEqual([])
  expect(listTree(dir)).toEqual(before)
  expect(readlinkSync(join(dir, 'link'))).toBe(outside)
  expect((await store.restore(dir, 'undo')).leftAlone).toEqual([])
  expect(listTree(dir)).toEqual(after)
  expect(listTree(outside)).toEqual(['"secret.txt" 644 mine', '"sub"/', '"sub/x" 644 x'])
})

test('a project that was deleted as a whole comes back', async () => {
  const store = openStore()
  const dir = join(realpathSync(temporaryFolder()), 'plain')
  writeFiles(dir, { 'a.txt': 'a', 'sub/b.txt': 'b' })
  const before = listTree(dir)
  await store.take(dir, 'one')
  removeFolder(dir)
  await store.restore(dir, '1')
  expect(listTree(dir)).toEqual(before)
})

test('permissions come back, and a private file is never readable by others on the way', async () => {
  const store = openStore()
  const dir = projectFolder()
  writeFiles(dir, { key: 'private', script: '#!/bin/sh', plain: 'p' })
  chmodSync(join(dir, 'key'), 0o600)
  chmodSync(join(dir, 'script'), 0o750)
  const before = listTree(dir)
  await store.take(dir, 'one')
  rmSync(join(dir, 'key'))
  chmodSync(join(dir, 'script'), 0o640)
  chmodSync(join(dir, 'plain'), 0o444)
  await store.restore(dir, '1')
  expect(listTree(dir)).toEqual(before)
})

test('without git, or with one that is too old, it says what to install', async () => {
  const dir = projectFolder()
  writeFiles(dir, { 'a.txt': 'a' })
  const missing = openStore({ path: '/nonexistent' })
  await expect(missing.take(dir, 'one')).rejects.toMatchObject({
    code: 'CHECKPOINT_GIT',
    message: expect.stringContaining('Install git 2.20'),
  })
  expect(await missing.list(dir)).toEqual([])
  const bin = temporaryFolder()
  writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 1.9.5\n', { mode: 0o755 })
  await expect(openStore({ path: bin }).take(dir, 'one')).rejects.toThrow('git version 1.9.5 is too old')
})
