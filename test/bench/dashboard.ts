/** The dashboard: how soon it listens, how much a browser loads, how soon a person can type, and how soon a word is on the screen. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { gateway } from './api.ts'
import { type Bench, getBaselineFolder, svc } from './bench.ts'
import type { Program } from './child.ts'
import { compare, type Sample } from './compare.ts'
import { measurePages } from './dashboard-pages.ts'
import { end, type Listening, listen } from './dashboard-process.ts'
import { memoryKib } from './memory-of.ts'
import { createRow, type Row } from './row.ts'
import { median } from './statistics.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const DELTAS = 50
/** Deltas in a second. */
const PACE = 50
/** What a start and a first request leave for later. */
const SETTLE_MS = 5000
const START_MS = 30_000
const WATCHED_MS = 1000

export async function measureDashboard(bench: Bench): Promise<Row[]> {
  bench.progress('the dashboard')
  const rows = [firstLoad(bench), await coldStart(bench), await idleMemory(bench), ...(await measurePages(bench))]
  const executablePath = CHROMIUM.find((path) => existsSync(path))
  if (executablePath === undefined) return rows
  const { chromium } = (await import(
    pathToFileURL(join(bench.root, 'node_modules/playwright-core/index.mjs')).href
  )) as typeof import('playwright-core')
  const isRoot = process.getuid?.() === 0
  const browser = await chromium.launch({ executablePath, args: isRoot ? ['--no-sandbox'] : [] })
  try {
    return [...rows, ...(await pages(bench, browser))]
  } finally {
    await browser.close()
  }
}

function ours(bench: Bench): Program {
  return svc(bench, ['dashboard', '--no-open', '--isolated', '--port', '0'], '')
}

function bare(bench: Bench): Program {
  return { ...ours(bench), args: [join(getBaselineFolder(bench), 'bare-page.mjs')] }
}

/** What has to be there before a person can type, compressed as on the wire. */
function firstLoad({ installed }: Bench): Row {
  const folder = join(installed, 'dist/web-ui')
  const { first, styles } = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as {
    readonly first: readonly string[]
    readonly styles: readonly string[]
  }
  const files = ['index.html', ...first, ...styles]
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0)
  return createRow('first load of the web UI, compressed', 'kB', { ours: [bytes / 1000] }, { max: 200 })
}

async function coldStart(bench: Bench): Promise<Row> {
  const run = (program: Program) => async (): Promise<Sample> => {
    const listening = await listen(program)
    await end(listening)
    return { ms: listening.ms }
  }
  const comparison = await compare({ bare: run(bare(bench)), ours: run(ours(bench)) }, bench.runs)
  const row = createRow('dashboard listens after', 'ms', comparison.series('ms'), { max: 500 })
  return { ...row, failures: comparison.failures }
}

/** What a gateway that serves the dashboard and a first page uses more than one that does not. */
async function idleMemory(bench: Bench): Promise<Row> {
  const { url } = bench.model
  const flags = ['--import', pathToFileURL(join(getBaselineFolder(bench), 'collect.mjs')).href]
  const home = bench.workspace.homeLike('home-dashboard', url)
  const [plain, serving] = await Promise.all([
    gateway(bench, { url, home: bench.workspace.homeLike('home-gateway', url), flags }),
    gateway(bench, { url, home, flags }),
  ])
  try {
    const env = { ...bench.env, SVC_HOME: home }
    const { port } = await listen(svc({ ...bench, env }, ['dashboard', '--no-open', '--port', '0'], ''))
    for (const path of ['/', '/api/status']) await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer()
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    const [whole, alone] = await Promise.all([memoryKib(serving), memoryKib(plain)])
    const mib = (whole - alone) / 1024
    return createRow('idle memory of the dashboard in a gateway', 'MiB', { ours: [mib] }, { max: 15 })
  } finally {
    await Promise.all([end(plain), end(serving)])
  }
}

async function pages(bench: Bench, browser: Browser): Promise<Row[]> {
  const [theirs, own] = await Promise.all([listen(bare(bench)), listen(ours(bench))])
  try {
    const run =
      ({ port }: Listening) =>
      () =>
        usePage(bench, browser, `http://127.0.0.1:${port}/`)
    const comparison = await compare({ bare: run(theirs), ours: run(own) }, bench.runs)
    const row = (work: string, key: string, max?: number): Row => ({
      ...createRow(work, 'ms', comparison.series(key), max === undefined ? undefined : { max }),
      failures: comparison.failures,
    })
    return [
      row('first paint of the web UI', 'paint', 1000),
      row('a person can type after', 'ready', 1000),
      row('from a delta to the screen', 'delta'),
    ]
  } finally {
    await Promise.all([end(theirs), end(own)])
  }
}

/** Records when deltas arrive, and when the frame that shows them begins. In the page; text, since it runs there. */
const WATCH = `(() => {
  const times = (window.deltaTimes = [])
  let arrived
  const Plain = window.WebSocket
  window.WebSocket = class extends Plain {
    constructor(...args) {
      super(...args)
      this.addEventListener('message', ({ data }) => {
        if (String(data).includes('message.delta')) arrived ??= performance.now()
      })
    }
  }
  const seen = () => {
    if (arrived === undefined) return
    const from = arrived
    arrived = undefined
    requestAnimationFrame(() => times.push(performance.now() - from))
  }
  document.addEventListener('DOMContentLoaded', () =>
    new MutationObserver(seen).observe(document, { subtree: true, childList: true, characterData: true }))
})()`

async function usePage(bench: Bench, browser: Browser, url: string): Promise<Sample> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.addInitScript(WATCH)
    await page.goto(url)
    await page.locator('textarea').waitFor()
    const ready = await inPage<number>(page, 'performance.now()')
    const paint = await inPage<number>(
      page,
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0",
    )
    const { result: delta } = await bench.model.play({ rounds: 0, deltas: DELTAS, pace: PACE }, async () => {
      await page.locator('textarea').fill('Tell me what you see.')
      await page.locator('textarea').press('Enter')
      for (const end = performance.now() + START_MS; (await inPage<number>(page, 'window.deltaTimes.length')) < 5; )
        if (performance.now() > end) throw new Error('no delta was shown')
        else await page.waitForTimeout(50)
      await page.waitForTimeout(WATCHED_MS)
      return median(await inPage<number[]>(page, 'window.deltaTimes'))
    })
    return { ready, paint, delta }
  } finally {
    await context.close()
  }
}

async function inPage<T>(page: Page, script: string): Promise<T> {
  return (await page.evaluate(script)) as T
}
