/** Chat completions over HTTP: how many, how late, how soon the first word, how much CPU. Conversations are kept on disk. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Bench, getBaselineFolder, svc } from './bench.ts'
import { compare, type Sample } from './compare.ts'
import { createRow, type Row } from './row.ts'
import { median } from './statistics.ts'

export const KEY = 'only-for-the-bench-only-for-the-bench'
const BURST = 300
/** A gateway runs for weeks: what counts is what it needs once V8 has compiled what is used often. */
const WARM_UP = 3000
const CLIENTS = 16
const MANY_CLIENTS = 64
const STREAMS = 30
/** Bursts take long: a third of the runs is enough. */
const SHARE = 3
const START_MS = 30_000
/** Of `/proc/<pid>/stat`: getconf CLK_TCK is 100 on Linux. */
const TICK_US = 10_000

/** A server under load. */
export interface Server {
  readonly process: ChildProcess
  readonly port: number
}

export async function measureApi(bench: Bench): Promise<Row[]> {
  bench.progress('chat completions over HTTP')
  const model = await script(bench, 'api-model.mjs')
  const url = `http://127.0.0.1:${model.port}/v1`
  const proxy = await script(bench, 'sdk-api.mjs', url)
  const ours = await gateway(bench, { url, home: join(bench.workspace.cwd, '..', 'home-api') })
  try {
    for (const server of [proxy, ours]) await burst(server, CLIENTS, WARM_UP)
    const comparison = await compare({ sdk: () => load(proxy), ours: () => load(ours) }, Math.ceil(bench.runs / SHARE))
    const direct = await firstContent(model)
    const first = comparison.series('first')
    const added = { ours: first.ours?.map((ms) => ms - direct) ?? [] }
    const row = (work: string, unit: string, key: string, max: number): Row => ({
      ...createRow(work, unit, comparison.series(key), { max }),
      failures: comparison.failures,
    })
    return [
      row(`a chat request, ${CLIENTS} clients`, 'us', 'each', 1000),
      row(`the slowest of a hundred, ${MANY_CLIENTS} clients`, 'ms', 'p99', 60),
      row('CPU of a chat request', 'us', 'cpu', 1000),
      createRow('added to the first content', 'ms', added, { max: 5 }),
    ]
  } finally {
    for (const { process: child } of [ours, proxy, model]) child.kill()
  }
}

/** A script of `baseline/`, once it has printed its port. */
export async function script(bench: Bench, name: string, ...args: string[]): Promise<Server> {
  const child = spawn(process.execPath, [join(getBaselineFolder(bench), name), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { process: child, port: Number(port.toString()) }
}

/** What is special about a gateway. */
export interface GatewayOptions {
  readonly url: string
  readonly home: string
  /** More lines of config.yaml. */
  readonly config?: string
  /** More variables. */
  readonly variables?: Readonly<Record<string, string>>
  /** Of Node. */
  readonly flags?: readonly string[]
}

/** The product as a gateway with nothing but its API server: one process, without a supervisor. */
export async function gateway(
  bench: Bench,
  { url, home, config = '', variables = {}, flags = [] }: GatewayOptions,
): Promise<Server> {
  const port = await freePort()
  mkdirSync(home, { recursive: true })
  const model = `model:\n  provider: custom\n  base_url: ${url}\n  default: bench\n`
  const server = `platforms:\n  api_server:\n    max_concurrent_runs: 0\n    cwd: ${bench.workspace.cwd}\n`
  writeFileSync(join(home, 'config.yaml'), model + server + config)
  const env = { ...bench.env, SVC_HOME: home, API_SERVER_KEY: KEY, API_SERVER_PORT: String(port), ...variables }
  const { args, cwd } = svc(bench, ['gateway', 'run', '--no-supervise'], '')
  const child = spawn(process.execPath, [...flags, ...args], { env, cwd, stdio: 'ignore' })
  for (const end = performance.now() + START_MS; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const isThere = await fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isThere) return { process: child, port }
    if (performance.now() > end || child.exitCode !== null) throw new Error('the API server did not start')
  }
}

/** A port that no one listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function load(server: Server): Promise<Sample> {
  const [before, started] = [cpuUs(server), performance.now()]
  await burst(server, CLIENTS)
  const each = ((performance.now() - started) * 1000) / BURST
  const cpu = (cpuUs(server) - before) / BURST
  const times = (await burst(server, MANY_CLIENTS)).sort((a, b) => a - b)
  return { each, cpu, p99: times[Math.floor(times.length * 0.99)] ?? 0, first: await firstContent(server) }
}

/** Milliseconds of each request. */
async function burst(server: Server, clients: number, requests: number = BURST): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
  const times: number[] = []
  let left = requests
  const client = async () => {
    while (left-- > 0) times.push((await ask(server, agent, 'whole')).ms)
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
  return times
}

/** Milliseconds until the first content of a stream, for one client: the median. */
async function firstContent(server: Server): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  for (let count = 0; count < STREAMS; count++) times.push((await ask(server, agent, 'stream')).first)
  agent.destroy()
  return median(times)
}

let asked = 0

/** Every request begins its own conversation. */
export function ask(
  server: Server,
  agent: http.Agent,
  kind: 'whole' | 'stream',
): Promise<{ ms: number; first: number }> {
  const question = `Question ${asked++} of ${process.pid}`
  const body = JSON.stringify({
    model: 'svc',
    stream: kind === 'stream',
    messages: [{ role: 'user', content: question }],
  })
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'content-length': body.length }
  const where = { agent, host: '127.0.0.1', port: server.port, path: '/v1/chat/completions', method: 'POST', headers }
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const request = http.request(where, (response) => {
      let text = ''
      let first = 0
      response.on('data', (piece: Buffer) => {
        text += piece
        if (!first && text.includes('All ')) first = performance.now() - started
      })
      response.on('end', () => {
        if (text.includes('here.')) resolve({ ms: performance.now() - started, first })
        else reject(new Error(`${response.statusCode}: ${text.slice(0, 200)}`))
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** What the process has used, of one core. */
export function cpuUs({ process: { pid } }: Server): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}
