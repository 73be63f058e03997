/** A window of an installed Chromium in app mode, with a profile folder of its own, driven over pipes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { type Clock, type Logger, logFault, SvcError } from 'svc/sdk'
import { waitAtMost, withDeadline } from 'svc/sdk/kit/async'
import { DevtoolsPipe } from './devtools-pipe.ts'
import type { DesktopWindow, WindowBounds, WindowOptions, WindowShell } from './window.ts'

export interface ChromiumDeps {
  readonly file: string
  readonly clock: Clock
  readonly log: Logger
  readonly environment: Readonly<Record<string, string | undefined>>
  /** For development: the DevTools protocol at this port of the machine, too. */
  readonly debugPort: number | undefined
}

const OPEN_MS = 30_000
const CLOSE_MS = 3000
const BOUNDS_MS = 3000
const MAX_CRASHES = 3
const CRASH_WINDOW_MS = 60_000
/** The address of the page is not among the words of the program, which other users can read. */
const BLANK = 'data:text/html,<title>svc</title><meta name="color-scheme" content="light dark">'

export function chromiumShell(deps: ChromiumDeps): WindowShell {
  return {
    name: 'chromium',
    open: async (options) => {
      const window = new ChromiumWindow(deps, options)
      try {
        await window.open()
        return window
      } catch (error) {
        await window.close()
        throw error
      }
    },
  }
}

class ChromiumWindow implements DesktopWindow {
  readonly isControlled = true
  readonly closed: Promise<void>
  readonly #deps: ChromiumDeps
  readonly #options: WindowOptions
  #child: ChildProcess | undefined
  #pipe: DevtoolsPipe | undefined
  #page: { readonly session: string; readonly target: string } | undefined
  #onPage = () => {}
  #url = ''
  #bounds: string = ''
  #crashes: number[] = []
  #cancelWatch = () => {}
  #isOver = false
  #over = () => {}

