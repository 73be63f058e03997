/** Routes and WebSockets as plugins describe them, as the server mounts them. */
import type { PluginContext } from 'svc/sdk'
import {
  type DashboardReply,
  type DashboardRoute,
  DashboardRoutes,
  type DashboardSocket,
  DashboardSockets,
} from 'svc/sdk/dashboard'
import {
  type ApiRoute,
  ApiRoutes,
  type HttpRequest,
  type HttpRoute,
  type HttpSocketRoute,
  jsonResponse,
} from 'svc/sdk/web'
import type { DescribeClient } from './client.ts'
import type { Config } from './config.ts'
import { readBody, readQuery } from './envelope.ts'
import type { LockKind, RouteSecret } from './locks.ts'

type Context = PluginContext<Config>

/** What the server knows of every request. */
export interface RouteDeps {
  getLock(kind: LockKind, secret?: RouteSecret): NonNullable<HttpRoute['lock']>
  readonly describe: DescribeClient
  /** Aborted when the login ends that opened a WebSocket. */
  endOf(request: HttpRequest): AbortSignal | undefined
}

const MAX_BYTES = 1_048_576
/** A code of this program, behind which a page asks whether it still may connect. */
const SIGNED_OUT = 4401
/** Routes of the API server that are also for people: those of plugins with pages. */
const SHARED = '/api/plugins/'

/** All routes of plugins: those of the dashboard, and those of the API server that it shows, too. */
export function listRoutes(ctx: Context): readonly DashboardRoute[] {
  const own = [...ctx.all(DashboardRoutes).all()].filter(({ path }) => path.startsWith('/api/'))
  const known = new Set(own.map(({ method, path }) => `${method} ${path}`))
  const shared = [...ctx.all(ApiRoutes).all()].filter(
    ({ method, path }) => path.startsWith(SHARED) && !known.has(`${method} ${path}`),
  )
  return [...own, ...shared.map(toDashboardRoute)]
}

export function listSockets(ctx: Context): readonly DashboardSocket[] {
  return [...ctx.all(DashboardSockets).all()].filter(({ path }) => path.startsWith('/api/'))
}

export function toHttpRoute(route: DashboardRoute, { getLock, describe }: RouteDeps): HttpRoute {
  const { method, path, summary, query, body, response } = route
  const maxBytes = route.maxBytes ?? MAX_BYTES
  return {
    method,
    path,
    summary,
    maxBytes,
    lock: getLock(
      route.auth === 'public' ? 'public' : route.isDownload ? 'download' : 'session',
      route.secret && { secret: route.secret, route: `${method} ${path}` },
    ),
    ...(query && { query }),
    ...(body && { request: body }),
    ...(response && { response }),
    async handle(http) {
      const result = await route.handle({
        http,
        client: describe(http),
        params: http.params,
        query: query ? await readQuery(http, query) : {},
        body: body && (await readBody(http, body, maxBytes)),
        signal: http.signal,
      })
      return isReply(result) ? result.reply : jsonResponse(result ?? {})
    },
  }
}

export function toHttpSocket(socket: Omit<DashboardSocket, 'summary'>, { getLock, endOf }: RouteDeps): HttpSocketRoute {
  const { path, maxBytes, isBinary } = socket
  return {
    path,
    lock: getLock('socket'),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(isBinary && { isBinary }),
    async handle(connection) {
      const end = endOf(connection.request)
      const close = () => connection.close(SIGNED_OUT, 'the login has ended')
      end?.addEventListener('abort', close, { once: true })
      try {
        await socket.handle(connection)
      } finally {
        end?.removeEventListener('abort', close)
      }
    },
  }
}

/** A route of the API server under the lock of the dashboard. */
function toDashboardRoute(route: ApiRoute): DashboardRoute {
  const { method, path, summary, query, body, response, maxBytes } = route
  return {
    method,
    path,
    summary: summary ?? `${method} ${path}`,
    ...(query && { query }),
    ...(body && { body }),
    ...(response && { response }),
    ...(maxBytes !== undefined && { maxBytes }),
    async handle({ http, query: asked, body: sent, signal }) {
      const reply = await route.handle({ http, query: asked, body: sent, scope: '', signal })
      return { isDashboardReply: true, reply }
    },
  }
}

function isReply(value: unknown): value is DashboardReply {
  return typeof value === 'object' && value !== null && 'isDashboardReply' in value
}
