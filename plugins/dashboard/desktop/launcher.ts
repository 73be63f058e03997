/**
 * The process behind the windows: prepares the machine once, keeps a backend for each profile that has a window, and shows what
 * happens. A failure stays until a person asks for another attempt.
 */
import { type Clock, errorMessage, type Logger, logFault } from 'svc/sdk'
import { type Backend, type BackendEnd, BOOT_PROGRESS, type BootPhase } from './backend/backend.ts'
import { BackendPool } from './backend/pool.ts'
import type { Connection } from './backend/remote.ts'
import type { Bootstrap } from './bootstrap/bootstrap.ts'
import type { DesktopChannels } from './channels.ts'
import type { Order, Reach } from './single-instance.ts'
import { type DesktopState, FIRST_BOUNDS } from './user-data.ts'
import type { DesktopWindow, Tray, WindowShell } from './window/window.ts'

export interface LauncherDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly bootstrap: Bootstrap
  readonly remote: Connection | undefined
  /** Undefined: no windows are opened. */
  readonly shell: WindowShell | undefined
  readonly version: string
  readonly state: DesktopState
  saveState(state: DesktopState): Promise<void>
  /** The folder of the windows of a profile. */
  windowFolder(profile: string): string
  openChannels(
    answers: Readonly<Record<string, (profile: string) => unknown>>,
    order: (order: Order) => Promise<object>,
  ): DesktopChannels
  startBackend(profile: string, port: number, onProgress: (phase: BootPhase) => void): Promise<Backend>
  /** Hides secrets. */
  mask(text: string): string
  readonly limits: { readonly max: number; readonly idleMs: number }
}

/** What a bar shows; sent on `svc:boot-progress`. */
export interface BootProgress {
  readonly error: string | null
  readonly fakeMode: false
  readonly message: string
  readonly phase: string
  /** 0 to 100. */
  readonly progress: number
  readonly running: boolean
  readonly timestamp: number
  /** It ran before. */
  readonly isReconnect: boolean
}

const MESSAGES: Readonly<Record<BootPhase, string>> = {
  resolve: 'Looking for the program',
  remote: 'Connecting to the remote backend',
  runtime: 'Preparing this machine',
  spawn: 'Starting the backend',
  port: 'Waiting for its address',
  wait: 'Waiting until it answers',
  ready: 'Opening the page',
}
const TOUCH_EACH_MS = 30_000

export class Launcher {
  readonly #deps: LauncherDeps
  readonly #pool: BackendPool
  readonly #channels: DesktopChannels
  readonly #windows: Map<string, DesktopWindow> = new Map()
  readonly #pages: Map<string, string> = new Map()
  readonly #progress: Map<string, BootProgress> = new Map()
  readonly #booting: Map<string, Promise<Connection>> = new Map()
  #state: DesktopState
  #tray: Promise<Tray | undefined> | undefined
  #cancelTouch = () => {}
  #quit = () => {}
  /** Resolves when the last window was closed, or another start has asked for the end. */
  readonly over: Promise<void>

