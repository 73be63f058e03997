/** One server of the configuration: started when it is needed, connected again when it was lost, ended when it is idle. */
import { createHash } from 'node:crypto'
import { type Clock, errorMessage, type Logger, SvcError } from 'svc/sdk'
import { abortable } from 'svc/sdk/kit/async'
import type { McpServerState } from 'svc/sdk/mcp'
import { Breaker, PROBE_MS } from './breaker.ts'
import { findContradictions, findDangers } from './check-settings.ts'
import type { ServerSettings } from './config.ts'
import { type KeptPrompt, mergeList, type ServerRecord, selectPrompts } from './definitions.ts'
import type { OfferedTool, ServerPeer } from './peer.ts'
import { chooseTransport } from './transport.ts'

export interface ServerDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Aborted when the plugin ends. */
  readonly signal: AbortSignal
  /** Opens a connection; throws what `McpServers.connect` names. */
  open(server: Server, signal: AbortSignal): Promise<ServerPeer>
  record(): ServerRecord | undefined
  /** Stores the list of a server. */
  keep(record: (before: ServerRecord | undefined) => ServerRecord): Promise<void>
  /** The state or the tools changed. */
  changed(): void
  /** The variable of `.env` that settings name as `${NAME}`. */
  getVariable(name: string): string | undefined
  /** A connection was opened and is not in use yet. */
  opened(peer: ServerPeer): Promise<void>
  /** Whether something waits for reports of the server, so that the connection is kept. */
  isAwaited(): boolean
}

/** Tells servers apart whose lists have nothing to do with each other. */
export function identify({ command, args, url }: Pick<ServerSettings, 'command' | 'args' | 'url'>): string {
  return createHash('sha256')
    .update(JSON.stringify([command, args, url]))
    .digest('hex')
    .slice(0, 32)
}

export class Server {
  readonly name: string
  readonly settings: ServerSettings
  readonly identity: string
  readonly #deps: ServerDeps
  readonly #breaker: Breaker
  #peer: ServerPeer | undefined
  #opening: Promise<ServerPeer> | undefined
  #closing: Promise<void> = Promise.resolve()
  /** The last failure, until a connection is open. */
  #failure: { readonly code: string; readonly message: string } | undefined
  #calls = 0
  #usedAt = 0
  #openedAt = 0
  #cancelTick: (() => void) | undefined
  #cancelProbe: (() => void) | undefined
  #isEnded = false

  constructor(name: string, settings: ServerSettings, deps: ServerDeps) {
    this.name = name
    this.settings = settings
    this.identity = identify(settings)
    this.#deps = deps
    this.#breaker = new Breaker(deps.clock)
  }

