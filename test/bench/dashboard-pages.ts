/** Many open pages of the dashboard of one gateway while turns run: how late events are, what a page costs, and what chats feel of it. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ask, cpuUs, gateway, type Server, script } from './api.ts'
import { type Bench, getBaselineFolder, svc } from './bench.ts'
import { compare, type Sample } from './compare.ts'
import { listen } from './dashboard-process.ts'
import { memoryKib } from './memory-of.ts'
import { createRow, type Row } from './row.ts'
import { median } from './statistics.ts'

const PAGES = 200
const TURNS = 20
/** Of a turn; the chats are measured in the middle of it. */
const TURN_SECONDS = 6
/** Pieces of the model in a second. */
const PACE = 50
const WARM_MS = 1000
const CHAT_MS = 3500
/** Rounds take long. */
const SHARE = 3
const TOKEN = 'only-for-the-bench-only-for-the-bench-pages'
const LONG = 'Tell it at length.'

interface Opened {
  readonly session_id: string
  readonly session_key: string
}
interface Taken {
  readonly lags: readonly number[]
  readonly wrong: number
  readonly problems: readonly string[]
}

/** A process with pages. */
class Pages {
  readonly #child: ChildProcess

  constructor(bench: Bench, url: string) {
    const file = join(getBaselineFolder(bench), 'open-pages.mjs')
    this.#child = fork(file, [url, TOKEN], { execArgv: [], env: { PATH: process.env['PATH'] } })
  }

  async do<T>(what: string, options: object = {}): Promise<T> {
    this.#child.send({ what, ...options })
    const [{ result, problem }] = (await once(this.#child, 'message')) as [{ result: T; problem?: string }]
    if (problem !== undefined) throw new Error(`pages: ${problem}`)
    return result
  }

  end(): void {
    this.#child.disconnect()
  }
}

export async function measurePages(bench: Bench): Promise<Row[]> {
  bench.progress(`${PAGES} open pages of the dashboard`)
  const model = await script(bench, 'pages-model.mjs', String(TURN_SECONDS), String(PACE))
  const url = `http://127.0.0.1:${model.port}/v1`
  const home = bench.workspace.homeLike('home-pages', url)
  const server = await gateway(bench, {
    ...{ url, home, variables: { SVC_DASHBOARD_SESSION_TOKEN: TOKEN } },
    flags: ['--import', pathToFileURL(join(getBaselineFolder(bench), 'collect.mjs')).href],
  })
  const env = { ...bench.env, SVC_HOME: home }
  const { port } = await listen(svc({ ...bench, env }, ['dashboard', '--no-open', '--port', '0'], ''))
  const pages = new Pages(bench, `http://127.0.0.1:${port}`)
  try {
    const run = (count: number) => () => turn(server, pages, count)
    const comparison = await compare({ bare: run(0), ours: run(PAGES) }, Math.ceil(bench.runs / SHARE))
    const row = (work: string, key: string, target: Row['target']): Row => ({
      ...createRow(work, 'ms', comparison.series(key), target),
      failures: comparison.failures,
    })
    return [
      row(`an event, until all of ${PAGES} pages have it`, 'lag', { max: 100 }),
      row(`a chat request beside ${PAGES} pages and ${TURNS} turns`, 'chat', { max: 1.1, of: 'bare' }),
      {
        ...createRow('CPU of the gateway meanwhile', '% of a core', comparison.series('cpu')),
        failures: comparison.failures,
      },
      createRow('memory of an open page', 'kB', { ours: [await pageMemory(server, pages)] }, { max: 300 }),
    ]
  } finally {
    pages.end()
    for (const { process: child } of [server, model]) child.kill()
  }
}

/** Without pages one connection shows all turns. */
async function turn(server: Server, pages: Pages, count: number): Promise<Sample> {
  const opened = await pages.do<readonly Opened[]>('sessions', { count: TURNS, counts: count === 0 })
  try {
    await pages.do('open', { count, keys: opened.map(({ session_key: key }) => key) })
    await pages.do('submit', { ids: opened.map(({ session_id: id }) => id), text: LONG })
    await pause(WARM_MS)
    const [before, started] = [cpuUs(server), performance.now()]
    const chat = await chats(server)
    const cpu = (cpuUs(server) - before) / (performance.now() - started) / 10
    await pause(TURN_SECONDS * 1000 - CHAT_MS)
    const expected = count === 0 ? 1 : count / TURNS
    const { lags, wrong, problems } = await pages.do<Taken>('take', { pages: expected })
    if (wrong > 0 || problems.length > 0) throw new Error(`${wrong} events came to other pages; ${problems.join(', ')}`)
    return { lag: median(lags), chat, cpu }
  } finally {
    await pages.do('close')
  }
}

/** Milliseconds of a chat request, one after the other. */
async function chats(server: Server): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  for (const end = performance.now() + CHAT_MS; performance.now() < end; )
    times.push((await ask(server, agent, 'whole')).ms)
  agent.destroy()
  return median(times)
}

/** In kB, of a page that shows a session and waits. */
async function pageMemory(server: Server, pages: Pages): Promise<number> {
  const opened = await pages.do<readonly Opened[]>('sessions', { count: TURNS, counts: true })
  const before = await memoryKib(server)
  await pages.do('open', { count: PAGES, keys: opened.map(({ session_key: key }) => key) })
  const after = await memoryKib(server)
  await pages.do('close')
  return ((after - before) * 1.024) / PAGES
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
