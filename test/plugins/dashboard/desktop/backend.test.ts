import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type Backend,
  type BackendEnd,
  type BootPhase,
  startBackend,
} from '../../../../plugins/dashboard/desktop/backend/backend.ts'
import { BackendPool, type PoolDeps } from '../../../../plugins/dashboard/desktop/backend/pool.ts'
import { realClock, realNet } from '../../../../program/ports.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Serves as `svc serve` does, except for what `life` changes; its words and variables go to a file. */
const SERVER = `
const { createServer } = require('node:http')
const { writeFileSync } = require('node:fs')
const folder = process.argv[2]
const words = process.argv.slice(3)
const { SVC_HOME, SVC_DESKTOP, TERMINAL_CWD, SVC_DASHBOARD_SESSION_TOKEN } = process.env
writeFileSync(folder + '/seen.json', JSON.stringify({ words, SVC_HOME, SVC_DESKTOP, TERMINAL_CWD, SVC_DASHBOARD_SESSION_TOKEN, cwd: process.cwd(), pid: process.pid }))
const life = require('node:fs').readFileSync(folder + '/life', 'utf8')
console.log('a line of the log')
if (life === 'dies at once') { console.error('config.yaml is broken'); process.exit(7) }
const server = createServer((request, response) => {
  if (life === 'dies when asked') { console.error('the disk is full'); process.exit(8) }
  response.writeHead(life === 'never answers well' ? 503 : 200).end('{}')
})
const wanted = Number(words[words.indexOf('--port') + 1])
server.listen(wanted, '127.0.0.1', () => {
  const { port } = server.address()
  if (life === 'says no port') return
  if (life === 'writes the file') writeFileSync(process.env.SVC_DESKTOP_READY_FILE, JSON.stringify({ port }))
  else console.log('SVC_BACKEND_READY port=' + port)
  if (life === 'dies after its port') { console.error('no memory'); process.kill(process.pid, 'SIGKILL') }
  if (life === 'dies later') setTimeout(() => { console.error('an accident'); process.exit(9) }, 300)
})
if (life === 'does not end') process.on('SIGTERM', () => console.log('not yet'))
`

function stage(life: string) {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'server.cjs'), SERVER)
  const set = (text: string) => writeFileSync(join(folder, 'life'), text)
  set(life)
  const net = realNet(realClock)
  onTestFinished(() => net.close())
  const phases: BootPhase[] = []
  const lines: string[] = []
  const start = (options: { port?: number; portMs?: number } = {}) =>
    startBackend(
      {
        command: [process.execPath, join(folder, 'server.cjs'), folder],
        profile: 'work',
        home: '/the/home',
        token: 'the token',
        cwd: folder,
        port: options.port ?? 0,
        environment: { PATH: process.env['PATH'] },
      },
      { clock: realClock, net, onLine: (line) => lines.push(line), onProgress: (phase) => phases.push(phase) },
      { portMs: options.portMs ?? 20_000 },
    )
  const keep = (backend: Backend) => {
    onTestFinished(() => backend.close())
    return backend
  }
  return {
    folder,
    set,
    start,
    keep,
    phases,
    lines,
    seen: () => JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8')),
  }
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a backend', () => {
  test('is started for a home and a profile, found by its line, asked, and ended', async () => {
    const { start, seen, folder, phases } = stage('well')
    const backend = await start()
    expect(seen()).toMatchObject({
      words: ['--profile', 'work', 'serve', '--host', '127.0.0.1', '--port', '0'],
      SVC_HOME: '/the/home',
      SVC_DESKTOP: '1',
      TERMINAL_CWD: folder,
      SVC_DASHBOARD_SESSION_TOKEN: 'the token',
    })
    const base = `http://127.0.0.1:${backend.port}`
    expect(backend.connection).toEqual({
      baseUrl: base,
      wsUrl: `ws://127.0.0.1:${backend.port}/api/ws`,
      token: 'the token',
      mode: 'local',
      source: 'local',
    })
    expect(phases).toEqual(['spawn', 'port', 'wait', 'ready'])
    await backend.close()
    expect(isAlive(backend.pid)).toBe(false)
    expect(await backend.ended).toMatchObject({ signal: 'SIGTERM' })
  })

  test('is found by its file, at the port that is asked for', async () => {
    const { start, keep, set } = stage('writes the file')
    const { port } = keep(await start())
    await (await start()).close()
    set('well')
    await expect(start({ port })).rejects.toThrow(/EADDRINUSE/)
  })

  test.for([
    [
      'dies at once',
      /it ended before it said its port \(exit 7\)\. The end of its log:\na line of the log\nconfig\.yaml is broken/,
    ],
    ['dies after its port', /it ended .* \(SIGKILL\)\. The end of its log:[\s\S]*no memory/],
    ['dies when asked', /it ended before it answered \(exit 8\)\. The end of its log:[\s\S]*the disk is full/],
  ] as const)('that %s fails the start with the end of its log', async ([life, says]) => {
    const { start, seen } = stage(life)
    await expect(start()).rejects.toMatchObject({ code: 'DESKTOP_BACKEND', message: expect.stringMatching(says) })
    expect(isAlive(seen().pid)).toBe(false)
  })

  test('that says no port is ended when its time is over', async () => {
    const { start, seen } = stage('says no port')
    await expect(start({ portMs: 600 })).rejects.toThrow(/it did not say its port in 0\.6 s/)
    expect(isAlive(seen().pid)).toBe(false)
  })

  test('that cannot be started says why', async () => {
    const { start, folder } = stage('well')
    chmodSync(folder, 0o755)
    writeFileSync(join(folder, 'server.cjs'), 'throw new Error("half of a program")')
    await expect(start()).rejects.toThrow(/half of a program/)
  })
})