  get state(): McpServerState {
    if (!this.settings.enabled) return 'disabled'
    if (this.#peer) return 'connected'
    if (this.#opening) return 'connecting'
    if (this.#failure?.code === 'MCP_SIGN_IN') return 'sign-in'
    if (this.#breaker.isParked) return 'parked'
    return this.#failure === undefined ? 'idle' : 'failed'
  }

  get problem(): string | undefined {
    return this.#peer ? undefined : this.#failure?.message
  }

  get pid(): number | undefined {
    return this.#peer?.pid
  }

  getVariable(name: string): string | undefined {
    return this.#deps.getVariable(name)
  }

  /** The list that was read last, if it is one of this server. */
  get record(): ServerRecord | undefined {
    const record = this.#deps.record()
    return record?.identity === this.identity ? record : undefined
  }

  /** Connects unless it is connected. Throws what `McpServers.connect` names; at once while it is known to be out of order. */
  async connect(signal: AbortSignal, options: { readonly force?: boolean } = {}): Promise<ServerPeer> {
    signal.throwIfAborted()
    if (!this.settings.enabled && !options.force)
      throw new SvcError('MCP_DISABLED', `The MCP server ${this.name} is switched off in config.yaml.`)
    if (this.#isEnded) throw new SvcError('MCP_CONNECT', `The MCP server ${this.name} was ended.`)
    if (this.#peer) return this.#peer
    if (!options.force && this.#breaker.waitMs > 0 && this.#opening === undefined) {
      const seconds = Math.ceil(this.#breaker.waitMs / 1000)
      const { code = 'MCP_CONNECT', message = `The MCP server ${this.name} is out of order.` } = this.#failure ?? {}
      throw new SvcError(code, `${message} The next attempt is in ${seconds} s.`)
    }
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
      this.#deps.changed()
    })
    this.#deps.changed()
    return abortable(this.#opening, signal)
  }

  async #open(): Promise<ServerPeer> {
    this.#cancelProbe?.()
    await this.#closing
    try {
      const problems = [...findContradictions(this.settings), ...findDangers(this.settings)]
      if (problems.length > 0)
        throw new SvcError('MCP_REFUSED', `The MCP server ${this.name} is not started. ${problems.join(' ')}`)
      const peer = await this.#openPeer()
      this.#peer = peer
      this.#failure = undefined
      this.#breaker.succeeded()
      this.#openedAt = this.#deps.clock.monotonic()
      this.#usedAt = this.#openedAt
      this.#tick()
      return peer
    } catch (error) {
      this.#failed(error)
      throw error
    }
  }

  /** Its tools are known when it resolves; what fails on the way leaves no connection. */
  async #openPeer(): Promise<ServerPeer> {
    const peer = await this.#deps.open(this, this.#deps.signal)
    try {
      await this.#keepList(peer, await peer.tools(this.#deps.signal))
      await this.#deps.opened(peer)
      return peer
    } catch (error) {
      await peer
        .close()
        .catch((fault: unknown) => this.#deps.log.debug('a failed server did not close', { error: fault }))
      throw error
    }
  }

  async #keepList(peer: ServerPeer, tools: readonly OfferedTool[]): Promise<void> {
    const { clock } = this.#deps
    const prompts = await this.#listPrompts(peer)
    await this.#deps.keep((before) =>
      mergeList(before, {
        identity: this.identity,
        listedAt: clock.now(),
        hasPrompts: peer.has('prompts'),
        hasResources: peer.has('resources'),
        ...(peer.has('subscriptions') && { hasSubscriptions: true }),
        tools,
        ...(prompts.length > 0 && { prompts }),
      }),
    )
  }

  /** A server whose prompts cannot be read still has its tools. */
  async #listPrompts(peer: ServerPeer): Promise<KeptPrompt[]> {
    if (!peer.has('prompts')) return []
    try {
      return selectPrompts(await peer.prompts(this.#deps.signal))
    } catch (error) {
      this.#deps.log.warn(`the prompts of the MCP server ${this.name} could not be read`, { error })
      return []
    }
  }

  /** A connection that was open broke. A call connects again; what only waits for reports of the server is brought back in time. */
  lost(why: string): void {
    if (!this.#peer) return
    this.#peer = undefined
    this.#cancelTick?.()
    this.#failed(new SvcError('MCP_CONNECT', `The MCP server ${this.name} ended. ${why}`))
    this.#deps.changed()
  }

  #failed(error: unknown): void {
    if (this.#deps.signal.aborted) return
    const { log, clock } = this.#deps
    const code = error instanceof SvcError ? error.code : 'MCP_CONNECT'
    this.#failure = { code, message: errorMessage(error) }
    this.#breaker.failed()
    log.warn(`the MCP server ${this.name} is not connected`, { error })
    // A failure that only a person can fix is not retried automatically.
    if (code === 'MCP_SIGN_IN' || code === 'MCP_REFUSED') return
    if (!this.#breaker.isParked && !this.#deps.isAwaited()) return
    this.#cancelProbe?.()
    const waitMs = this.#breaker.isParked ? PROBE_MS : this.#breaker.waitMs
    this.#cancelProbe = clock.after(waitMs, () => this.#probe(), { background: true })
  }

  #probe(): void {
    if (this.#isEnded || this.#peer) return
    this.connect(this.#deps.signal, { force: true }).catch((error: unknown) => {
      this.#deps.log.debug(`the MCP server ${this.name} is still out of order`, { error })
    })
  }

  /** Its list of tools or of prompts changed. */
  async refresh(): Promise<void> {
    const peer = this.#peer
    if (!peer) return
    try {
      await this.#keepList(peer, await peer.tools(this.#deps.signal))
      this.#deps.changed()
    } catch (error) {
      this.#deps.log.warn(`the tools of the MCP server ${this.name} could not be read again`, { error })
    }
  }

  /** The connection, if it is open. */
  get peer(): ServerPeer | undefined {
    return this.#peer
  }

  /** Runs work with a connection, which stays while it runs. A connection that fails meanwhile counts against the server. */
  async use<T>(signal: AbortSignal, work: (peer: ServerPeer) => Promise<T>): Promise<T> {
    const peer = await this.connect(signal)
    this.#calls += 1
    try {
      return await work(peer)
    } finally {
      this.#calls -= 1
      this.#usedAt = this.#deps.clock.monotonic()
    }
  }

  /** Ends the connection; the next call opens another one. */
  async disconnect(): Promise<void> {
    this.#cancelTick?.()
    this.#cancelProbe?.()
    const opening = this.#opening
    // What is being opened is closed once it is open.
    await opening?.catch((error: unknown) => this.#deps.log.debug('the connection failed anyway', { error }))
    const peer = this.#peer
    this.#peer = undefined
    if (!peer) return
    this.#closing = peer.close().catch((error: unknown) => {
      this.#deps.log.warn(`the MCP server ${this.name} did not close`, { error })
    })
    await this.#closing
    this.#deps.changed()
  }

  /** Forgets earlier failures: a person wants it to be tried now. */
  reset(): void {
    this.#breaker.succeeded()
    this.#failure = undefined
    this.#cancelProbe?.()
  }

  /** Ends it for good. */
  async end(): Promise<void> {
    this.#isEnded = true
    await this.disconnect()
  }

  /** Looks after an open connection: whether it is idle, old, or dead. */
  #tick(): void {
    const { keepalive_interval, idle_timeout_seconds = Infinity, max_lifetime_seconds = Infinity } = this.settings
    const seconds = Math.min(keepalive_interval, idle_timeout_seconds, max_lifetime_seconds)
    this.#cancelTick = this.#deps.clock.after(seconds * 1000, () => void this.#look(), { background: true })
  }

  async #look(): Promise<void> {
    const peer = this.#peer
    if (!peer) return
    const { idle_timeout_seconds = Infinity, max_lifetime_seconds = Infinity } = this.settings
    const now = this.#deps.clock.monotonic()
    const isIdle = now - this.#usedAt >= idle_timeout_seconds * 1000
    const isOld = now - this.#openedAt >= max_lifetime_seconds * 1000
    if (this.#calls === 0 && ((isIdle && !this.#deps.isAwaited()) || isOld)) {
      await this.disconnect()
      if (this.#deps.isAwaited()) this.#probe()
      return
    }
    try {
      // A local process tells by its end.
      if (chooseTransport(this.settings) !== 'stdio') await peer.ping(this.#deps.signal)
      if (this.#peer === peer) this.#tick()
    } catch (error) {
      if (this.#peer !== peer || this.#deps.signal.aborted) return
      this.lost(errorMessage(error))
      await peer
        .close()
        .catch((fault: unknown) => this.#deps.log.debug('a dead server did not close', { error: fault }))
    }
  }
}
