/** One app at work: its router, its locks (checked before a body is read), and its error format. */
import { createServer, type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest, fastify } from 'fastify'
import { type Clock, SvcError } from 'svc/sdk'
import type { ServiceCaller } from 'svc/sdk/host'
import type { HttpApp, HttpResponse, HttpRoute, HttpSocketRoute } from 'svc/sdk/web'
import { getLock, isCaught, isSame, isWildcard, listPaths } from './app-rules.ts'
import { exposeHeaders, hasOrigins, originHeaders, preflightHeaders } from './cross-origin.ts'
import { FailedProofs } from './failed-proofs.ts'
import { createNotServed, type FailureDeps, failureReply, toFailure } from './failures.ts'
import { isOwnHost } from './host-check.ts'
import { sendReply } from './reply.ts'
import { SeenRequest } from './request.ts'
import { BearerLock, checkCredential, checkSignature } from './request-proof.ts'
import { type Upgraded, Upgrades } from './upgrades.ts'

type Headers = Readonly<Record<string, string>>

const MAX_BYTES = 1_048_576
/** Longer parts of a path are refused. */
const MAX_PARAMETER = 500
const CHALLENGE = { 'www-authenticate': 'Bearer' }
/** Nothing here is a page, unless its app says so. */
const safeHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-xss-protection': '0',
}

function noCompiler(): never {
  throw new Error('routes have no schemas')
}

export interface ListenerDeps extends FailureDeps {
  readonly clock: () => Clock
  /** Names of reverse proxies. */
  readonly hosts: readonly string[]
}

export class Listener {
  readonly app: HttpApp
  /** The plugin that mounted it; undefined for the program that embeds svc. */
  readonly caller: ServiceCaller | undefined
  readonly #deps: ListenerDeps
  readonly #failed: FailedProofs
  readonly #router: FastifyInstance
  readonly #base: Headers
  readonly #open: Set<SeenRequest> = new Set()
  readonly #plainPaths: ReadonlySet<string>
  readonly #patterns: readonly string[]
  readonly #upgrades: Upgrades
  #whenIdle: (() => void) | undefined

