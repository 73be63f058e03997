import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Clock, Random } from 'svc/sdk'
import { GuardedFiles } from 'svc/sdk/safety'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commit, PathLocks } from '../../../../plugins/tools/tool-files/commit.ts'
import { type FileTools, fileTools, type Workspace, workspace } from './support.ts'

const signal = new AbortController().signal

function edit(files: FileTools, folder: Workspace, paths: readonly string[], texts: readonly (string | undefined)[]) {
  const turn = { sessionId: 's', cwd: folder.path, signal }
  return files.kernel.use(GuardedFiles).edit(paths, turn, () => texts.map((text) => ({ text })))
}

/** A file system of 64 kB, until it is disposed of; undefined where none can be made. */
function smallDisk(): Workspace | undefined {
  const folder = workspace()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder.path], { stdio: 'ignore' })
  } catch {
    folder[Symbol.dispose]()
    return undefined
  }
  const release = () => {
    execFileSync('umount', [folder.path])
    folder[Symbol.dispose]()
  }
  return { ...folder, [Symbol.dispose]: release }
}

describe('an edit of several files', () => {
  test('creates, replaces and removes, and says what became of each', async () => {
    using folder = workspace({ a: '1\n', b: '2\n' })
    await using files = await fileTools()
    const changes = await edit(files, folder, ['a', 'b', 'c/d'], ['one\n', undefined, 'new\n'])
    expect(changes.map(({ change, added, removed }) => [change, added, removed])).toEqual([
      ['replaced', 1, 1],
      ['removed', 0, 1],
      ['created', 1, 0],
    ])
    expect(readdirSync(folder.path).sort()).toEqual(['a', 'c'])
    expect(readFileSync(folder.at('c/d'), 'utf8')).toBe('new\n')
  })

  test('is taken back whole when one of them fails, and leaves no copies', async () => {
    using folder = workspace({ a: 'old a', b: 'old b', 'dir/x': '' })
    chmodSync(folder.at('a'), 0o640)
    await using files = await fileTools()
    const readStats = (name: string) => stat(folder.at(name), { bigint: true })
    const deeds = [
      { path: folder.at('a'), before: await readStats('a'), text: 'new a' },
      { path: folder.at('b'), before: await readStats('b'), text: undefined },
      { path: folder.at('made/c'), before: undefined, text: 'new c' },
      // A file cannot take the place of a folder: found out only when it is tried.
      { path: folder.at('dir'), before: await readStats('dir'), text: 'new dir' },
    ]
    await expect(commit(deeds, files.kernel.use(Random))).rejects.toMatchObject({
      code: 'FILE_IS_FOLDER',
      message: `${folder.at('dir')} is a folder.`,
    })
    expect(readdirSync(folder.path).sort()).toEqual(['a', 'b', 'dir'])
    expect([readFileSync(folder.at('a'), 'utf8'), readFileSync(folder.at('b'), 'utf8')]).toEqual(['old a', 'old b'])
    expect(statSync(folder.at('a')).mode & 0o777).toBe(0o640)
  })

  test('does not overwrite what someone writes meanwhile', async () => {
    using folder = workspace({ a: 'old', b: 'old' })
    await using files = await fileTools()
    const turn = { sessionId: 's', cwd: folder.path, signal }
    const editing = files.kernel.use(GuardedFiles).edit(['a', 'b'], turn, () => {
      writeFileSync(folder.at('b'), 'theirs')
      return [{ text: 'mine' }, { text: 'mine' }]
    })
    await expect(editing).rejects.toMatchObject({ code: 'FILE_CHANGED' })
    expect([readFileSync(folder.at('a'), 'utf8'), readFileSync(folder.at('b'), 'utf8')]).toEqual(['old', 'theirs'])
  })

  test('does not remove what someone else changed since the session saw it', async () => {
    using folder = workspace({ a: 'old\n' })
    await using files = await fileTools()
    await files.call('read_file', { path: 'a' }, folder.path)
    folder.put('a', 'theirs\n')
    await expect(edit(files, folder, ['a'], [undefined])).rejects.toMatchObject({ code: 'FILE_CHANGED' })
    expect(readFileSync(folder.at('a'), 'utf8')).toBe('theirs\n')
    await files.call('read_file', { path: 'a' }, folder.path)
    await edit(files, folder, ['a'], [undefined])
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('changes nothing when the turn is interrupted or the plan fails', async () => {
    using folder = workspace({ a: 'old' })
    await using files = await fileTools()
    const stop = new AbortController()
    const editing = files.kernel
      .use(GuardedFiles)
      .edit(['a'], { sessionId: 's', cwd: folder.path, signal: stop.signal }, () => {
        stop.abort(new Error('stopped'))
        return [{ text: 'new' }]
      })
    await expect(editing).rejects.toThrow('stopped')
    expect(readFileSync(folder.at('a'), 'utf8')).toBe('old')
    await edit(files, folder, ['a'], ['new'])
    expect(readFileSync(folder.at('a'), 'utf8')).toBe('new')
  })
})

test('a full disk leaves the old content, and what is in the way is told', async ({ skip }) => {
  using small = smallDisk()
  if (small === undefined) return skip('no file system can be mounted here (not root)')
  await using files = await fileTools()
  const disk = small.path
  small.put('a.txt', 'old')
  const large = { path: 'a.txt', content: 'x'.repeat(100_000) }
  await expect(files.call('write_file', large, disk)).rejects.toMatchObject({
    code: 'FILE_NO_SPACE',
    message: `${small.at('a.txt')} cannot be written: the disk is full.`,
  })
  const turn = { sessionId: 's', cwd: disk, signal }
  const editing = files.kernel
    .use(GuardedFiles)
    .edit(['a.txt', 'b/c.txt'], turn, () => [{ text: 'new' }, { text: large.content }])
  await expect(editing).rejects.toMatchObject({
    ...{ code: 'FILE_NO_SPACE', message: `${small.at('b/c.txt')} cannot be written: the disk is full.` },
  })
  expect(readdirSync(disk)).toEqual(['a.txt'])
  expect(readFileSync(small.at('a.txt'), 'utf8')).toBe('old')
})

test('a folder that may not be written in leaves the old content', async ({ skip }) => {
  if (process.getuid?.() === 0) return skip('root may write everywhere')
  using folder = workspace({ 'locked/a.txt': 'old' })
  chmodSync(folder.at('locked'), 0o500)
  onTestFinished(() => chmodSync(folder.at('locked'), 0o700))
  await using files = await fileTools()
  const writing = files.call('write_file', { path: 'locked/a.txt', content: 'new' }, folder.path)
  await expect(writing).rejects.toMatchObject({ code: 'FILE_NO_RIGHTS' })
  expect(readFileSync(folder.at('locked/a.txt'), 'utf8')).toBe('old')
})

test('a path is looked at for others: what it really is, whether it lies outside, whether it may be used', async () => {
  using outside = workspace({ 'pic.png': 'x' })
  using folder = workspace({ 'near.txt': '' })
  symlinkSync(outside.at('pic.png'), folder.at('link'))
  await using files = await fileTools()
  const guard = files.kernel.use(GuardedFiles)
  expect(await guard.readable('near.txt', folder.path)).toEqual({
    ...{ path: folder.at('near.txt'), outside: false, note: undefined },
  })
  expect(await guard.readable('link', folder.path)).toMatchObject({ path: outside.at('pic.png'), outside: true })
  expect(await guard.writable('new/x', folder.path)).toMatchObject({ path: folder.at('new/x'), outside: false })
  await expect(guard.readable('none', folder.path)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  await expect(guard.writable('/etc/x', folder.path)).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
  expect(existsSync(folder.at('new'))).toBe(false)
})

test('work on the same path waits, work on others does not, and a failure lets the next one in', async () => {
  await using files = await fileTools()
  const locks = new PathLocks()
  const order: string[] = []
  let release: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const first = locks.hold(['/a', '/b'], async () => {
    await gate
    order.push('first')
    throw new Error('failed')
  })
  const second = locks.hold(['/b', '/c'], async () => order.push('second'))
  const third = locks.hold(['/c', '/a'], async () => order.push('third'))
  await locks.hold(['/d'], async () => order.push('other'))
  release()
  await expect(first).rejects.toThrow('failed')
  await Promise.all([second, third])
  expect(order).toEqual(['other', 'first', 'second', 'third'])
  expect(files.kernel.use(Clock).now()).toBeGreaterThan(0)
})