  constructor(deps: ChromiumDeps, options: WindowOptions) {
    this.#deps = deps
    this.#options = options
    this.closed = new Promise((resolve) => {
      this.#over = () => {
        this.#isOver = true
        this.#cancelWatch()
        resolve()
      }
    })
  }

  /** Throws `DESKTOP_WINDOW`. */
  async open(): Promise<void> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 })
    const found = new Promise<void>((resolve) => {
      this.#onPage = resolve
    })
    this.#start()
    const late = () => new SvcError('DESKTOP_WINDOW', `${this.#deps.file} opened no window in ${OPEN_MS / 1000} s.`)
    const isThere = this.closed.then(() => {
      throw new SvcError('DESKTOP_WINDOW', `${this.#deps.file} ended before it opened a window.`)
    })
    await withDeadline(this.#deps.clock, OPEN_MS, () => Promise.race([found, isThere]), late, { background: true })
    await this.#send('Page.enable')
    await this.#send('Inspector.enable')
    await this.navigate(this.#options.url)
    this.#watchBounds()
  }

  async navigate(url: string): Promise<void> {
    this.#url = url
    await this.#send('Page.navigate', { url })
  }

  async focus(): Promise<void> {
    const { windowId } = (await this.#pipe?.send('Browser.getWindowForTarget', { targetId: this.#page?.target })) ?? {}
    const bounds = { windowState: 'normal' }
    await this.#pipe?.send('Browser.setWindowBounds', { windowId, bounds }).catch(() => undefined)
    await this.#send('Page.bringToFront')
  }

  async trust(origin: string, script: string): Promise<void> {
    const source = `if (location.origin === ${JSON.stringify(origin)}) { ${script} }`
    await this.#send('Page.addScriptToEvaluateOnNewDocument', { source })
    const permission = { name: 'notifications' }
    await this.#pipe?.send('Browser.setPermission', { permission, setting: 'granted', origin })
  }

  async close(): Promise<void> {
    if (this.#isOver) return
    const asked = this.#pipe?.send('Browser.close').catch(() => undefined)
    if (asked) await waitAtMost(this.#deps.clock, CLOSE_MS, asked, { background: true })
    const isGone = await waitAtMost(
      this.#deps.clock,
      CLOSE_MS,
      this.closed.then(() => true),
      { background: true },
    )
    if (!isGone) this.#child?.kill('SIGKILL')
    await this.closed
  }

  #start(): void {
    const { file, environment, log } = this.#deps
    const child = spawn(file, this.#words(), {
      env: { ...environment },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      windowsHide: false,
    })
    this.#child = child
    const [, , , input, output] = child.stdio
    this.#pipe = new DevtoolsPipe(input as Writable, output as Readable, (method, params, session) =>
      this.#handle(method, params, session),
    )
    child.once('error', (error) => {
      logFault(log, 'the browser of the window could not be started', error)
      this.#over()
    })
    child.once('exit', () => this.#over())
    const attach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }
    this.#pipe
      .send('Target.setAutoAttach', attach)
      .catch((error: unknown) => logFault(log, 'the window cannot be driven', error))
  }

  #words(): readonly string[] {
    const { left, top, width, height, isMaximized } = this.#options.bounds
    const { debugPort } = this.#deps
    return [
      `--app=${BLANK}`,
      `--user-data-dir=${this.#options.folder}`,
      ...['--no-first-run', '--no-default-browser-check', '--disable-background-mode', '--remote-debugging-pipe'],
      `--window-size=${width},${height}`,
      ...(left === undefined || top === undefined ? [] : [`--window-position=${left},${top}`]),
      ...(isMaximized ? ['--start-maximized'] : []),
      // Chromium does not start as root with its sandbox.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...(debugPort === undefined ? [] : [`--remote-debugging-port=${debugPort}`]),
    ]
  }

  #handle(method: string, params: Readonly<Record<string, unknown>>, session: string | undefined): void {
    if (method === 'Target.attachedToTarget') {
      const { type, targetId } = params['targetInfo'] as { type?: string; targetId?: string }
      if (type !== 'page' || this.#page || targetId === undefined) return
      this.#page = { session: String(params['sessionId']), target: targetId }
      this.#onPage()
    } else if (method === 'Target.detachedFromTarget' && params['sessionId'] === this.#page?.session) {
      // The program may stay without windows, as it does on a Mac.
      this.#pipe?.send('Browser.close').catch(() => undefined)
    } else if (method === 'Inspector.targetCrashed' && session === this.#page?.session) this.#reload()
  }

  #reload(): void {
    const now = this.#deps.clock.monotonic()
    this.#crashes = [...this.#crashes, now].filter((at) => at > now - CRASH_WINDOW_MS)
    const isReloaded = this.#crashes.length <= MAX_CRASHES
    this.#options.onCrash(isReloaded)
    if (isReloaded)
      this.navigate(this.#url).catch((error: unknown) =>
        logFault(this.#deps.log, 'a page that crashed cannot be loaded', error),
      )
  }

  /** The protocol does not tell when a person moves the window. */
  #watchBounds(): void {
    const look = async () => {
      const answer = await this.#pipe?.send('Browser.getWindowForTarget', { targetId: this.#page?.target })
      const { left, top, width, height, windowState } = (answer?.['bounds'] ?? {}) as Record<string, unknown>
      const text = JSON.stringify([left, top, width, height, windowState])
      if (
        text === this.#bounds ||
        typeof width !== 'number' ||
        typeof height !== 'number' ||
        windowState === 'minimized'
      )
        return
      this.#bounds = text
      const place = typeof left === 'number' && typeof top === 'number' ? { left, top } : {}
      const bounds: WindowBounds = { ...place, width, height, isMaximized: windowState === 'maximized' }
      this.#options.onBounds(bounds)
    }
    this.#cancelWatch = this.#deps.clock.after(
      BOUNDS_MS,
      () => {
        look()
          .catch((error: unknown) => logFault(this.#deps.log, 'the place of the window is not known', error))
          .finally(() => {
            if (!this.#isOver) this.#watchBounds()
          })
      },
      { background: true },
    )
  }

  async #send(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.#pipe?.send(method, params, this.#page?.session)
  }
}