  constructor(app: HttpApp, makeRouter: typeof fastify, deps: ListenerDeps, caller?: ServiceCaller) {
    this.app = app
    this.caller = caller
    this.#deps = deps
    this.#failed = new FailedProofs(deps.clock)
    this.#upgrades = new Upgrades(deps)
    this.#base = { ...safeHeaders, ...app.headers }
    const paths = listPaths(app)
    this.#plainPaths = new Set(paths.filter((path) => !path.includes('/:')))
    this.#patterns = paths.filter((path) => path.includes('/:'))
    this.#router = makeRouter({
      // It only routes: the shared server passes on its requests.
      serverFactory: (handler) => createServer(handler),
      forceCloseConnections: false,
      // No route has a custom schema, so the schema compilers, which are most of the library, are not loaded.
      schemaController: { compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler } },
      exposeHeadRoutes: true,
      routerOptions: { maxParamLength: MAX_PARAMETER, querystringParser: () => ({}) },
      frameworkErrors: (error, request, reply) => this.#fail(error, request, reply),
    })
    this.#router.removeAllContentTypeParsers()
    this.#router.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    this.#router.setErrorHandler((error, request, reply) => this.#fail(error, request, reply))
    this.#router.setNotFoundHandler((request, reply) => {
      this.#fail(createNotServed(request.raw.url ?? '', this.#methodsAt(request.raw.url ?? '')), request, reply)
    })
    for (const route of app.routes) this.#addRoute(route)
  }

  async ready(): Promise<void> {
    await this.#router.ready()
  }

  /** Whether a route has this path, by whatever method. */
  serves(path: string): boolean {
    return this.#plainPaths.has(path) || this.#patterns.some((pattern) => isSame(pattern, path))
  }

  /** Whether it has what no other app has at this path. */
  catches(path: string): boolean {
    return this.app.routes.some((route) => isWildcard(route.path) && isCaught(`${this.app.prefix}${route.path}`, path))
  }

  /** Answers one request below the prefix of the app. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers
    const refusal = this.#strangerRefusal(request)
    if (refusal) this.#send(request, response, this.told(toFailure(refusal, this.#deps)))
    else if (request.method === 'OPTIONS') {
      const headers = origin === undefined ? {} : preflightHeaders(this.app, request)
      this.#send(request, response, { status: 204, headers })
    } else this.#router.routing(request, response)
  }

  /** The path that is upgraded at this address. */
  socketAt(url: string): HttpSocketRoute | undefined {
    const asked = url.split('?')[0]
    return this.app.sockets?.find(({ path }) => (`${this.app.prefix}${path}` || '/') === asked)
  }

  /** Opens a WebSocket, or says in HTTP why not. */
  async upgrade(route: HttpSocketRoute, upgraded: Upgraded): Promise<void> {
    const { request, connection } = upgraded
    // Node listens no more, and a connection may be reset at any time.
    connection.on('error', () => {})
    const seen = new SeenRequest(request, connection, { params: {}, body: undefined })
    this.#open.add(seen)
    try {
      const refusal = this.#strangerRefusal(request) ?? this.#lockRefusal(route, request)
      if (refusal) throw refusal
      await checkCredential(getLock(this.app, route), seen)
      await checkSignature(getLock(this.app, route), seen)
      await this.#upgrades.serve(route, seen, upgraded)
    } catch (error) {
      this.#send(request, responseOn(connection, request), this.told(toFailure(error, this.#deps)))
    } finally {
      this.#open.delete(seen)
      this.#noteIdle()
    }
  }

  /** Tells open requests to end; resolves when they have. */
  close(): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve
    })
    for (const request of this.#open) request.leave()
    this.#noteIdle()
    return idle
  }

  /** Cuts what did not end. */
  async cut(): Promise<void> {
    this.#upgrades.cut()
    for (const request of this.#open) request.cut()
    await this.#router.close()
  }

  /** Why the page or the name that a request comes by may not ask here at all. */
  #strangerRefusal(request: IncomingMessage): SvcError | undefined {
    const { origin, host } = request.headers
    if (!isOwnHost(this.app, host, this.#deps.hosts) && !this.#provesItself(request)) {
      const text = 'This server does not have the host that the request names. A reverse proxy is named in http.hosts.'
      return new SvcError('HTTP_HOST', text, { status: 421 })
    }
    if (origin !== undefined && !originHeaders(this.app, request.headers))
      return new SvcError('HTTP_ORIGIN', 'Pages of this origin may not ask here.', { status: 403 })
    return undefined
  }

  #lockRefusal(route: HttpSocketRoute, request: IncomingMessage): SvcError | undefined {
    const lock = getLock(this.app, route)
    if (lock.kind !== 'bearer' || new BearerLock(lock).opens(request.headers.authorization)) return undefined
    return this.#refusal(request)
  }

  #addRoute(route: HttpRoute): void {
    const lock = getLock(this.app, route)
    const bearer = lock.kind === 'bearer' ? new BearerLock(lock) : undefined
    this.#router.route({
      method: route.method,
      url: `${this.app.prefix}${route.path}` || '/',
      bodyLimit: route.maxBytes ?? MAX_BYTES,
      onRequest: ({ raw, params }, reply, done) => {
        if (bearer) return done(bearer.opens(raw.headers.authorization) ? undefined : this.#refusal(raw))
        if (lock.kind !== 'credential') return done()
        const head = new SeenRequest(raw, reply.raw, { params, body: undefined })
        checkCredential(lock, head).then((headers) => {
          for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value)
          done()
        }, done)
      },
      handler: (request, reply) => {
        reply.hijack()
        void this.#serve(route, request, reply)
      },
    })
  }

  /** A request without any key guesses nothing, so it does not count. */
  #refusal({ headers, socket }: IncomingMessage): SvcError {
    const waitMs = headers.authorization === undefined ? 0 : this.#failed.add(socket.remoteAddress ?? '')
    if (waitMs === 0) return new SvcError('HTTP_UNAUTHORIZED', 'The key is missing or wrong.', { status: 401 })
    const text = 'The key is wrong, and so were too many before it. Wait a minute.'
    return new SvcError('HTTP_GUESSED', text, { status: 429 })
  }

  /** A proof over the request itself is worth what its secret is; no page that rebinds its name has one. */
  #provesItself({ method, url = '/' }: IncomingMessage): boolean {
    const path = url.split('?')[0] ?? ''
    return this.app.routes.some((route) => {
      const isAsked = route.method === method && isSame(`${this.app.prefix}${route.path}` || '/', path)
      return isAsked && getLock(this.app, route).kind === 'signed'
    })
  }

  async #serve(route: HttpRoute, { raw, params, body }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const seen = new SeenRequest(raw, reply.raw, { params, body })
    this.#open.add(seen)
    try {
      await checkSignature(getLock(this.app, route), seen)
      await this.#write(raw, reply.raw, await route.handle(seen))
    } catch (error) {
      await this.#afterFailure(error, raw, reply.raw)
    } finally {
      this.#open.delete(seen)
      this.#noteIdle()
    }
  }

  /** A failure behind the first byte can only be shown by cutting the reply. */
  async #afterFailure(error: unknown, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const failure = toFailure(error, this.#deps)
    if (response.headersSent) response.destroy()
    else if (!response.closed) await this.#write(request, response, this.told(failure))
  }

  #fail(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    reply.hijack()
    if (reply.raw.closed || reply.raw.headersSent) return
    const failure = toFailure(error, this.#deps)
    const told = this.told(failure)
    const allow = failure.code === 'HTTP_METHOD' ? { allow: this.#methodsAt(request.raw.url ?? '').join(', ') } : {}
    this.#send(request.raw, reply.raw, { ...told, headers: { ...told.headers, ...allow } })
  }

  /** A failure as its app says it. */
  told(failure: Parameters<typeof failureReply>[1]): HttpResponse {
    const told = failureReply(this.app, failure, this.#deps.log)
    return failure.code === 'HTTP_UNAUTHORIZED' ? { ...told, headers: { ...CHALLENGE, ...told.headers } } : told
  }

  #send(request: IncomingMessage, response: ServerResponse, reply: HttpResponse): void {
    this.#write(request, response, reply).catch((error: unknown) => {
      this.#deps.log.error('a reply could not be written', { app: this.app.name, error })
      response.destroy()
    })
  }

  #write(request: IncomingMessage, response: ServerResponse, reply: HttpResponse): Promise<void> {
    const { origin } = request.headers
    if (origin === undefined && !hasOrigins(this.app))
      return sendReply(response, reply, reply.headers ? { ...this.#base, ...reply.headers } : this.#base)
    const own = reply.headers ?? {}
    const shared = originHeaders(this.app, request.headers)
    return sendReply(response, reply, { ...this.#base, ...shared, ...(shared && exposeHeaders(own)), ...own })
  }

  #noteIdle(): void {
    if (this.#open.size === 0) this.#whenIdle?.()
  }

  /** Methods of routes that a path fits: asked only when nothing was found. */
  #methodsAt(url: string): string[] {
    const asked = url.split('?')[0] ?? ''
    const fits = ({ path }: HttpRoute) => isSame(`${this.app.prefix}${path}` || '/', asked)
    return [...new Set(this.app.routes.filter(fits).map(({ method }) => method))]
  }
}

/** A connection that will not be upgraded is answered and closed. */
function responseOn(connection: Socket, request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(connection)
  response.once('finish', () => connection.destroySoon())
  return response
}
