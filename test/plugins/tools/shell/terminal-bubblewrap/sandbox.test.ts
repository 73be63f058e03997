import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { lacks, openSession } from '../tool-terminal/session.ts'
import { temporaryFolder } from '../tool-terminal/support.ts'

const absent = lacks('bwrap', '--ro-bind', '/', '/', '--unshare-all', 'true')
const open = (cwd: string, config: object = {}, home?: string) =>
  openSession({
    ...{ cwd, plugins: ['terminal-bubblewrap'], config: { backend: 'bubblewrap', ...config } },
    ...(home === undefined ? {} : { home }),
  })

describe.skipIf(absent)(`a sandbox of bubblewrap${absent ? ' (skipped: bwrap does not work here)' : ''}`, () => {
  test('keeps folder and variables between commands, and its files are those of the session', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path)
    await session.terminal({ command: 'x=kept; mkdir sub; cd sub; echo inside > file' })
    expect((await session.terminal({ command: 'echo $x; pwd' })).text).toBe(`kept\n${folder.path}/sub`)
    expect(readFileSync(join(folder.path, 'sub/file'), 'utf8')).toBe('inside\n')
    expect(session.isolated()).toBe(false)
  })

  test('writes nowhere else, sees no processes of the machine and no network', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path)
    const outside = join(homedir(), `.svc-test-${process.pid}`)
    const { text } = await session.terminal({
      command: `touch ${outside} || echo refused; ls /proc | grep -c '^[0-9]'`,
    })
    expect(text).toMatch(/Read-only file system\nrefused\n[1-9]$/)
    expect(existsSync(outside)).toBe(false)
    const links = await session.terminal({ command: 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "' })
    expect(links.text).toBe('lo')
  })

  test('has a /its own tmp that all its shells share', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path, { persistent_shell: false })
    const note = `/tmp/svc-sandbox-${process.pid}`
    await session.terminal({ command: `echo shared > ${note}` })
    expect((await session.terminal({ command: `cat ${note}` })).text).toBe('shared')
    expect(existsSync(note)).toBe(false)
  })

  test('does not see what svc keeps, also when it works in a folder around it', async () => {
    using folder = temporaryFolder()
    const home = join(folder.path, 'home')
    mkdirSync(home)
    writeFileSync(join(home, '.env'), 'SOME_API_KEY=canary-value\n')
    await using session = await open(folder.path, {}, home)
    const { text } = await session.terminal({ command: 'cat home/.env || ls -A home | wc -l' })
    expect(text).toMatch(/No such file or directory\n0$/)
  })

  test('ends with a command that takes too long, and the next one runs', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path)
    const result = await session.terminal({ command: 'mkdir deep; cd deep; sleep 300', timeout: 0.3 })
    expect(result).toMatchObject({ failed: true, data: { exitCode: 124 } })
    await vi.waitFor(() => expect(session.started()).toEqual([]))
    expect((await session.terminal({ command: 'ls' })).text).toBe('deep')
  })

  test('serves background commands and terminals too', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path)
    expect((await session.terminal({ command: 'test -t 0 && echo terminal', pty: true })).text).toBe('terminal')
    const { data } = await session.terminal({ command: 'echo up; sleep 300', background: true })
    await vi.waitFor(async () =>
      expect((await session.process({ action: 'poll', id: data['processId'] })).text).toContain('up'),
    )
    expect((await session.process({ action: 'kill', id: data['processId'] })).text).toContain('killed')
  })

  test('that cannot be made says why', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path, { bubblewrap_writable: [join(folder.path, 'missing')] })
    await expect(session.terminal({ command: 'true' })).rejects.toMatchObject({
      code: 'TERMINAL_BWRAP_FAILED',
      message: expect.stringContaining('missing'),
    })
  })
})

test('a machine without bwrap is told what to install', async () => {
  using folder = temporaryFolder()
  const path = process.env['PATH']
  await using session = await open(folder.path)
  process.env['PATH'] = folder.path
  try {
    await expect(session.terminal({ command: 'true' })).rejects.toMatchObject({ code: 'TERMINAL_BWRAP_MISSING' })
  } finally {
    process.env['PATH'] = path
  }
})
