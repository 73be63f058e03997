/** The routes that desktop apps read files with: their failures are data, and what is refused elsewhere is refused here. */
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Home } from 'svc/sdk'
import { GuardedFiles, ReadableFolders } from 'svc/sdk/safety'
import { Checkpoints } from 'svc/sdk/sessions'
import { expect, test } from 'vitest'
import { openWorkshop } from './workshop.ts'

const READERS = ['/api/fs/read-text', '/api/fs/read-data-url', '/api/media']
const FOLDERS = ['/api/fs/list', '/api/fs/git-root']
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

test('a folder is listed by its relative and its absolute path, and why one cannot be is data', async () => {
  const { of, work } = await openWorkshop()
  const names = async (path: string) =>
    (await of('/api/fs/list', { path })).json.entries.map(({ path: each }: { path: string }) => each)
  expect(await names('src')).toEqual(['src/main.ts'])
  expect(await names(join(work, 'src'))).toEqual(['src/main.ts'])
  expect(await names(work)).toContain('notes.txt')
  const empty = { entries: [], truncated: false }
  expect(await of('/api/fs/list', { path: 'gone' })).toMatchObject({ status: 200, json: { ...empty, error: 'ENOENT' } })
  const file = await of('/api/fs/list', { path: 'notes.txt' })
  expect(file).toMatchObject({ status: 200, json: { ...empty, error: 'ENOTDIR' } })
})

test.for(['../outside/secret.txt', '/etc/passwd', 'way-out/secret.txt', 'link.txt', 'src/../../outside', '~/x'])(
  'the path %s leads out of the folder and is refused by every route that reads',
  async (path) => {
    const { of, ask, session, outside } = await openWorkshop()
    for (const route of [...READERS, ...FOLDERS, '/api/git/file-diff', '/api/git/review/diff']) {
      const reply = await of(route, { path })
      expect([route, reply.status, reply.text.includes('hidden')]).toEqual([route, 403, false])
    }
    const body = { session, path, data_url: 'data:;base64,eA==' }
    expect((await ask('POST', '/api/files/upload', { body })).status).toBe(403)
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('hidden')
  },
)

test('the absolute path of a link that leads out, and of a folder whose name begins alike, is refused', async () => {
  const { of, work } = await openWorkshop()
  mkdirSync(`${work}-beside`)
  writeFileSync(`${work}-beside/a.txt`, 'hidden')
  for (const path of [join(work, 'link.txt'), `${work}-beside/a.txt`, `${work}/../outside/secret.txt`])
    expect([path, (await of('/api/fs/read-text', { path })).status]).toEqual([path, 403])
})

test('files with secrets are not sent, whatever they are called', async () => {
  const { of, work, kernel } = await openWorkshop()
  writeFileSync(join(work, '.env'), 'KEY=hidden\n')
  writeFileSync(join(work, '.env.local'), 'KEY=hidden\n')
  writeFileSync(join(work, '.git-credentials'), 'hidden\n')
  symlinkSync('.env', join(work, 'plain.txt'))
  linkSync(join(work, '.env'), join(work, 'second-name'))
  const { dir } = kernel.use(Home)
  mkdirSync(dir, { recursive: true })
  for (const name of ['config.yaml', 'auth.json']) writeFileSync(join(dir, name), 'hidden')
  symlinkSync(dir, join(work, 'home'))
  const paths = ['.env', '.env.local', '.git-credentials', 'plain.txt', 'home/config.yaml', 'home/auth.json']
  for (const path of [...paths, join(dir, 'config.yaml'), join(dir, 'auth.json')])
    for (const route of READERS) {
      const { status, text } = await of(route, { path })
      expect([path, route, status, text.includes('hidden')]).toEqual([path, route, 403, false])
    }
})

test('a text is read with its kind, its beginning when it is long, and not at all when it is huge', async () => {
  const { of, work } = await openWorkshop()
  expect((await of('/api/fs/read-text', { path: 'src/main.ts' })).json).toEqual({
    ...{ path: 'src/main.ts', byteSize: 10, mimeType: 'text/plain', language: 'typescript' },
    ...{ binary: false, text: 'export {}\n', truncated: false },
  })
  writeFileSync(join(work, 'data.bin'), Uint8Array.of(1, 0, 2))
  const binary = (await of('/api/fs/read-text', { path: 'data.bin' })).json
  expect(binary).toMatchObject({ binary: true, text: '', truncated: false, mimeType: 'application/octet-stream' })
  writeFileSync(join(work, 'long.md'), 'x'.repeat(600_000))
  const long = (await of('/api/fs/read-text', { path: 'long.md' })).json
  expect([long.truncated, long.text.length, long.byteSize, long.mimeType]).toEqual([
    ...[true, 524_288, 600_000, 'text/markdown'],
  ])
  writeFileSync(join(work, 'huge.txt'), '')
  truncateSync(join(work, 'huge.txt'), 64 * 2 ** 20 + 1)
  expect(await of('/api/fs/read-text', { path: 'huge.txt' })).toMatchObject({
    ...{ status: 413, json: { code: 'file_size' } },
  })
  expect((await of('/api/fs/read-text', { path: 'src' })).status).toBe(404)
})

test('a file is sent as a data URL up to 16 MiB', async () => {
  const { of, work } = await openWorkshop()
  writeFileSync(join(work, 'dot.png'), DOT)
  const { dataUrl } = (await of('/api/fs/read-data-url', { path: 'dot.png' })).json
  expect(dataUrl).toBe(`data:image/png;base64,${DOT.toString('base64')}`)
  truncateSync(join(work, 'notes.txt'), 16 * 2 ** 20)
  expect((await of('/api/fs/read-data-url', { path: 'notes.txt' })).status).toBe(200)
  truncateSync(join(work, 'notes.txt'), 16 * 2 ** 20 + 1)
  expect((await of('/api/fs/read-data-url', { path: 'notes.txt' })).status).toBe(413)
})

