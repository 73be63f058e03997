/** One `svc serve` as a child: started, found by its port, asked until it answers, and ended with all that it has started. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Clock, errorMessage, type Net, SvcError, tryParseJson } from 'svc/sdk'
import { DASHBOARD_VARIABLES } from 'svc/sdk/dashboard'
import { waitAtMost } from 'svc/sdk/kit/async'
import { endGroup } from '../child-program.ts'
import { type Connection, toAddress } from './remote.ts'

/** How a backend is started. */
export interface BackendOptions {
  readonly command: readonly string[]
  readonly profile: string
  readonly home: string
  readonly token: string
  readonly cwd: string
  /** The port to try first, so that pages keep their origin; 0 takes a free one. */
  readonly port: number
  readonly environment: Readonly<Record<string, string | undefined>>
}

export interface BackendDeps {
  readonly clock: Clock
  readonly net: Net
  /** Each line that it prints. */
  onLine(line: string): void
  onProgress(phase: BootPhase): void
}

/** Phases of a start, with what a progress bar shows. */
export const BOOT_PROGRESS = { resolve: 8, remote: 24, runtime: 28, spawn: 84, port: 86, wait: 90, ready: 94 } as const
export type BootPhase = keyof typeof BOOT_PROGRESS

/** How a backend ended, with the last lines that it printed. */
export interface BackendEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly tail: readonly string[]
}

/** A backend that answers. */
export interface Backend {
  readonly connection: Connection
  readonly port: number
  readonly pid: number
  readonly ended: Promise<BackendEnd>
  close(): Promise<void>
}

export interface BackendLimits {
  /** Milliseconds until it says its port. */
  readonly portMs: number
}

const LOOK_MS = 100
const READY_MS = 45_000
const ASK_EACH_MS = 500
const CLOSE_MS = 5000
const TAIL = 40
/** Lines of it in a message. */
const SHOWN = 20
const PORT_LINE = /^SVC_(?:BACKEND|DASHBOARD)_READY port=(\d{1,5})$/

/** Resolves when it answers. Throws `DESKTOP_BACKEND`, with the end of what it printed. */
export async function startBackend(
  options: BackendOptions,
  deps: BackendDeps,
  limits: BackendLimits,
): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-desktop-'))
  const child = new BackendProcess(options, deps, join(folder, 'ready.json'))
  try {
    deps.onProgress('port')
    const port = await child.findPort(limits.portMs)
    deps.onProgress('wait')
    await child.waitUntilReady(port)
    deps.onProgress('ready')
    return {
      connection: { ...toAddress(`http://127.0.0.1:${port}`), token: options.token, mode: 'local', source: 'local' },
      port,
      pid: child.pid,
      ended: child.ended,
      close: () => child.close(),
    }
  } catch (error) {
    await child.close()
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

class BackendProcess {
  readonly pid: number
  readonly ended: Promise<BackendEnd>
  readonly #deps: BackendDeps
  readonly #readyFile: string
  readonly #tail: string[] = []
  #end: BackendEnd | undefined
  #printedPort: number | undefined

  constructor(options: BackendOptions, deps: BackendDeps, readyFile: string) {
    this.#deps = deps
    this.#readyFile = readyFile
    deps.onProgress('spawn')
    const [file = '', ...args] = options.command
    const words = ['--profile', options.profile, 'serve', '--host', '127.0.0.1', '--port', String(options.port)]
    const child = spawn(file, [...args, ...words], {
      cwd: options.cwd,
      env: {
        ...options.environment,
        SVC_HOME: options.home,
        [DASHBOARD_VARIABLES.token]: options.token,
        [DASHBOARD_VARIABLES.isDesktop]: '1',
        [DASHBOARD_VARIABLES.readyFile]: readyFile,
        TERMINAL_CWD: options.cwd,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    this.pid = child.pid ?? 0
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => this.#take(line))
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null) => {
        // Lines that are on their way are part of the tail.
        setImmediate(() => {
          this.#end = { code, signal, tail: [...this.#tail] }
          resolve(this.#end)
        })
      }
      child.once('error', (error) => {
        this.#take(errorMessage(error))
        end(null, null)
      })
      child.once('close', end)
    })
  }

  async findPort(limitMs: number): Promise<number> {
    const late = this.#deps.clock.monotonic() + limitMs
    for (;;) {
      this.#checkAlive('before it said its port')
      const port = this.#printedPort ?? (await this.#readPort())
      if (port !== undefined) return port
      if (this.#deps.clock.monotonic() >= late) throw this.#failure(`it did not say its port in ${limitMs / 1000} s`)
      await this.#pause(LOOK_MS)
    }
  }

  async waitUntilReady(port: number): Promise<void> {
    const late = this.#deps.clock.monotonic() + READY_MS
    for (;;) {
      this.#checkAlive('before it answered')
      if (await this.#answers(port)) return this.#checkAlive('while another program answered at its port')
      if (this.#deps.clock.monotonic() >= late) throw this.#failure(`it did not answer in ${READY_MS / 1000} s`)
      await this.#pause(ASK_EACH_MS)
    }
  }

  /** Asks it to end, and ends its group when it does not. */
  async close(): Promise<void> {
    const { clock } = this.#deps
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (this.#end) break
      endGroup(this.pid || undefined, signal)
      await waitAtMost(clock, CLOSE_MS, this.ended, { background: true })
    }
  }

  #take(line: string): void {
    this.#tail.push(line)
    if (this.#tail.length > TAIL) this.#tail.shift()
    this.#printedPort ??= toPort(PORT_LINE.exec(line)?.[1])
    this.#deps.onLine(line)
  }

  async #readPort(): Promise<number | undefined> {
    const text = await readFile(this.#readyFile, 'utf8').catch(() => '')
    return toPort((tryParseJson(text)?.value as { port?: unknown } | undefined)?.port)
  }

  async #answers(port: number): Promise<boolean> {
    const url = `http://127.0.0.1:${port}/api/status`
    try {
      const response = await this.#deps.net.request({ url, timeoutMs: ASK_EACH_MS * 4 })
      response.close()
      return response.status === 200
    } catch {
      // It does not listen yet.
      return false
    }
  }

  async #pause(ms: number): Promise<void> {
    await waitAtMost(this.#deps.clock, ms, this.ended)
  }

  #checkAlive(when: string): void {
    if (!this.#end) return
    const { code, signal } = this.#end
    throw this.#failure(`it ended ${when} (${signal ?? `exit ${code}`})`)
  }

  #failure(what: string): SvcError {
    const tail = this.#tail.slice(-SHOWN)
    const said = tail.length > 0 ? ` The end of its log:\n${tail.join('\n')}` : ' It printed nothing.'
    return new SvcError('DESKTOP_BACKEND', `The backend did not start: ${what}.${said}`)
  }
}

function toPort(value: unknown): number | undefined {
  const port = Number(value)
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}
