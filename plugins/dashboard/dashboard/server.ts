/** Listens: mounts what plugins contribute, and follows them as they come and go. */
import { isIP } from 'node:net'
import { type PluginContext, Random, SvcError } from 'svc/sdk'
import {
  DashboardFiles,
  type DashboardFolder,
  DashboardLogin,
  type DashboardOptions,
  type ServedDashboard,
} from 'svc/sdk/dashboard'
import { PluginsChanged } from 'svc/sdk/hooks'
import { isLoopbackHost } from 'svc/sdk/provider'
import { AgentProcesses } from 'svc/sdk/shell'
import { Http, type HttpApp, type HttpRequest, type HttpRoute, type MountedApp } from 'svc/sdk/web'
import { createClientReader, isDirect, readBasePath } from './client.ts'
import type { Config } from './config.ts'
import type { Credentials } from './credentials.ts'
import { failure } from './envelope.ts'
import { StaticFiles } from './files.ts'
import { createLock, type LockDeps, type LockKind, mayAsk, type RouteSecret } from './locks.ts'
import { mayHaveToken } from './page-client.ts'
import type { PluginPages } from './plugin-pages.ts'
import { listRoutes, listSockets, toHttpRoute, toHttpSocket } from './routes.ts'
import { MAX_MESSAGE, serveRpc } from './rpc-socket.ts'

type Context = PluginContext<Config>

interface ServerDeps {
  readonly credentials: Credentials
  readonly pages: PluginPages
}

/** Throws `DASHBOARD_NO_LOGIN`, and what `Http.mount` throws. */
export async function listen(ctx: Context, deps: ServerDeps, options: DashboardOptions): Promise<ServedDashboard> {
  const server = new DashboardServer(ctx, deps, options)
  await server.open()
  const close = () => server.close()
  // Other plugins get the members of an object, not those of its class.
  return { port: server.port, url: server.url, close, [Symbol.asyncDispose]: close }
}

class DashboardServer {
  readonly #ctx: Context
  readonly #credentials: Credentials
  readonly #pages: PluginPages
  readonly #host: string
  readonly #isHeadless: boolean
  readonly #publicUrl: string | undefined
  readonly #isLoginRequired: boolean
  readonly #lockDeps: LockDeps
  readonly #files: StaticFiles = new StaticFiles()
  readonly #before: MountedApp[] = []
  #wanted: number
  #mounted: MountedApp | undefined
  #contributed: readonly unknown[] = []
  #turn: Promise<void> = Promise.resolve()
  #unfollow: () => unknown = () => {}

  constructor(ctx: Context, { credentials, pages }: ServerDeps, options: DashboardOptions) {
    this.#ctx = ctx
    this.#credentials = credentials
    this.#pages = pages
    this.#host = options.host ?? ctx.config.host
    this.#wanted = options.port ?? ctx.config.port
    this.#isHeadless = options.isHeadless ?? false
    this.#publicUrl = options.isForWindow ? undefined : ctx.config.public_url
    this.#isLoginRequired = !isLoopbackHost(this.#host) || this.#publicUrl !== undefined
    const describe = createClientReader({
      publicUrl: this.#publicUrl,
      trustedProxies: ctx.config.trusted_proxies,
      isLoginRequired: this.#isLoginRequired,
    })
    this.#lockDeps = { credentials, describe, login: () => ctx.find(DashboardLogin), publicUrl: this.#publicUrl }
  }

  get port(): number {
    return this.#mounted?.port ?? 0
  }

  get url(): string {
    return this.#mounted?.url ?? ''
  }