test('a picture comes from the folder or from an opened one of the home; others and other files are refused', async () => {
  const { of, work, outside, kernel } = await openWorkshop({
    setup: (ctx) => void ctx.add(ReadableFolders, { name: ctx.name, path: ctx.use(Home).path('pictures') }),
  })
  const opened = kernel.use(Home).path('pictures')
  const closed = kernel.use(Home).path('private')
  for (const folder of [opened, closed]) mkdirSync(folder, { recursive: true })
  for (const folder of [work, opened, closed, outside]) writeFileSync(join(folder, 'dot.bin'), DOT)
  const getStatus = async (path: string) => (await of('/api/media', { path })).status
  expect((await of('/api/media', { path: 'dot.bin' })).json.data_url).toMatch(/^data:image\/png;base64,/)
  expect(await getStatus(join(opened, 'dot.bin'))).toBe(200)
  for (const folder of [closed, outside]) expect(await getStatus(join(folder, 'dot.bin'))).toBe(403)
  expect(await of('/api/media', { path: 'notes.txt' })).toMatchObject({
    status: 415,
    json: { code: 'media' },
  })
  expect(await getStatus('gone.png')).toBe(404)
  symlinkSync(join(closed, 'dot.bin'), join(opened, 'link.png'))
  symlinkSync(join(outside, 'dot.bin'), join(opened, 'out.png'))
  for (const path of ['link.png', 'out.png', '../private/dot.bin'])
    expect([path, await getStatus(join(opened, path))]).toEqual([path, 403])
  for (const path of [join(outside, 'gone.png'), join(work, '../outside/gone.png')])
    expect([path, await getStatus(path)]).toEqual([path, 403])
  writeFileSync(join(work, 'large.png'), DOT)
  truncateSync(join(work, 'large.png'), 25 * 2 ** 20 + 1)
  expect(await getStatus('large.png')).toBe(413)
})

test('the folder, its branch and the root of its repository are told; outside of repositories they are null', async () => {
  const { of, work } = await openWorkshop()
  expect((await of('/api/fs/default-cwd')).json).toEqual({ cwd: work, branch: null })
  expect((await of('/api/fs/git-root', { path: 'src' })).json).toEqual({ root: null })
  execFileSync('git', ['init', '--quiet', '--initial-branch=work'], { cwd: work })
  expect((await of('/api/fs/default-cwd')).json).toEqual({ cwd: work, branch: 'work' })
  expect((await of('/api/fs/git-root', { path: 'src/main.ts' })).json).toEqual({ root: work })
})

test('a file is uploaded whole; one that is replaced is in a checkpoint before', async () => {
  const { ask, session, work, kernel } = await openWorkshop()
  const upload = (path: string, text: string, more: object = {}) =>
    ask('POST', '/api/files/upload', {
      body: { session, path, data_url: `data:text/plain;base64,${Buffer.from(text).toString('base64')}`, ...more },
    })
  const made = (await upload('src/new.txt', 'first')).json
  expect(made).toMatchObject({ ok: true, path: 'src/new.txt', entry: { size: 5 }, checkpoint: null })
  expect((await upload('src/new.txt', 'second', { overwrite: false })).status).toBe(409)
  const replaced = (await upload('src/new.txt', 'second')).json
  expect(readFileSync(join(work, 'src/new.txt'), 'utf8')).toBe('second')
  expect((await kernel.use(Checkpoints).list(work)).map(({ id }) => id)).toContain(replaced.checkpoint)
  for (const data_url of ['plain', 'data:;base64,no*base64*', 'data:text/plain,abc'])
    expect((await ask('POST', '/api/files/upload', { body: { session, path: 'x.txt', data_url } })).status).toBe(400)
  expect((await upload('', 'x')).status).toBe(400)
  expect((await upload('.', 'x')).status).toBe(400)
  expect((await upload('src', 'x')).status).toBe(409)
})

test('a picture for a message is stored where tools read it and the page shows it; what is not one is refused', async () => {
  const { ask, of, kernel } = await openWorkshop()
  const send = (bytes: Uint8Array, filename?: string) =>
    ask('POST', '/api/chat/image-upload', {
      body: {
        data_url: `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`,
        ...(filename && { filename }),
      },
    })
  const { json } = await send(DOT, '../../dot.jpeg')
  expect(json).toMatchObject({ ok: true, name: 'dot.jpeg', bytes: DOT.length, mime_type: 'image/png' })
  expect(dirname(json.path)).toBe(kernel.use(Home).path('data', 'dashboard-workspace', 'pictures'))
  expect([basename(json.path), statSync(json.path).mode & 0o777]).toEqual([expect.stringMatching(/\.png$/), 0o600])
  expect((await of('/api/media', { path: json.path })).status).toBe(200)
  expect((await kernel.use(GuardedFiles).read(json.path, '/', { maxBytes: 9 })).bytes).toHaveLength(9)
  expect(await send(Buffer.from('text'))).toMatchObject({ status: 415, json: { code: 'media' } })
  expect((await ask('POST', '/api/chat/image-upload', { body: { data_url: 'dot' } })).status).toBe(400)
  expect((await send(Buffer.concat([DOT, Buffer.alloc(25 * 2 ** 20)]))).status).toBe(413)
})
