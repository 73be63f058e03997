import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorkshop } from './workshop.ts'

test('a folder is listed with its folders first, and a text is read', async () => {
  const { of, work } = await openWorkshop()
  const { json } = await of('/api/files')
  expect(json).toMatchObject({ root: work, path: '', parent: null, truncated: false })
  expect(json.entries.map(({ name }: { name: string }) => name)).toEqual(['src', 'link.txt', 'notes.txt', 'way-out'])
  expect((await of('/api/files', { path: 'src/' })).json).toMatchObject({ path: 'src', parent: '' })
  expect((await of('/api/files/read', { path: './notes.txt' })).json).toMatchObject({ text: 'one\ntwö\n', size: 9 })
  writeFileSync(join(work, 'picture'), Uint8Array.of(1, 0, 2))
  expect((await of('/api/files/read', { path: 'picture' })).json.text).toBeNull()
  writeFileSync(join(work, 'long'), 'ö'.repeat(400_000))
  const long = (await of('/api/files/read', { path: 'long' })).json
  expect([long.truncated, long.text.length]).toEqual([true, 262_144])
  expect((await of('/api/files', { path: 'notes.txt' })).status).toBe(404)
  expect((await of('/api/files/read', { path: 'nothing' })).status).toBe(404)
  expect((await of('/api/files/read', { path: 'src' })).status).toBe(404)
})

const OUTSIDE = ['../outside/secret.txt', '/etc/passwd', 'src/../../outside', 'way-out/secret.txt', 'link.txt', '~/x']

test.for([...OUTSIDE, 'a\\..\\b', 'C:x'])(
  'the path %s leads out of the folder and is refused everywhere',
  async (path) => {
    const { of, ask, announce, session, outside } = await openWorkshop()
    for (const route of ['/api/files', '/api/files/read', '/api/files/download', '/api/git/diff']) {
      const reply = await of(route, { path })
      expect([route, reply.status]).toEqual([route, 403])
      expect(reply.text).not.toContain('hidden')
    }
    expect((await announce(path, 3)).status).toBe(403)
    expect((await ask('POST', '/api/files/mkdir', { body: { session, path } })).status).toBe(403)
    expect(readdirSync(outside)).toEqual(['secret.txt'])
  },
)

test('a file with secrets is not sent', async () => {
  const { of, work } = await openWorkshop()
  writeFileSync(join(work, '.env'), 'KEY=hidden-value\n')
  for (const route of ['/api/files/read', '/api/files/download'])
    expect(await of(route, { path: '.env' })).toMatchObject({
      status: 403,
      text: expect.not.stringContaining('hidden'),
    })
})

test('a download needs a credential, opens once by its ticket, and is whole', async () => {
  const { ask, url, session, work } = await openWorkshop()
  const bytes = Buffer.alloc(300_000, 'abc')
  writeFileSync(join(work, 'ä b.bin'), bytes)
  const address = `${url}/api/files/download?${new URLSearchParams({ session, path: 'ä b.bin' })}`
  expect((await fetch(address)).status).toBe(401)
  const { ticket } = (await ask('POST', '/api/auth/ws-ticket')).json
  const reply = await fetch(`${address}&ticket=${ticket}`)
  expect(reply.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''%C3%A4%20b.bin")
  expect(reply.headers.get('content-type')).toBe('application/octet-stream')
  expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true)
  expect((await fetch(`${address}&ticket=${ticket}`)).status).toBe(401)
})

test('a file that changes during its download breaks it off, and is not sent as if it were whole', async () => {
  const { url, token, session, work } = await openWorkshop()
  const file = join(work, 'growing')
  writeFileSync(file, Buffer.alloc(64 * 2 ** 20, 1))
  const address = `${url}/api/files/download?${new URLSearchParams({ session, path: 'growing' })}`
  const reply = await fetch(address, { headers: { 'x-svc-session-token': token } })
  const reader = reply.body?.getReader()
  await reader?.read()
  appendFileSync(file, 'more')
  const readAll = async () => {
    for (;;) if ((await reader?.read())?.done !== false) return
  }
  await expect(readAll()).rejects.toThrow()
})

test('an upload comes in pieces, gets its name when it is whole, and replaces nothing unasked', async () => {
  const { announce, piece, ask, work } = await openWorkshop()
  const { id, piece_bytes } = (await announce('src/data.txt', 6)).json
  expect(piece_bytes).toBeGreaterThan(1_000_000)
  expect((await piece(id, 0, 'abc')).json).toEqual({ received: 3 })
  expect(existsSync(join(work, 'src/data.txt'))).toBe(false)
  expect((await piece(id, 0, 'abc')).status).toBe(409)
  expect((await piece(id, 3, 'def')).json).toEqual({ received: 6 })
  expect((await ask('POST', `/api/files/uploads/${id}/finish`)).json.entry).toMatchObject({
    path: 'src/data.txt',
    size: 6,
  })
  expect(readFileSync(join(work, 'src/data.txt'), 'utf8')).toBe('abcdef')
  expect((await announce('src/data.txt', 1)).status).toBe(409)
  expect((await announce('src', 1, true)).status).toBe(409)
  expect((await announce('', 1)).status).toBe(400)
  const again = (await announce('src/data.txt', 1, true)).json.id
  await piece(again, 0, 'x')
  expect((await ask('POST', `/api/files/uploads/${again}/finish`)).status).toBe(200)
  expect(readFileSync(join(work, 'src/data.txt'), 'utf8')).toBe('x')
  expect(readdirSync(join(work, 'src'))).toEqual(['data.txt', 'main.ts'])
})