  async open(): Promise<void> {
    if (this.#isLoginRequired) this.#demandLogin()
    await this.#mount()
    this.#unfollow = this.#ctx.on(PluginsChanged, () => {
      this.#turn = this.#turn.then(() => this.#follow())
      return this.#turn
    })
  }

  /** Throws `DASHBOARD_NO_LOGIN`. */
  #demandLogin(): void {
    const login = this.#ctx.find(DashboardLogin)
    const missing = login
      ? login.explainMissing()
      : 'The plugin that people sign in with does not run: `svc plugins` says why.'
    if (missing === undefined) return
    const reach = isLoopbackHost(this.#host)
      ? `Others reach the dashboard at ${this.#publicUrl} (dashboard.server.public_url)`
      : `${this.#host} can be reached by others`
    throw new SvcError('DASHBOARD_NO_LOGIN', `${reach}, and no person could sign in. ${missing}`, { exposes: true })
  }

  async close(): Promise<void> {
    await this.#unfollow()
    await this.#turn
    await Promise.all([this.#mounted, ...this.#before].map((app) => app?.close()))
  }

  async #follow(): Promise<void> {
    const now = this.#listContributed()
    if (now.length === this.#contributed.length && now.every((item, at) => item === this.#contributed[at])) return
    // What is open on the older app goes on; it gets no new requests.
    if (this.#mounted) this.#before.push(this.#mounted)
    await this.#mount()
  }

  async #mount(): Promise<void> {
    this.#contributed = this.#listContributed()
    this.#mounted = await this.#ctx.use(Http).mount(this.#createApp())
    this.#wanted = this.#mounted.port
  }

  #listContributed(): readonly unknown[] {
    return [...listRoutes(this.#ctx), ...listSockets(this.#ctx), ...this.#ctx.all(DashboardFiles).all()]
  }

  #createApp(): HttpApp {
    const ctx = this.#ctx
    const getLock = (kind: LockKind, secret?: RouteSecret) => createLock(kind, this.#lockDeps, secret)
    const facts = { isLoginRequired: this.#isLoginRequired, publicUrl: this.#publicUrl }
    const { describe } = this.#lockDeps
    const deps = { getLock, describe, endOf: (request: HttpRequest) => this.#credentials.endOf(request) }
    const hosts = this.#listHosts()
    return {
      name: 'dashboard',
      host: this.#host,
      port: this.#wanted,
      prefix: '',
      lock: getLock('session'),
      origins: (origin, host) => mayAsk(origin, host, facts),
      failure,
      ...(hosts && { hosts }),
      routes: [
        ...listRoutes(ctx).map((route) => toHttpRoute(route, deps)),
        ...(this.#isHeadless ? [] : this.#listFolders().flatMap((folder) => this.#fileRoutes(folder))),
        ...(this.#isHeadless ? [] : [this.#frameRoute()]),
      ],
      sockets: [
        toHttpSocket({ path: '/api/ws', maxBytes: MAX_MESSAGE, handle: (socket) => serveRpc(ctx, socket) }, deps),
        ...listSockets(ctx).map((socket) => toHttpSocket(socket, deps)),
      ],
    }
  }

  /** Undefined where any name may be its own. */
  #listHosts(): readonly string[] | undefined {
    const own = this.#publicUrl === undefined ? [] : [new URL(this.#publicUrl).hostname]
    const isNamed = !isLoopbackHost(this.#host) && isIP(this.#host) === 0
    return own.length === 0 && !isNamed ? undefined : [...own, this.#host]
  }

  /** A frame sends no credential: its address is known to clients that have one. */
  #frameRoute(): HttpRoute {
    return {
      method: 'GET',
      path: `${this.#pages.prefix}/*`,
      lock: { kind: 'public' },
      summary: 'Frames of pages of plugins',
      handle: (request) =>
        this.#pages.answer(request.params['*'] ?? '', request, readBasePath(this.#lockDeps.describe(request))),
    }
  }

  /** Of several with one prefix the first one is served. */
  #listFolders(): readonly DashboardFolder[] {
    const folders = [...this.#ctx.all(DashboardFiles).all()]
    return folders.filter((folder, at) => {
      const first = folders.findIndex(({ prefix }) => prefix === folder.prefix)
      if (first !== at) this.#ctx.log.warn('a folder is not served: its prefix is taken', { folder: folder.name })
      return first === at
    })
  }

  #fileRoutes(folder: DashboardFolder): readonly HttpRoute[] {
    const route = (path: string): HttpRoute => ({
      method: 'GET',
      path,
      lock: createLock('public', this.#lockDeps),
      summary: `Files of ${folder.name}`,
      handle: (request) => {
        const rest = request.params['*'] ?? ''
        if (folder.prefix === '' && (rest === 'api' || rest.startsWith('api/')))
          throw new SvcError('DASHBOARD_ROUTE_UNKNOWN', `No such API endpoint: /${rest.slice(0, 200)}`, { status: 404 })
        const leash = this.#ctx.find(AgentProcesses)
        const isOwn = !this.#isLoginRequired && isDirect(request) && mayHaveToken(request, leash)
        const token = isOwn ? this.#credentials.token : undefined
        return this.#files.answer(folder, rest, request, {
          nonce: this.#ctx.use(Random).hex(16),
          token,
          isAuthRequired: token === undefined,
          base: readBasePath(this.#lockDeps.describe(request)),
        })
      },
    })
    return [route(folder.prefix), route(`${folder.prefix}/*`)]
  }
}