/** A pool over backends that end when they are told to. */
function pool(options: Partial<PoolDeps> = {}) {
  const clock = virtualClock()
  const started: string[] = []
  const ports: number[] = []
  const ends = new Map<string, (end: BackendEnd) => void>()
  const exits: string[] = []
  let count = 0
  const start = async (profile: string, port: number): Promise<Backend> => {
    started.push(profile)
    ports.push(port)
    let end: (end: BackendEnd) => void = () => {}
    const ended = new Promise<BackendEnd>((resolve) => {
      end = resolve
    })
    ends.set(profile, end)
    const number = port || 5000 + count++
    const connection = {
      baseUrl: `http://127.0.0.1:${number}`,
      wsUrl: '',
      token: 't',
      mode: 'local',
      source: 'local',
    } as const
    return { connection, port: number, pid: number, ended, close: async () => end({ code: 0, signal: null, tail: [] }) }
  }
  const backends = new BackendPool({
    clock,
    log: silent,
    start,
    onExit: (profile, { code }, isRestarted) =>
      exits.push(`${profile} ${code} ${isRestarted ? 'restarted' : 'failed'}`),
    max: 3,
    idleMs: 600_000,
    ...options,
  })
  const crash = async (profile: string) => {
    ends.get(profile)?.({ code: 9, signal: null, tail: ['an accident'] })
    await clock.advance(0)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { backends, clock, started, ports, exits, crash }
}

describe('backends', () => {
  test('are started once for each profile, and the fourth takes the place of the one that was used longest ago', async () => {
    const { backends, clock, started } = pool()
    await Promise.all([backends.get('a'), backends.get('a')])
    await backends.get('b')
    await backends.get('c')
    await expect(backends.get('d')).rejects.toMatchObject({ code: 'DESKTOP_POOL_FULL' })
    await clock.advance(60_000)
    backends.touch('a')
    await clock.advance(40_000)
    await backends.get('d')
    expect(started).toEqual(['a', 'b', 'c', 'd'])
    expect(backends.profiles).toEqual(['a', 'c', 'd'])
    await backends.close()
    expect(backends.profiles).toEqual([])
    expect(clock.pending()).toBe(0)
  })

  test('that no page has touched for ten minutes end', async () => {
    const { backends, clock, exits } = pool()
    await backends.get('a')
    await backends.get('b')
    await clock.advance(9 * 60_000)
    backends.touch('b')
    await clock.advance(2 * 60_000)
    expect(backends.profiles).toEqual(['b'])
    expect(exits).toEqual([])
  })

  test('that crash are started again at their port, at most three times in a minute; then the failure is latched', async () => {
    const { backends, clock, started, ports, exits, crash } = pool()
    const { port } = await backends.get('a')
    for (let at = 0; at < 3; at++) await crash('a')
    expect(started).toHaveLength(4)
    expect(ports.slice(1)).toEqual([port, port, port])
    await crash('a')
    expect(exits).toEqual(['a 9 restarted', 'a 9 restarted', 'a 9 restarted', 'a 9 failed'])
    await expect(backends.get('a')).rejects.toThrow(/ended 4 times in a minute\. The end of its log:\nan accident/)
    expect(started).toHaveLength(4)
    await backends.reset('a')
    await backends.get('a')
    expect(started).toHaveLength(5)
    // Crashes that are far apart are repaired for ever.
    for (let at = 0; at < 5; at++) {
      await crash('a')
      await clock.advance(70_000)
      backends.touch('a')
    }
    expect(exits.filter((exit) => exit.endsWith('failed'))).toHaveLength(1)
    await backends.close()
  })

  test('whose start failed throw that again until the reset', async () => {
    let attempts = 0
    const { backends } = pool({
      start: async () => {
        attempts++
        throw new Error('no disk')
      },
    })
    await expect(backends.get('a')).rejects.toThrow('no disk')
    await expect(backends.get('a')).rejects.toThrow('no disk')
    expect(attempts).toBe(1)
    await backends.reset('a')
    await expect(backends.get('a')).rejects.toThrow('no disk')
    expect(attempts).toBe(2)
  })
})
