/** Paths that lead elsewhere, things that are no files, files that change meanwhile: said, and nothing is lost. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Scene, scene, whyNoSentence } from '../support/scene.ts'

const patch = (path: string, from: string, to: string) => ({ path, old_string: from, new_string: to })

function fileScene(): Promise<Scene> {
  return scene({ plugins: ['tool-files', 'tool-patch'] })
}

/** Things that look like files; what each must not do is block or be read for ever. */
async function oddThings(folder: string): Promise<void> {
  const at = (name: string) => join(folder, name)
  execFileSync('mkfifo', [at('pipe')])
  symlinkSync('/dev/zero', at('zero'))
  symlinkSync('/dev/null', at('null'))
  symlinkSync('/dev/tty', at('tty'))
  symlinkSync('loop-two', at('loop-one'))
  symlinkSync('loop-one', at('loop-two'))
  symlinkSync('nowhere', at('dangling'))
  symlinkSync('.', at('self'))
  symlinkSync('pipe', at('link-to-pipe'))
  symlinkSync('/proc/self/mem', at('memory'))
  mkdirSync(at('folder'))
  const server = createServer().listen(at('socket'))
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
}

const odd = ['pipe', 'zero', 'tty', 'loop-one', 'link-to-pipe', 'memory', 'folder', 'socket', '/dev/zero', '/dev/stdin']

test.each(odd)('%s is neither read nor written nor patched, and that is said', async (name) => {
  const made = await fileScene()
  await oddThings(made.cwd)
  const done = [
    await made.tool('read_file', { path: name }),
    await made.tool('write_file', { path: name, content: 'x' }),
    await made.tool('patch', patch(name, 'a', 'b')),
  ]
  for (const { ok, text } of done) {
    expect(ok, text).toBe(false)
    expect(whyNoSentence(text)).toBeUndefined()
  }
})

test('a folder full of odd things is listed and searched without an end of time', async () => {
  const made = await fileScene()
  await oddThings(made.cwd)
  writeFileSync(join(made.cwd, 'good.txt'), 'needle\n')
  const listed = await made.tool('list_files', { path: '.', depth: 20 })
  expect(listed).toMatchObject({ ok: true, text: expect.stringContaining('good.txt') })
  const found = await made.tool('search_files', { pattern: 'needle' })
  expect(found).toMatchObject({ ok: true, text: expect.stringContaining('good.txt') })
  expect(await made.tool('search_files', { pattern: 'needle', path: 'self/self/self' })).toMatchObject({ ok: true })
  for (const path of ['pipe', 'zero', 'loop-one', 'socket']) {
    const { ok, text } = await made.tool('search_files', { pattern: 'needle', path })
    expect(ok, text).toBe(false)
    expect(whyNoSentence(text)).toBeUndefined()
  }
})

test('a file that is written through a link stays a link, and its target gets the text', async () => {
  const made = await fileScene()
  writeFileSync(join(made.cwd, 'target.txt'), 'old\n')
  symlinkSync('target.txt', join(made.cwd, 'link.txt'))
  await made.tool('read_file', { path: 'link.txt' })
  expect((await made.tool('patch', patch('link.txt', 'old', 'new'))).ok).toBe(true)
  expect(readFileSync(join(made.cwd, 'target.txt'), 'utf8')).toBe('new\n')
  expect(execFileSync('readlink', ['link.txt'], { cwd: made.cwd, encoding: 'utf8' })).toBe('target.txt\n')
})

test('rights and the number of names of a file survive a change', async () => {
  const made = await fileScene()
  const path = join(made.cwd, 'run.sh')
  writeFileSync(path, 'echo old\n')
  chmodSync(path, 0o750)
  linkSync(path, join(made.cwd, 'second.sh'))
  await made.tool('read_file', { path: 'run.sh' })
  expect((await made.tool('patch', patch('run.sh', 'old', 'new'))).ok).toBe(true)
  expect(statSync(path).mode & 0o777).toBe(0o750)
  expect(readFileSync(path, 'utf8')).toBe('echo new\n')
})

test('paths with .. are taken for what they mean; secrets stay closed whatever the spelling', async () => {
  const made = await fileScene()
  mkdirSync(join(made.cwd, 'a'))
  writeFileSync(join(made.cwd, 'plain.txt'), 'plain\n')
  writeFileSync(join(made.kernel.home, '.env'), 'KEY=hidden-value\n')
  symlinkSync(made.kernel.home, join(made.cwd, 'home'))
  symlinkSync(join(made.kernel.home, '.env'), join(made.cwd, 'innocent.txt'))
  expect((await made.tool('read_file', { path: 'a/../a/.././plain.txt' })).text).toContain('plain')
  const up = '../'.repeat(40)
  for (const path of [
    `${up}${made.kernel.home}/.env`,
    'home/.env',
    'a/../home/./.env',
    'innocent.txt',
    'home/../home/.env',
  ]) {
    const read = await made.tool('read_file', { path })
    const written = await made.tool('write_file', { path, content: 'gone' })
    expect([read.ok, written.ok], path).toEqual([false, false])
    expect(read.text).not.toContain('hidden-value')
  }
  expect((await made.tool('search_files', { pattern: 'hidden', path: made.kernel.home })).text).not.toContain(
    'hidden-value',
  )
  expect(readFileSync(join(made.kernel.home, '.env'), 'utf8')).toBe('KEY=hidden-value\n')
})