  constructor(deps: LauncherDeps) {
    this.#deps = deps
    this.#state = deps.state
    this.over = new Promise((resolve) => {
      this.#quit = resolve
    })
    this.#pool = new BackendPool({
      clock: deps.clock,
      log: deps.log,
      ...deps.limits,
      start: (profile, port) => this.#start(profile, port),
      onExit: (profile, end, isRestarted) => this.#exited(profile, end, isRestarted),
    })
    this.#channels = deps.openChannels(this.#answers(), (order) => this.#obey(order))
  }

  open(): Promise<Reach> {
    this.#touchLater()
    return this.#channels.open()
  }

  /** Opens the window of a profile, or brings it to the front, and shows a page. Failures are shown there. */
  async show(profile: string, link: string | undefined): Promise<void> {
    if (link !== undefined || !this.#pages.has(profile)) this.#pages.set(profile, link ?? '/')
    const open = this.#windows.get(profile)
    if (open) await open.focus()
    else await this.#openWindow(profile)
    this.#tray ??= this.#showTray()
    await this.#boot(profile).then(
      (connection) => this.#showPage(profile, connection, open !== undefined && link === undefined),
      (error: unknown) => logFault(this.#deps.log, 'the backend did not start', error),
    )
  }

  /** Without a window. Throws what failed. */
  boot(profile: string): Promise<Connection> {
    return this.#boot(profile)
  }

  /** For events of the bootstrap. */
  emit(channel: string, payload: unknown): void {
    this.#channels.emit(channel, payload)
  }

  async close(): Promise<void> {
    this.#cancelTouch()
    await this.#deps.bootstrap.cancel()
    await Promise.all([...this.#windows.values()].map((window) => window.close()))
    await (await this.#tray)?.close()
    await this.#pool.close()
    await this.#channels.close()
  }

  /** Without one all is done at the window. */
  async #showTray(): Promise<Tray | undefined> {
    const show = () => {
      for (const window of this.#windows.values())
        window
          .focus()
          .catch((error: unknown) => logFault(this.#deps.log, 'a window was not brought to the front', error))
    }
    const items = [
      { label: 'Show svc', run: show },
      { label: 'Quit svc', run: () => this.#quit() },
    ]
    try {
      return await this.#deps.shell?.tray?.(items)
    } catch (error) {
      logFault(this.#deps.log, 'there is no icon in the tray', error)
      return undefined
    }
  }

  #answers(): Readonly<Record<string, (profile: string) => unknown>> {
    const { bootstrap } = this.#deps
    return {
      'svc:bootstrap:get': () => bootstrap.snapshot(),
      'svc:bootstrap:reset': (profile) => this.#reset(profile, () => bootstrap.reset()),
      'svc:bootstrap:repair': (profile) => this.#reset(profile, () => bootstrap.repair()),
      'svc:bootstrap:cancel': async () => ({ ok: true, cancelled: await bootstrap.cancel() }),
      'svc:boot-progress:get': (profile) => this.#progress.get(profile) ?? this.#tell(profile, 'resolve'),
      'svc:backend:touch': (profile) => {
        this.#pool.touch(profile)
        return { ok: true }
      },
    }
  }

  async #obey(order: Order): Promise<object> {
    const profiles = [...this.#windows.keys()]
    if (order.order === 'open') {
      const shown = this.show(order.profile, order.link)
      shown.catch((error: unknown) => logFault(this.#deps.log, 'a window could not be opened', error))
      return { pid: process.pid }
    }
    if (order.order === 'status') {
      const { active, error, stages } = this.#deps.bootstrap.snapshot()
      const progress = Object.fromEntries(this.#progress)
      return {
        pid: process.pid,
        windows: profiles,
        backends: this.#pool.profiles,
        bootstrap: { active, error, stages },
        progress,
      }
    }
    if (order.order === 'quit') this.#quit()
    else {
      const { bootstrap } = this.#deps
      const clear = () => (order.order === 'reset' ? bootstrap.reset() : bootstrap.repair())
      for (const profile of profiles.length > 0 ? profiles : [...this.#progress.keys()])
        await this.#reset(profile, clear)
    }
    return { pid: process.pid }
  }

  /** Clears the failures of a profile, and tries again. */
  async #reset(profile: string, clear: () => Promise<void>): Promise<{ readonly ok: true }> {
    await clear()
    await this.#pool.reset(profile)
    const isWindow = this.#windows.has(profile)
    const booted = this.#boot(profile).then((connection) =>
      isWindow ? this.#showPage(profile, connection, false) : undefined,
    )
    booted.catch((error: unknown) => logFault(this.#deps.log, 'the backend did not start', error))
    return { ok: true }
  }

  #boot(profile: string): Promise<Connection> {
    const known = this.#booting.get(profile)
    if (known) return known
    const booting = this.#tryToBoot(profile).finally(() => this.#booting.delete(profile))
    this.#booting.set(profile, booting)
    return booting
  }

  async #tryToBoot(profile: string): Promise<Connection> {
    const { remote, bootstrap } = this.#deps
    try {
      if (remote) {
        this.#tell(profile, 'remote')
        return remote
      }
      this.#tell(profile, 'runtime')
      await bootstrap.run()
      return (await this.#pool.get(profile)).connection
    } catch (error) {
      this.#fail(profile, errorMessage(error))
      throw error
    }
  }

  async #start(profile: string, port: number): Promise<Backend> {
    const wanted = port || (this.#state.ports[profile] ?? 0)
    const backend = await this.#deps.startBackend(profile, wanted, (phase) => this.#tell(profile, phase))
    if (this.#state.ports[profile] !== backend.port)
      await this.#save({ ...this.#state, ports: { ...this.#state.ports, [profile]: backend.port } })
    return backend
  }

  /** Pages connect again by themselves while the address stays. */
  #exited(profile: string, { code, signal, tail }: BackendEnd, isRestarted: boolean): void {
    const { log, mask } = this.#deps
    const last = tail.map((line) => mask(line))
    log.warn('a backend has ended', { profile, code, signal, isRestarted })
    this.#channels.emit('svc:backend-exit', { code, signal, tail: last, isRestarted }, profile)
    const before = this.#state.ports[profile]
    this.#pool
      .get(profile)
      .then(
        ({ port, connection }) => (port === before ? undefined : this.#showPage(profile, connection, false)),
        async (error: unknown) => {
          this.#fail(profile, errorMessage(error))
          await this.#windows.get(profile)?.navigate(this.#channels.pageUrl(profile))
        },
      )
      .catch((error: unknown) => logFault(log, 'a window could not show what happened', error))
  }

  async #openWindow(profile: string): Promise<void> {
    const { shell, log } = this.#deps
    if (!shell) return
    const window = await shell.open({
      url: this.#channels.pageUrl(profile),
      folder: this.#deps.windowFolder(profile),
      bounds: this.#state.windows[profile] ?? FIRST_BOUNDS,
      onBounds: (bounds) => {
        const saved = this.#save({ ...this.#state, windows: { ...this.#state.windows, [profile]: bounds } })
        saved.catch((error: unknown) => logFault(log, 'the place of a window was not saved', error))
      },
      onCrash: (isReloaded) => {
        log.warn('the page of a window has crashed', { profile, isReloaded })
        if (!isReloaded) this.#fail(profile, 'The page of the window crashed several times in a minute.')
      },
    })
    this.#windows.set(profile, window)
    void window.closed.then(() => {
      this.#windows.delete(profile)
      if (this.#windows.size === 0) this.#quit()
    })
  }

  /** A failure is shown in the page of the start, which is still there. */
  async #showPage(profile: string, connection: Connection, isThere: boolean): Promise<void> {
    try {
      await this.#navigate(profile, connection, isThere)
    } catch (error) {
      this.#deps.log.warn('a window could not show its page', { profile, error })
      this.#fail(profile, errorMessage(error))
    }
  }

  async #navigate(profile: string, connection: Connection, isThere: boolean): Promise<void> {
    const window = this.#windows.get(profile)
    const { origin } = new URL(connection.baseUrl)
    const url = `${connection.baseUrl}${this.#pages.get(profile) ?? '/'}`
    this.#set(profile, { ...this.#tell(profile, 'ready'), progress: 100, running: false })
    this.#channels.emit('svc:connection', { ...connection, url: window?.isControlled ? null : url }, profile)
    if (!window || isThere) return
    await window.trust(origin, this.#script(connection))
    await window.navigate(url)
  }

  /** A remote page does not hold the token, which no page gets without a login. */
  #script({ mode, token }: Connection): string {
    const values = { __SVC_DESKTOP__: { version: this.#deps.version, mode } }
    const given = mode === 'remote' ? { ...values, __SVC_SESSION_TOKEN__: token, __SVC_AUTH_REQUIRED__: false } : values
    const text = JSON.stringify(given)
    return `for (const [name, value] of Object.entries(${text})) Object.defineProperty(window, name, { get: () => value, set() {} })`
  }

  #tell(profile: string, phase: BootPhase): BootProgress {
    return this.#set(profile, {
      error: null,
      fakeMode: false,
      message: MESSAGES[phase],
      phase,
      progress: BOOT_PROGRESS[phase],
      running: true,
      timestamp: this.#deps.clock.now(),
      isReconnect: (this.#progress.get(profile)?.progress ?? 0) === 100,
    })
  }

  #fail(profile: string, error: string): void {
    const failed = { ...this.#tell(profile, 'runtime'), error: this.#deps.mask(error), phase: 'failed', running: false }
    this.#set(profile, failed)
  }

  #set(profile: string, progress: BootProgress): BootProgress {
    this.#progress.set(profile, progress)
    this.#channels.emit('svc:boot-progress', progress, profile)
    return progress
  }

  async #save(state: DesktopState): Promise<void> {
    this.#state = state
    await this.#deps.saveState(state)
  }

  #touchLater(): void {
    const touch = () => {
      for (const profile of this.#windows.keys()) this.#pool.touch(profile)
      this.#touchLater()
    }
    this.#cancelTouch = this.#deps.clock.after(TOUCH_EACH_MS, touch, { background: true })
  }
}
