/** The web UI as a user has it: the built dashboard with a scripted model behind it, and a browser in front. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { stringify } from 'yaml'
import { openBrowser } from '../../../support/browser.ts'
import type { Reply } from '../../../support/model-replies.ts'
import { type ModelServer, startModelServer } from '../../../support/model-server.ts'
import { removeFolder } from '../../../support/remove-folder.ts'
import { root } from '../../../support/repository.ts'

/** Of this test only; each start has another one, as the program draws it. */
const createToken = () => randomUUID()
const BIN = join(root, 'dist/kernel/bin.cjs')

/** A running dashboard. */
export interface DashboardProcess {
  readonly pid: number | undefined
  readonly port: number
  readonly token: string
  /** As a crash, unless another signal is named. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

/** Starts the built program and resolves when it listens. */
export async function startDashboard(home: string, cwd: string, port = 0): Promise<DashboardProcess> {
  const token = createToken()
  const child = spawn(process.execPath, [BIN, 'dashboard', '--no-open', '--port', String(port)], {
    cwd,
    env: { PATH: process.env['PATH'], SVC_HOME: home, HOME: cwd, SVC_DASHBOARD_SESSION_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ready = await readPort(child)
  return {
    pid: child.pid,
    port: ready,
    token,
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null) return
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    },
  }
}

/** Both streams stay open: a program that cannot write its output ends. */
function readPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = ''
    const listen = (piece: Buffer) => {
      said += piece.toString()
      const [, port] = /SVC_DASHBOARD_READY port=(\d+)/.exec(said) ?? []
      if (port !== undefined) resolve(Number(port))
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.on('exit', () => reject(new Error(`the dashboard did not start: ${said}`)))
  })
}

export interface WebStage extends AsyncDisposable {
  readonly home: string
  readonly work: string
  readonly url: string
  readonly token: string
  readonly model: ModelServer
  readonly context: BrowserContext
  /** Errors that pages reported, and requests that failed in a way that no test expects. */
  readonly faults: readonly string[]
  newPage(path?: string): Promise<Page>
  readonly port: number
  /** Kills the server, unless another signal is named, and starts it again at the same address. `meanwhile` runs while it is away. */
  restart(meanwhile?: () => Promise<void>, signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>
  close(): Promise<void>
}

type Answer = (words: string, request: Readonly<Record<string, unknown>>) => Reply

/** Opens everything. `answer` gets the last message of each request to the model, the browser the `switches`. */
export async function openWebStage(
  answer: Answer,
  prepare?: (home: string) => Promise<void>,
  switches?: readonly string[],
): Promise<WebStage> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'))
  const [home, work] = [join(folder, 'home'), join(folder, 'work')]
  await Promise.all([mkdir(home), mkdir(work)])
  const model = await startModelServer({ replies: ({ body }) => answer(lastWords(body), body) })
  const config = { model: { provider: 'custom', base_url: model.url, default: 'fake-model' } }
  await writeFile(join(home, 'config.yaml'), stringify(config))
  await prepare?.(home)
  let server = await startDashboard(home, work)
  const browser = await openBrowser(switches)
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'dark',
    locale: 'en',
  })
  // The time limit of the test counts, which a busy machine has more of.
  context.setDefaultTimeout(0)
  const faults: string[] = []
  const url = `http://127.0.0.1:${server.port}`
  const stage = {
    ...{ home, work, url, port: server.port, model, context, faults },
    get token() {
      return server.token
    },
    async newPage(path = '/') {
      const page = await context.newPage()
      page.on('pageerror', (error) => faults.push(error.message))
      await page.goto(`${url}${path}`)
      return page
    },
    async restart(meanwhile?: () => Promise<void>, signal?: 'SIGKILL' | 'SIGTERM') {
      await server.kill(signal)
      await meanwhile?.()
      server = await startDashboard(home, work, server.port)
    },
    async close() {
      await browser.close()
      await server.kill('SIGTERM')
      await model.close()
      removeFolder(folder)
    },
  }
  return Object.assign(stage, { [Symbol.asyncDispose]: stage.close })
}

function lastWords(body: Readonly<Record<string, unknown>>): string {
  const messages = body['messages'] as readonly { readonly role: string; readonly content: unknown }[]
  const { role, content } = messages.at(-1) ?? { role: '', content: '' }
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return role === 'tool' ? `tool: ${text}` : text
}
