import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openContainer } from '../../../../../plugins/tools/shell/terminal-docker/container.ts'
import { config as terminalConfig } from '../../../../../plugins/tools/shell/tool-terminal/config.ts'
import { openSession } from '../tool-terminal/session.ts'
import { temporaryFolder } from '../tool-terminal/support.ts'
import { type Engine, IMAGE, missingPrograms, startEngine } from './engine.ts'

const missing = missingPrograms()
const why = missing === undefined ? '' : ` (skipped: ${missing} is not installed)`
let engine: Engine

const open = (cwd: string, config: object = {}, env: Record<string, string> = {}, home?: string) =>
  openSession({
    ...{ cwd, plugins: ['terminal-docker'], env, ...(home === undefined ? {} : { home }) },
    config: { backend: 'docker', docker_image: IMAGE, docker_network: 'none', ...small, ...config },
  })
/** Limits need control groups, which are not everywhere. */
const small = { container_cpu: 0, container_memory: 0 }

describe.skipIf(missing !== undefined)(`a container of a session${why}`, () => {
  beforeAll(async () => {
    engine = await startEngine()
  }, 30_000)
  afterAll(async () => engine[Symbol.asyncDispose]())

  test.for(['docker', 'podman'])(
    'of %s keeps folder, variables and files between commands, and is gone afterwards',
    async (backend) => {
      using folder = temporaryFolder()
      {
        await using session = await open(folder.path, { backend })
        expect((await session.terminal({ command: 'pwd; x=kept; echo file > /root/note; cd /root' })).text).toBe(
          '/workspace\n[now in /root]',
        )
        expect((await session.terminal({ command: 'echo $x; cat note; echo err >&2; (exit 7)' })).text).toBe(
          'kept\nfile\nerr\n[exit 7]',
        )
        expect(session.isolated()).toBe(true)
        expect(engine.containers()).toHaveLength(1)
      }
      expect(engine.containers()).toEqual([])
    },
  )

  test('has few rights, and sees nothing of the machine: no folder, no secret', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'mine'), 'text')
    await using session = await open(folder.path, {}, { OTHER_API_KEY: 'canary-value' })
    const { text } = await session.terminal({
      command: 'grep -E "CapEff|NoNewPrivs" /proc/self/status; env; ls /workspace',
    })
    expect(text).toMatch(/CapEff:\s+000000000000000b/)
    expect(text).toMatch(/NoNewPrivs:\s+1/)
    expect(text).not.toContain('canary')
    expect(text).not.toContain('mine')
    expect(text).not.toContain(folder.path)
  })

  test('gets the variables that are named, from the environment first and then from .env', async () => {
    using folder = temporaryFolder()
    using home = temporaryFolder()
    writeFileSync(join(home.path, '.env'), 'FROM_FILE=file-value\nFROM_BOTH=not-this\nNOT_NAMED=hidden-value\n')
    const config = { docker_forward_env: ['FROM_FILE', 'FROM_BOTH', 'UNSET_ONE'], docker_env: { FIXED: 'as it is' } }
    await using session = await open(folder.path, config, { FROM_BOTH: 'shell-value' }, home.path)
    const command = 'for name in FROM_FILE FROM_BOTH FIXED NOT_NAMED UNSET_ONE; do eval "echo $name \\${#$name}"; done'
    const { text } = await session.terminal({ command })
    // Lengths, since values from .env are masked in whatever the model reads.
    expect(text).toBe('FROM_FILE 10\nFROM_BOTH 11\nFIXED 8\nNOT_NAMED 0\nUNSET_ONE 0')
  })

  test('shares the folder of the session when that is asked for, and is then not isolated any more', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path, { docker_mount_cwd_to_workspace: true })
    expect((await session.terminal({ command: 'pwd; echo shared > note' })).text).toBe('/workspace')
    expect(readFileSync(join(folder.path, 'note'), 'utf8')).toBe('shared\n')
    expect(session.isolated()).toBe(false)
  })

  test('ends a command whose time is over, keeps the rest of the container, and serves the next one', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path)
    await session.terminal({ command: 'cd /root; echo kept > note' })
    const { data } = await session.terminal({ command: 'echo up; exec sleep 299', background: true })
    expect(await session.terminal({ command: 'setsid sleep 298 & sleep 297', timeout: 1 })).toMatchObject({
      ...{ failed: true, data: { exitCode: 124 } },
    })
    const { text } = await session.terminal({ command: 'cat note; ps | grep -o "[s]leep 29."' })
    expect(text).toMatch(/^kept\nsleep 299/)
    expect(text).not.toMatch(/sleep 29[78]/)
    expect((await session.process({ action: 'kill', id: data['processId'] })).text).toContain('killed')
    expect((await session.terminal({ command: 'ps | grep -c "[s]leep 299"' })).data['exitCode']).toBe(1)
  })

  test.for(['docker', 'podman'])('of %s keeps the files of the session for the next process', async (backend) => {
    using folder = temporaryFolder()
    using home = temporaryFolder()
    {
      await using session = await open(folder.path, { backend }, {}, home.path)
      await session.terminal({ command: 'echo one > note; echo two > /root/note; echo three > /etc/note' })
    }
    await using session = await open(folder.path, { backend }, {}, home.path)
    expect((await session.terminal({ command: 'cat note /root/note; cat /etc/note' })).text).toMatch(/^one\ntwo\ncat: /)
    expect(session.isolated()).toBe(true)
    // Another session has its own.
    expect((await session.terminal({ command: 'ls' }, { sessionId: 'other' })).text).toBe('(no output)')
  })

  test('loses its files where terminal.container_persistent is off', async () => {
    using folder = temporaryFolder()
    using home = temporaryFolder()
    const config = { container_persistent: false }
    {
      await using session = await open(folder.path, config, {}, home.path)
      await session.terminal({ command: 'echo one > note' })
    }
    await using session = await open(folder.path, config, {}, home.path)
    expect((await session.terminal({ command: 'ls' })).text).toBe('(no output)')
  })

  test('that nothing runs in ends, and the next command finds the files in another one', async () => {
    using folder = temporaryFolder()
    const clock = virtualClock()
    const data = join(folder.path, 'data')
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const random = { hex: () => randomBytes(6).toString('hex') } as unknown as Random
    const host = { clock: () => clock, random: () => random, variable: () => undefined, log, dataDir: data }
    const settings = terminalConfig.parse({ docker_image: IMAGE, docker_network: 'none', ...small })
    const environment = Object.fromEntries(
      Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
    )
    const place = { sessionId: 'idle', cwd: folder.path, environment, settings }
    const terminal = await openContainer({ program: 'podman', place, host }, new AbortController().signal)
    const run = async (command: string) => {
      const launch = await terminal.launch({ command: ['sh', '-c', command], pty: false })
      const [program = '', ...args] = launch.command
      const out = execFileSync(program, args, { encoding: 'utf8' })
      await launch.close?.()
      return out
    }
    await run('echo one > note')
    const [first] = engine.containers()
    await clock.advance(30 * 60_000)
    await vi.waitFor(() => expect(engine.containers()).not.toContain(first), { timeout: 8000 })
    expect(await run('cat note')).toBe('one\n')

    // A month later they are gone, once nothing uses them.
    await terminal.close()
    await clock.advance(31 * 24 * 60 * 60_000)
    const later = { sessionId: 'later', cwd: folder.path, environment, settings }
    const next = await openContainer({ program: 'podman', place: later, host }, new AbortController().signal)
    await vi.waitFor(() => expect(readdirSync(join(data, 'volumes', 'podman'))).toHaveLength(1), { timeout: 8000 })
    await next.close()
    const again = await openContainer({ program: 'podman', place, host }, new AbortController().signal)
    const {
      command: [program = '', ...args],
    } = await again.launch({ command: ['ls'], pty: false })
    expect(execFileSync(program, args, { encoding: 'utf8' })).toBe('')
    await again.close()
  })

  test('is started again after a fault that passes', async () => {
    using folder = temporaryFolder()
    const engineProgram = execFileSync('which', ['podman'], { encoding: 'utf8' }).trim()
    const faulty = [
      '#!/bin/sh',
      `if [ "$1" = run ] && [ ! -e ${folder.path}/failed ]; then touch ${folder.path}/failed`,
      'echo "Error: initializing source: net/http: TLS handshake timeout" >&2; exit 125; fi',
      `exec ${engineProgram} "$@"`,
    ].join('\n')
    writeFileSync(join(folder.path, 'podman'), faulty, { mode: 0o755 })
    const path = process.env['PATH']
    process.env['PATH'] = `${folder.path}:${path}`
    try {
      await using session = await open(folder.path, { backend: 'podman' })
      expect((await session.terminal({ command: 'echo up' })).text).toBe('up')
      expect(existsSync(join(folder.path, 'failed'))).toBe(true)
    } finally {
      process.env['PATH'] = path
    }
  })

  test('gives a command a terminal', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path)
    expect((await session.terminal({ command: 'test -t 0 && echo terminal', pty: true })).text).toBe('terminal')
  })

  test('that was removed by someone else is replaced', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path)
    await session.terminal({ command: 'true' })
    const stop = { progress: () => engine.remove() }
    expect((await session.terminal({ command: 'echo on; sleep 20' }, stop)).failed).toBe(true)
    await vi.waitFor(async () => expect((await session.terminal({ command: 'echo back' })).text).toContain('back'), {
      timeout: 8000,
    })
  })

  test('whose image does not exist says what the engine said', async () => {
    using folder = temporaryFolder()
    await using session = await open(folder.path, {
      docker_image: 'localhost/no-such-image',
      docker_extra_args: ['--pull', 'never'],
    })
    await expect(session.terminal({ command: 'true' })).rejects.toMatchObject({
      code: 'TERMINAL_CONTAINER_FAILED',
      message: expect.stringContaining('localhost/no-such-image'),
    })
  })
})

test('a machine without docker is told what to install', async () => {
  using folder = temporaryFolder()
  await using session = await open(folder.path)
  const path = process.env['PATH']
  process.env['PATH'] = folder.path
  try {
    await expect(session.terminal({ command: 'true' })).rejects.toMatchObject({ code: 'TERMINAL_CONTAINER_MISSING' })
  } finally {
    process.env['PATH'] = path
  }
})
