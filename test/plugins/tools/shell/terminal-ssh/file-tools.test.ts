/** The file tools and `patch` in a session whose commands run on another machine: a real sshd on the loopback. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Tool, type ToolResult, Tools } from 'svc/sdk'
import { fakeToolTurn, type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countToday } from '../../../../support/today.ts'
import { lacks } from '../tool-terminal/session.ts'
import { temporaryFolder } from '../tool-terminal/support.ts'
import { SSHD, type SshServer, startSshd } from './server.ts'

const absent = SSHD === undefined || lacks('ssh', '-V')
const why = absent ? ' (skipped: no sshd or no ssh here)' : ''

const isNext = countToday(3)
/** Each step goes to the machine and back: a third of them each day. */
const story = (name: string, tell: () => Promise<void>) => test.skipIf(!isNext())(name, tell)

describe.skipIf(absent)(`file tools where commands run on another machine${why}`, () => {
  let server: SshServer
  let kernel: TestKernel
  /** On the other machine; the sessions' own folder on this one is another. */
  const there = temporaryFolder()
  const here = temporaryFolder()
  const folder = temporaryFolder()

  beforeAll(async () => {
    server = await startSshd(folder.path)
    const ssh = { ssh_host: '127.0.0.1', ssh_user: server.user, ssh_port: server.port, ssh_key: server.key }
    kernel = await testKernel({
      plugins: ['tool-terminal', 'terminal-ssh', 'tool-files', 'tool-patch'],
      config: { terminal: { backend: 'ssh', ...ssh, ssh_folder: there.path } },
      env: { SOME_API_KEY: 'canary-secret-value' },
    })
    expect(kernel.problems()).toEqual([])
  }, 30_000)
  afterAll(async () => {
    await kernel.stop()
    await server.stop()
    for (const each of [there, here, folder]) each[Symbol.dispose]()
  })

  const tool = (name: string) => kernel.all(Tools).get(name) as Tool
  async function call(name: string, input: object, more: object = {}): Promise<ToolResult> {
    const parsed = await tool(name).input['~standard'].validate(input)
    if (parsed.issues) throw new Error(parsed.issues.map(({ message }) => message).join())
    const turn = fakeToolTurn({ sessionId: 's', cwd: here.path, ...more })
    return (await tool(name).run(parsed.value, turn)) as ToolResult
  }
  const put = (name: string, text: string | Buffer) => writeFileSync(join(there.path, name), text)
  const get = (name: string) => readFileSync(join(there.path, name), 'utf8')

  story('read, write and change files there, and touch none here', async () => {
    put('a.txt', 'one\ntwo\nthree\n')
    writeFileSync(join(here.path, 'a.txt'), 'a file of this machine')
    expect((await call('read_file', { path: 'a.txt', offset: 2, limit: 1 })).text).toContain('2\ttwo')
    expect((await call('write_file', { path: 'new/b.txt', content: 'hello\n' })).text).toBe(
      'Created new/b.txt: 1 line, 6 bytes.',
    )
    expect(get('new/b.txt')).toBe('hello\n')
    const patched = await call('patch', { mode: 'replace', path: 'a.txt', old_string: 'two', new_string: '2' })
    expect(patched).toMatchObject({ data: { files: [{ path: join(there.path, 'a.txt'), change: 'replaced' }] } })
    expect(get('a.txt')).toBe('one\n2\nthree\n')
    const several = '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Delete File: new/b.txt\n*** End Patch'
    await call('patch', { mode: 'patch', patch: several })
    expect(get('a.txt')).toBe('1\n2\nthree\n')
    expect(existsSync(join(there.path, 'new/b.txt'))).toBe(false)
    expect(readdirSync(here.path)).toEqual(['a.txt'])
    expect(readFileSync(join(here.path, 'a.txt'), 'utf8')).toBe('a file of this machine')
  })

  story('a file that another program changed since it was read is not overwritten', async () => {
    put('shared.txt', 'first\n')
    await call('read_file', { path: 'shared.txt' })
    put('shared.txt', 'of another program\n')
    await expect(call('write_file', { path: 'shared.txt', content: 'mine\n' })).rejects.toMatchObject({
      code: 'FILE_CHANGED',
    })
    expect(get('shared.txt')).toBe('of another program\n')
    await call('read_file', { path: 'shared.txt' })
    await call('write_file', { path: 'shared.txt', content: 'mine\n' })
    expect(get('shared.txt')).toBe('mine\n')
  })

  story('list and search there', async () => {
    mkdirSync(join(there.path, 'src/deep'), { recursive: true })
    put('src/x.ts', 'const alpha = 1\n')
    put('src/deep/y.ts', 'nothing\nalpha again canary-secret-value\n')
    symlinkSync('src/x.ts', join(there.path, 'link'))
    expect((await call('list_files', { path: 'src' })).text).toBe('2 entries in src:\ndeep/\nx.ts')
    expect((await call('list_files', { path: '.' })).text).toContain('link -> src/x.ts')
    expect((await call('list_files', { path: '.', glob: '*.ts' })).data).toMatchObject({
      entries: ['src/deep/y.ts', 'src/x.ts'],
    })
    const { text } = await call('search_files', { pattern: 'alpha', path: 'src' })
    expect(text).toContain('src/x.ts:1: const alpha = 1')
    expect(text).toContain('src/deep/y.ts:2: alpha again ***')
    expect((await call('search_files', { pattern: 'alpha', mode: 'count' })).text).toContain('src/x.ts: 1')
    expect((await call('search_files', { pattern: 'y', mode: 'names' })).text).toContain('src/deep/y.ts')
    expect((await call('search_files', { pattern: 'alpha', path: 'src/x.ts', mode: 'files' })).text).toContain('1 file')
    expect((await call('search_files', { pattern: '(alpha' })).text).toContain('taken literally')
  })

  story('names that were perhaps meant are those there', async () => {
    put('README.md', '# There\n')
    writeFileSync(join(here.path, 'READNOT.md'), '')
    await expect(call('read_file', { path: 'REDME.md' })).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
      message: expect.stringContaining(`Similar: ${join(there.path, 'README.md')}`),
    })
    await expect(call('read_file', { path: 'src' })).rejects.toMatchObject({ code: 'FILE_IS_FOLDER' })
    await expect(call('write_file', { path: 'src', content: '' })).rejects.toMatchObject({ code: 'FILE_IS_FOLDER' })
  })

  story('large files, documents and other encodings are read as here', async () => {
    put('long.txt', Array.from({ length: 200_000 }, (_, at) => `line ${at + 1}`).join('\n'))
    expect((await call('read_file', { path: 'long.txt', offset: 150_000, limit: 2 })).text).toMatch(
      /^150000\tline 150000\n150001\tline 150001\n/,
    )
    put('utf16.txt', Buffer.from('\uFEFFwide\n', 'utf16le'))
    expect((await call('read_file', { path: 'utf16.txt' })).text).toContain('wide')
    put('picture.png', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'))
    await expect(call('read_file', { path: 'picture.png' })).rejects.toMatchObject({ code: 'FILE_BINARY' })
  })

  story('the rules about secrets and system files hold there, through links as well', async () => {
    put('id_rsa', 'x')
    symlinkSync('/etc/shadow', join(there.path, 'harmless'))
    symlinkSync('/etc', join(there.path, 'etc'))
    for (const path of ['~/.ssh/id_ed25519', '/etc/shadow', '/proc/self/environ', join(homedir(), '.netrc')])
      await expect(call('read_file', { path })).rejects.toMatchObject({
        code: expect.stringMatching(/PROTECTED|FOUND/),
      })
    await expect(call('read_file', { path: 'harmless' })).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
    const writes = ['/etc/svc-test', 'etc/svc-test', '~/.bashrc', '~/.ssh/authorized_keys']
    for (const path of writes)
      await expect(call('write_file', { path, content: '' })).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
    const key = `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n`
    put('notes.txt', key)
    await expect(call('read_file', { path: 'notes.txt' })).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
  })

  story('say to the gates which environment their paths are in', async () => {
    const session = { sessionId: 's', cwd: here.path }
    const acts = async (name: string, input: object) => tool(name).acts?.(input as never, session)
    expect(await acts('write_file', { path: 'x/../y' })).toEqual({ environment: 'ssh', writes: [`${there.path}/y`] })
    expect(await acts('read_file', { path: '/etc/hosts' })).toEqual({ environment: 'ssh', reads: ['/etc/hosts'] })
    expect(await acts('patch', { mode: 'replace', path: '~/z' })).toMatchObject({ environment: 'ssh' })
    expect(await acts('terminal', { command: 'ls' })).toMatchObject({ environment: 'ssh', command: 'ls' })
  })
})