test('a file that changes while it is sent, on either side, is not stored, and nothing is left of it', async () => {
  const { announce, piece, ask, work } = await openWorkshop()
  const finish = async (id: string) => (await ask('POST', `/api/files/uploads/${id}/finish`)).status
  const short = (await announce('a.txt', 5)).json.id
  await piece(short, 0, 'abc')
  expect(await finish(short)).toBe(409)
  const long = (await announce('a.txt', 2)).json.id
  expect((await piece(long, 0, 'abc')).status).toBe(409)
  expect(await finish(long)).toBe(404)
  const replaced = (await announce('notes.txt', 3, true)).json.id
  await piece(replaced, 0, 'new')
  writeFileSync(join(work, 'notes.txt'), 'theirs, longer than before')
  expect(await finish(replaced)).toBe(409)
  const made = (await announce('made.txt', 3)).json.id
  await piece(made, 0, 'new')
  writeFileSync(join(work, 'made.txt'), 'theirs')
  expect(await finish(made)).toBe(409)
  expect(readFileSync(join(work, 'notes.txt'), 'utf8')).toBe('theirs, longer than before')
  expect(readFileSync(join(work, 'made.txt'), 'utf8')).toBe('theirs')
  expect(readdirSync(work).filter((name) => name.includes('upload'))).toEqual([])
})

test('two gigabytes are refused before any of it is sent, and so is a piece that is too large', async () => {
  const { announce, piece, work } = await openWorkshop()
  expect(await announce('big', 2 * 2 ** 30)).toMatchObject({ status: 413, json: { code: 'file_size' } })
  expect(existsSync(join(work, 'big'))).toBe(false)
  const { id } = (await announce('big', 50 * 2 ** 20)).json
  expect((await piece(id, 0, 'x'.repeat(5 * 2 ** 20))).status).toBe(413)
})

test('an upload that is left or given up leaves nothing, and there are eight at most', async () => {
  const { announce, piece, ask, work, clock } = await openWorkshop()
  const ids = await Promise.all(
    Array.from({ length: 8 }, async (_, at) => (await announce(`f${at}`, 3)).json.id as string),
  )
  expect((await announce('f9', 3)).status).toBe(429)
  expect((await ask('DELETE', `/api/files/uploads/${ids[0]}`)).json).toEqual({ ok: true })
  expect((await ask('DELETE', `/api/files/uploads/${ids[0]}`)).json).toEqual({ ok: false })
  await clock.advance(10 * 60_000)
  expect((await piece(ids[1] ?? '', 0, 'abc')).status).toBe(200)
  await clock.advance(10 * 60_000)
  await expect.poll(() => readdirSync(work).filter((name) => name.includes('upload'))).toHaveLength(1)
  expect((await piece(ids[2] ?? '', 0, 'abc')).status).toBe(404)
  expect((await ask('POST', `/api/files/uploads/${ids[1]}/finish`)).status).toBe(200)
})

test('git tells the branch and what was changed, and a program that the repository names is not run', async () => {
  const { of, work } = await openWorkshop()
  expect((await of('/api/git/status')).json).toEqual({ status: null })
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', work, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args])
  git('init', '-q', '-b', 'main')
  git('add', 'notes.txt', 'src')
  git('commit', '-qm', 'first')
  const trap = join(work, 'trap.sh')
  writeFileSync(trap, `#!/bin/sh\ntouch ${join(work, 'sprung')}\n`, { mode: 0o755 })
  for (const key of ['core.fsmonitor', 'diff.external']) git('config', key, trap)
  writeFileSync(join(work, 'notes.txt'), 'one\nthree\n')
  writeFileSync(join(work, 'src/main.ts'), 'export const x = 1\n')
  git('-c', 'core.fsmonitor=false', 'add', 'src/main.ts')
  const { status } = (await of('/api/git/status')).json
  expect(status).toMatchObject({ branch: 'main', ahead: 0, behind: 0, truncated: false })
  expect(status.files).toEqual([
    { path: 'notes.txt', staged: false, unstaged: true, untracked: false, conflicted: false },
    { path: 'src/main.ts', staged: true, unstaged: false, untracked: false, conflicted: false },
    ...['link.txt', 'trap.sh', 'way-out'].map((path) => ({
      ...{ path, staged: false, unstaged: false, untracked: true, conflicted: false },
    })),
  ])
  expect((await of('/api/git/diff', { path: 'notes.txt' })).json.diff).toContain('-twö\n+three')
  expect((await of('/api/git/diff', { path: 'src/main.ts' })).json.diff).toBe('')
  expect((await of('/api/git/diff', { path: 'src/main.ts', staged: 'true' })).json.diff).toContain('+export const x')
  expect(existsSync(join(work, 'sprung'))).toBe(false)
})