test('a file that someone changed after it was read is not overwritten', async () => {
  const made = await fileScene()
  const path = join(made.cwd, 'notes.txt')
  writeFileSync(path, 'one\n')
  await made.tool('read_file', { path: 'notes.txt' })
  writeFileSync(path, 'one\nand work of somebody else\n')
  const done = await made.tool('write_file', { path: 'notes.txt', content: 'mine\n' })
  expect(done.ok).toBe(false)
  expect(done.text).toMatch(/changed|read it again/i)
  expect(readFileSync(path, 'utf8')).toContain('work of somebody else')
})

const changes: Record<string, (path: string) => void> = {
  'is removed': (path) => rmSync(path),
  'becomes a folder': (path) => {
    rmSync(path)
    mkdirSync(path)
  },
  'becomes a pipe': (path) => {
    rmSync(path)
    execFileSync('mkfifo', [path])
  },
  'becomes a link to itself': (path) => {
    rmSync(path)
    symlinkSync(path, path)
  },
  'is emptied': (path) => truncateSync(path),
  'becomes binary': (path) => writeFileSync(path, Buffer.from([0, 255, 0, 1, 2])),
  'is moved and its folder too': (path) => renameSync(path, `${path}.moved`),
}

test.each(Object.keys(changes))('a file that %s after it was read is answered with a sentence', async (name) => {
  const made = await fileScene()
  const path = join(made.cwd, 'notes.txt')
  writeFileSync(path, 'one\ntwo\n')
  await made.tool('read_file', { path: 'notes.txt' })
  changes[name]?.(path)
  const patched = await made.tool('patch', patch('notes.txt', 'one', 'uno'))
  expect(patched.ok, patched.text).toBe(false)
  expect(whyNoSentence(patched.text)).toBeUndefined()
  const read = await made.tool('read_file', { path: 'notes.txt' })
  expect(read.ok, read.text).toBe(name === 'is emptied')
  expect(whyNoSentence(read.text)).toBeUndefined()
})

test('a sparse file of 8 GB is read in windows, searched and refused for change, within bounds', async () => {
  const made = await fileScene()
  const path = join(made.cwd, 'huge.log')
  writeFileSync(path, 'first line\n')
  truncateSync(path, 8 * 2 ** 30)
  const before = process.memoryUsage().rss
  const read = await made.tool('read_file', { path: 'huge.log', limit: 1 })
  expect(read.text.length).toBeLessThan(200_000)
  const changed = await made.tool('patch', patch('huge.log', 'first', 'last'))
  expect(changed.ok).toBe(false)
  expect(whyNoSentence(changed.text)).toBeUndefined()
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 2 ** 20)
  expect(statSync(path).size).toBe(8 * 2 ** 30)
})

test('one line of 60 MB is shown in part', async () => {
  const made = await fileScene()
  writeFileSync(join(made.cwd, 'line.txt'), `${'word '.repeat(12_000_000)}\nsecond\n`)
  const read = await made.tool('read_file', { path: 'line.txt', limit: 5 })
  expect(read.text.length).toBeLessThan(200_000)
  const found = await made.tool('search_files', { pattern: 'second' })
  expect(found).toMatchObject({ ok: true, text: expect.stringContaining('second') })
})

test('text that is no text is written as it can be, and said when it cannot', async () => {
  const made = await fileScene()
  for (const content of ['a\ud800b', '\0', '', '\u001b[2J', '\ufeffmark']) {
    const done = await made.tool('write_file', { path: `file-${content.length}-${content.charCodeAt(0)}.txt`, content })
    expect(done.ok, done.text).toBe(true)
  }
  for (const path of ['a\0b', '', '   ', 'n'.repeat(300), 'a/'.repeat(3000)]) {
    const done = await made.tool('write_file', { path, content: 'x' })
    expect(done.ok, done.text).toBe(false)
    expect(whyNoSentence(done.text)).toBeUndefined()
  }
  for (const path of ['line\nbreak.txt', '\ud800'])
    expect(await made.tool('write_file', { path, content: 'x' })).toMatchObject({ ok: true })
  expect(existsSync(join(made.cwd, 'line\nbreak.txt'))).toBe(true)
}, 60_000)

test('a full disk leaves the old file as it was', async ({ skip }) => {
  const made = await fileScene()
  const small = join(made.cwd, 'small')
  mkdirSync(small)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', small], { stdio: 'ignore' })
  } catch {
    skip('a small file system cannot be mounted here')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', small]))
  writeFileSync(join(small, 'notes.txt'), 'precious\n')
  await made.tool('read_file', { path: 'small/notes.txt' })
  const done = await made.tool('write_file', { path: 'small/notes.txt', content: 'x'.repeat(200_000) })
  expect(done.ok).toBe(false)
  expect(done.text).toMatch(/full/)
  expect(readFileSync(join(small, 'notes.txt'), 'utf8')).toBe('precious\n')
  expect(execFileSync('ls', ['-A', small], { encoding: 'utf8' })).toBe('notes.txt\n')
})
