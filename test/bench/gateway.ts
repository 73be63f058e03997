/** The gateway with platforms on stand-ins: how soon it is healthy with a dozen, and what it takes while nothing happens, with all and with three. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { freePort } from './api.ts'
import { type Bench, svc } from './bench.ts'
import { createRow, type Row } from './row.ts'

/** What is needed of the package that is measured. */
interface Stand {
  readonly name: string
  readonly config: Record<string, unknown>
  readonly env: Record<string, string>
  close(): Promise<void>
}
interface Testing {
  testKernel(options: { readonly plugins: readonly string[] }): Promise<{
    all(point: unknown): { all(): readonly { open(): Promise<Stand> }[] }
    stop(): Promise<void>
  }>
}

const STARTS = 7
const IDLE_MS = 10_000
/** V8 collects what the start has left behind some seconds after it. */
const SETTLE_MS = 20_000
const START_LIMIT_MS = 30_000
/** Of `/proc/<pid>/stat`: getconf CLK_TCK is 100 on Linux. */
const TICK_MS = 10

export async function measureGateway(bench: Bench): Promise<Row[]> {
  bench.progress('a gateway with a dozen platforms')
  const load = (file: string) => import(pathToFileURL(join(bench.installed, 'dist/sdk', file)).href)
  const { testKernel } = (await load('testing.js')) as Testing
  const { StandIns } = (await load('platform.js')) as { readonly StandIns: unknown }
  const kernel = await testKernel({ plugins: ['gateway'] })
  const all = kernel.all(StandIns).all()
  const every = await Promise.all(all.map((each) => each.open()))
  const stands = every.slice(0, 12)
  await kernel.stop()
  try {
    const healthy: number[] = []
    const connected: number[] = []
    for (let start = 0; start < STARTS; start++) {
      const gateway = await open(bench, stands)
      healthy.push(gateway.healthy)
      connected.push(gateway.connected)
      await close(gateway.child)
    }
    const { child } = await open(bench, stands)
    await pause(SETTLE_MS)
    const before = cpuMs(child)
    await pause(IDLE_MS)
    const cpu = ((cpuMs(child) - before) / IDLE_MS) * 100
    const memory = memoryMib(child)
    await close(child)
    const series = { ours: [await idleMemory(bench, every)], bare: [await idleMemory(bench, every.slice(0, 3))] }
    return [
      createRow(`gateway healthy, ${stands.length} platforms`, 'ms', { ours: healthy }, { max: 350 }),
      createRow('all of them connected', 'ms', { ours: connected }),
      createRow('memory of it while idle', 'MiB', { ours: [memory] }, { max: 90 }),
      createRow('CPU of it while idle', '% of a core', { ours: [cpu] }, { max: 0.5 }),
      createRow(`memory while idle, ${every.length} platforms`, 'MiB', series, { max: 1.3, of: 'bare' }),
    ]
  } finally {
    await Promise.all(every.map((stand) => stand.close()))
  }
}

async function idleMemory(bench: Bench, stands: readonly Stand[]): Promise<number> {
  bench.progress(`a gateway with ${stands.length} platforms`)
  const { child } = await open(bench, stands)
  await pause(SETTLE_MS)
  const memory = memoryMib(child)
  await close(child)
  return memory
}

/** A gateway that is up, and how many milliseconds it took until it answered on /health and until all was connected. */
interface Opened {
  readonly child: ChildProcess
  readonly healthy: number
  readonly connected: number
}

async function open(bench: Bench, stands: readonly Stand[]): Promise<Opened> {
  const home = join(bench.workspace.cwd, '..', 'home-gateway')
  mkdirSync(home, { recursive: true })
  const open = { dm_policy: 'allowlist', allow_from: ['1'], enabled: true }
  const platforms = Object.fromEntries(stands.map(({ name, config }) => [name, { ...config, ...open }]))
  const model = { provider: 'custom', base_url: 'http://127.0.0.1:9/v1', default: 'none' }
  // JSON is YAML.
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ model, platforms }))
  const variables = Object.assign({}, ...stands.map(({ env }) => env)) as Record<string, string>
  const port = await freePort()
  const server = { API_SERVER_KEY: 'only-for-the-bench-only-for-the-bench', API_SERVER_PORT: String(port) }
  const { args, cwd } = svc(bench, ['gateway', 'run', '--no-supervise', '--json'], '')
  const started = performance.now()
  const child = spawn(process.execPath, args, {
    env: { ...bench.env, ...variables, ...server, SVC_HOME: home },
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS)
  const healthy = answers(port).then(() => performance.now() - started)
  for await (const line of createInterface({ input: child.stdout })) {
    const { type, message = '' } = JSON.parse(line) as { type: string; message?: string }
    if (type !== 'gateway' || !/running|degraded/.test(message)) continue
    clearTimeout(limit)
    const connected = performance.now() - started
    child.stdout.resume()
    return { child, connected, healthy: await healthy }
  }
  throw new Error('the gateway ended before it was up')
}

/** Resolves once the server says that it is well. */
async function answers(port: number): Promise<void> {
  for (const end = performance.now() + START_LIMIT_MS; performance.now() < end; await pause(5)) {
    const { ok } = await fetch(`http://127.0.0.1:${port}/health`).catch(() => ({ ok: false }))
    if (ok) return
  }
}

async function close(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function cpuMs({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

function memoryMib({ pid }: ChildProcess): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}
