/**
 * The browser of this process: started or connected to when it is first needed, closed when it is not used any more.
 */
import { errorMessage, type Net, SvcError } from 'svc/sdk'
import { Browsing } from './browsing.ts'
import type { OpenWire } from './cdp.ts'
import { Engine, type EngineDeps } from './engine.ts'
import { type BrowserPaths, findExecutable } from './executable.ts'
import { type Launched, launchBrowser, needsNoSandbox } from './launch.ts'

const MAX_SESSIONS = 16
const MAX_REMEMBERED = 1000
const CONNECT_MS = 10_000

export interface BrowsersDeps extends EngineDeps {
  readonly idleMs: number
  /** An address from the config; empty: start one. */
  readonly cdpUrl: string
  readonly places: () => BrowserPaths
  readonly net: () => Net
  readonly mark: () => string
}

interface Running {
  readonly engine: Engine
  readonly version: string
  readonly launched: Launched | undefined
}

export class Browsers {
  readonly #deps: BrowsersDeps
  readonly #sessions = new Map<string, Promise<Browsing>>()
  readonly #expired = new Set<string>()
  #running: Promise<Running> | undefined
  #address: string | undefined
  #isClosed = false

  constructor(deps: BrowsersDeps) {
    this.#deps = deps
    this.#address = deps.cdpUrl || undefined
  }

  /** The browsing of a session that has begun; throws `BROWSER_NO_PAGE`. */
  async existing(sessionId: string): Promise<Browsing> {
    const browsing = await this.#sessions.get(sessionId)
    if (browsing) return browsing
    const why = this.#expired.has(sessionId) ? 'The browser was closed, as it was not used or ended' : 'No page is open'
    throw new SvcError('BROWSER_NO_PAGE', `${why}. Navigate to a page first.`)
  }

