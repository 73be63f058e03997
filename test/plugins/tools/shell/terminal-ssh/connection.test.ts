import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { lacks, openSession } from '../tool-terminal/session.ts'
import { temporaryFolder } from '../tool-terminal/support.ts'
import { SSHD, type SshServer, startSshd } from './server.ts'

const absent = SSHD === undefined || lacks('ssh', '-V')
const why = absent ? ' (skipped: no sshd or no ssh here)' : ''

const settings = (server: SshServer) => ({
  ...{ backend: 'ssh', ssh_host: '127.0.0.1', ssh_user: server.user, ssh_port: server.port, ssh_key: server.key },
})
const open = (cwd: string, config: object, env: Record<string, string> = {}, home?: string) =>
  openSession({ cwd, plugins: ['terminal-ssh'], config: { ...config }, env, ...(home === undefined ? {} : { home }) })

describe.skipIf(absent)(`another machine${why}`, () => {
  test('keeps folder and variables between commands', async () => {
    using folder = temporaryFolder()
    await using server = await startSshd(folder.path)
    await using session = await open(folder.path, settings(server))
    expect((await session.terminal({ command: `cd '${folder.path}' && x=kept` })).text).toBe(`[now in ${folder.path}]`)
    expect((await session.terminal({ command: 'echo $x; pwd; (exit 7)' })).text).toBe(`kept\n${folder.path}\n[exit 7]`)
    expect(session.isolated()).toBe(false)
  })

  test('is named by variables too, which go before the configuration; they also say whether shells are kept', async () => {
    using folder = temporaryFolder()
    await using server = await startSshd(folder.path)
    await using session = await open(
      folder.path,
      { ssh_host: 'nowhere.invalid' },
      {
        ...{ TERMINAL_ENV: 'ssh', TERMINAL_SSH_HOST: '127.0.0.1', TERMINAL_SSH_USER: server.user },
        ...{ TERMINAL_SSH_PORT: String(server.port), TERMINAL_SSH_KEY: server.key, TERMINAL_SSH_PERSISTENT: 'false' },
      },
    )
    await session.terminal({ command: 'x=1; cd /usr' })
    expect((await session.terminal({ command: 'echo "[$x]"; test "$PWD" = /usr || echo elsewhere' })).text).toBe(
      '[]\nelsewhere',
    )
  })

  test('loses none of a long output, whatever bytes it holds', async () => {
    using folder = temporaryFolder()
    await using server = await startSshd(folder.path)
    await using session = await open(folder.path, settings(server))
    const { text } = await session.terminal({ command: 'seq 100000; echo problem >&2' })
    expect(text).toMatch(/^1\n2\n/)
    expect(text).toMatch(/\n100000\nproblem$/)
    expect(text).toContain('bytes left out here')
    for (let round = 0; round < 20; round++) {
      expect((await session.terminal({ command: `printf '\\0${round}\\0'; echo; echo ${round}` })).text).toContain(
        `${round}`,
      )
    }
  })

  test('ends a command there when its time is over or the user stops it', async () => {
    using folder = temporaryFolder()
    await using server = await startSshd(folder.path)
    await using session = await open(folder.path, settings(server))
    const alive = join(folder.path, 'alive')
    const command = `trap 'rm -f ${alive}' EXIT; touch ${alive}; setsid sleep 300 & sh -c "echo on; sleep 300"`
    const result = await session.terminal({ command: `bash -c '${command.replaceAll("'", "'\\''")}'`, timeout: 1 })
    expect(result).toMatchObject({ failed: true, data: { exitCode: 124 } })
    expect(existsSync(alive)).toBe(false)
    const stop = new AbortController()
    const turn = { signal: stop.signal, progress: () => stop.abort() }
    expect(await session.terminal({ command: 'echo on; sleep 300' }, turn)).toMatchObject({ data: { exitCode: 130 } })
    expect((await session.terminal({ command: 'echo again' })).text).toContain('again')
  })

  test('serves background commands and terminals too', async () => {
    using folder = temporaryFolder()
    await using server = await startSshd(folder.path)
    await using session = await open(folder.path, settings(server))
    expect((await session.terminal({ command: 'test -t 0 && echo terminal', pty: true })).text).toBe('terminal')
    const { data } = await session.terminal({
      command: 'echo $$ > pid; echo up; exec sleep 300',
      background: true,
      workdir: folder.path,
    })
    await vi.waitFor(async () =>
      expect((await session.process({ action: 'poll', id: data['processId'] })).text).toContain('up'),
    )
    const pid = readFileSync(join(folder.path, 'pid'), 'utf8').trim()
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    expect((await session.process({ action: 'kill', id: data['processId'] })).text).toContain('killed')
    await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false))
  })

  test('that went away is named', async () => {
    using folder = temporaryFolder()
    const server = await startSshd(folder.path)
    await using session = await open(folder.path, settings(server))
    await session.terminal({ command: 'true' })
    await server.stop()
    expect((await session.terminal({ command: 'kill -9 $PPID; sleep 300', timeout: 5 })).failed).toBe(true)
    await expect(session.terminal({ command: 'true' })).rejects.toMatchObject({
      message: expect.stringMatching(/ssh|shell/i),
    })
  })

  test('whose key has changed is not trusted', async () => {
    using folder = temporaryFolder()
    const home = join(folder.path, 'home')
    await using server = await startSshd(folder.path)
    {
      await using session = await open(folder.path, settings(server), {}, home)
      await session.terminal({ command: 'true' })
    }
    const known = join(home, 'data', 'terminal-ssh', 'known_hosts')
    expect(existsSync(known), 'the key is remembered').toBe(true)
    const other = readFileSync(`${server.key}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')
    writeFileSync(known, `[127.0.0.1]:${server.port} ${other}\n`)
    await using session = await open(folder.path, settings(server), {}, home)
    await expect(session.terminal({ command: 'true' })).rejects.toMatchObject({ code: 'TERMINAL_SSH_FAILED' })
  })

  test('that does not answer is an error that names it', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path, { backend: 'ssh', ssh_host: '127.0.0.1', ssh_port: 1 })
    await expect(session.terminal({ command: 'true' })).rejects.toMatchObject({
      code: 'TERMINAL_SSH_FAILED',
      message: expect.stringContaining('port 1: '),
    })
  })
})

test('ssh without a machine says which setting is missing', async () => {
  using folder = temporaryFolder()
  await using session = await open(folder.path, { backend: 'ssh' })
  await expect(session.terminal({ command: 'true' })).rejects.toMatchObject({ code: 'TERMINAL_SSH_UNSET' })
})