  /** The same, begun when it has not. */
  async open(sessionId: string): Promise<Browsing> {
    const known = this.#sessions.get(sessionId)
    if (known) return known
    if (this.#sessions.size >= MAX_SESSIONS) await this.#makeRoom()
    const begun = this.#begin(sessionId)
    this.#sessions.set(sessionId, begun)
    begun.catch(() => {
      if (this.#sessions.get(sessionId) === begun) this.#sessions.delete(sessionId)
    })
    return begun
  }

  /** Uses a running browser from now on; throws `BROWSER_CONNECT`. Resolves to its name and version. */
  async connect(address: string): Promise<string> {
    const before = this.#address
    await this.closeAll()
    this.#address = address
    try {
      return (await this.#engine()).version
    } catch (error) {
      this.#address = before
      throw error
    }
  }

  /** Starts one of our own from now on. False when that was so already. */
  async disconnect(): Promise<boolean> {
    if (this.#address === undefined) return false
    await this.closeAll()
    this.#address = undefined
    return true
  }

  /** Lines for people. */
  async status(): Promise<readonly string[]> {
    const lines = [this.#source()]
    const running = await this.#running?.catch(() => undefined)
    if (running) lines.push(`Running: ${running.version}, ${this.#sessions.size} session(s)`)
    else lines.push('Not running; it starts with the first page.')
    if (this.#address === undefined && needsNoSandbox())
      lines.push('svc runs as root, so the browser runs without its sandbox (--no-sandbox).')
    return lines
  }

  /** Ends all sessions and the browser, and takes no more. */
  async end(): Promise<void> {
    this.#isClosed = true
    await this.closeAll()
  }

  async closeAll(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    for (const id of this.#sessions.keys()) await this.#closeSession(id)
    const { engine, launched } = (await running?.catch(() => undefined)) ?? {}
    engine?.close()
    await launched?.kill()
  }

  #source(): string {
    if (this.#address !== undefined) return `Browser: the running one at ${this.#address}`
    const found = findExecutable(this.#deps.places())
    return 'path' in found ? `Browser: ${found.path}` : `Browser: none; ${found.missing}`
  }

  async #begin(sessionId: string): Promise<Browsing> {
    const { engine } = await this.#engine()
    const { clock, commandMs, idleMs } = this.#deps
    const pages = await engine.openPages()
    this.#expired.delete(sessionId)
    return new Browsing(pages, { clock, commandMs, idleMs }, () => {
      this.#closeIdle(sessionId).catch((error) => this.#complain(error))
    })
  }

  #complain(error: unknown): void {
    this.#deps.log.warn('closing the browser failed', { error })
  }

  #remember(sessionId: string): void {
    if (this.#expired.size >= MAX_REMEMBERED) this.#expired.clear()
    this.#expired.add(sessionId)
  }

  async #closeIdle(sessionId: string): Promise<void> {
    this.#remember(sessionId)
    await this.#closeSession(sessionId)
    if (this.#sessions.size === 0) await this.closeAll()
  }

  async #closeSession(sessionId: string): Promise<void> {
    const opening = this.#sessions.get(sessionId)
    this.#sessions.delete(sessionId)
    const browsing = await opening?.catch(() => undefined)
    // The browser may be gone with all its pages.
    await browsing?.close().catch(() => undefined)
  }

  async #makeRoom(): Promise<void> {
    for (const [id, opening] of this.#sessions) {
      const browsing = await opening.catch(() => undefined)
      if (browsing?.isBusy) continue
      this.#remember(id)
      return this.#closeSession(id)
    }
    throw new SvcError('BROWSER_TOO_MANY', `${MAX_SESSIONS} sessions use the browser now. Wait for one to finish.`)
  }

  #engine(): Promise<Running> {
    if (this.#isClosed)
      return Promise.reject(new SvcError('BROWSER_GONE', 'The plugin tool-browser is being unloaded.'))
    if (this.#running) return this.#running
    const running = this.#start()
    this.#running = running
    running.then(
      ({ engine, launched }) => {
        engine.closed.then(() => this.#ended(running, launched)).catch((error) => this.#complain(error))
      },
      () => {
        if (this.#running === running) this.#running = undefined
      },
    )
    return running
  }

  /** It exited: everything open in it is lost. */
  async #ended(running: Promise<Running>, launched: Launched | undefined): Promise<void> {
    if (this.#running !== running) return
    this.#running = undefined
    for (const id of this.#sessions.keys()) {
      this.#remember(id)
      await this.#closeSession(id)
    }
    await launched?.kill()
  }

  async #start(): Promise<Running> {
    if (this.#address !== undefined) return this.#attach(await this.#connectTo(this.#address), undefined)
    const places = this.#deps.places()
    const found = findExecutable(places)
    if ('missing' in found) throw new SvcError('BROWSER_MISSING', `The browser ${found.missing}.`)
    const launched = await launchBrowser(found.path, places.path, this.#deps.clock)
    return this.#attach(launched.open, launched)
  }

  async #attach(open: OpenWire, launched: Launched | undefined): Promise<Running> {
    const engine = new Engine(open, this.#deps, { isOwn: launched !== undefined, mark: this.#deps.mark })
    try {
      const version = await Promise.race([engine.start(), ...(launched ? [launched.failed] : [])])
      return { engine, version, launched }
    } catch (error) {
      engine.close()
      // The pipe ends a little before the process, which says why.
      const reason = launched ? await launched.kill().then(() => launched.failed.catch((failure) => failure)) : error
      throw reason
    }
  }

  async #connectTo(address: string): Promise<OpenWire> {
    const { webSocketWire } = await import('./web-socket-wire.ts')
    return webSocketWire(/^wss?:/i.test(address) ? address : await this.#debuggerUrl(address))
  }

  async #debuggerUrl(address: string): Promise<string> {
    try {
      const url = new URL('/json/version', address).href
      const response = await this.#deps.net().request({ url, timeoutMs: CONNECT_MS })
      const { webSocketDebuggerUrl } = JSON.parse(await response.text(100_000)) as { webSocketDebuggerUrl: string }
      return new URL(webSocketDebuggerUrl).href
    } catch (error) {
      const hint = 'Start it with --remote-debugging-port=9222 and a --user-data-dir of its own'
      throw new SvcError('BROWSER_CONNECT', `No browser answers at ${address}: ${errorMessage(error)}. ${hint}.`, {
        cause: error,
      })
    }
  }
}
