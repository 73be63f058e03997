/** The dashboard: a server for a web UI and desktops. Plugins add routes, WebSockets and folders of files to it. */
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'
import type { HttpRequest, HttpResponse, HttpRoute, HttpSocket } from './http.ts'
import type { Schema } from './schema.ts'

/**
 * Who may ask. `session`: the holder of the session token, of a ticket, or a person who signed in. `public`: everybody who can
 * connect, so it does no work and tells nothing about the user before the handler has checked a credential of its own.
 * @since 0.2
 */
export type DashboardAuth = 'session' | 'public'

/**
 * A secret that opens one route to programs, as `Authorization: Bearer`. One of less than 43 characters (256 bits as base64url) opens
 * nothing. Each use and each refusal is recorded with `DashboardLogin`, and without that plugin it opens nothing.
 * @since 0.2
 */
export interface DashboardSecret {
  /** As the audit log names it. */
  readonly name: string
  /** Undefined while it is not set. */
  read(): string | undefined
}

/** What became of a secret of a route. @since 0.2 */
export interface SecretUse extends Pick<DashboardSecret, 'name'> {
  /** IP address. */
  readonly address: string
  /** Method and path of the route. */
  readonly route: string
  /** Why it was refused; undefined when it opened the route. */
  readonly refusal?: 'missing' | 'wrong' | 'not-set' | 'weak'
}

/** Who asks, and by which address: as the connection says, and as reverse proxies say that are trusted. @since 0.2 */
export interface DashboardClient {
  /** IP address. */
  readonly address: string
  /** Address of the dashboard for this client, without a slash at its end: `https://svc.example/agent`. */
  readonly url: string
  /** Whether people have to sign in, because others than programs of this machine can connect. */
  readonly isLoginRequired: boolean
}

/** A request to a route of the dashboard. Its credential was checked. @since 0.2 */
export interface DashboardRequest<Query = unknown, Body = unknown> {
  readonly http: HttpRequest
  readonly client: DashboardClient
  /** Of the path: `:id`, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** What `DashboardRoute.query` made of the query; an empty object without a schema. */
  readonly query: Query
  /** What `DashboardRoute.body` made of the JSON; undefined without a schema. */
  readonly body: Body
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/**
 * One path and method of the dashboard, contributed to `DashboardRoutes`. It is part of `/api/openapi.json`, of the typed client of
 * the web UI and of the test that asks every route without and with a credential. `handle` returns the JSON body of the answer, or a
 * `dashboardReply`; it throws `SvcError` with a `status`, which clients get as `{"detail": message, "code": code}`.
 * @since 0.2
 */
export interface DashboardRoute<Query = unknown, Body = unknown, Result = unknown> extends Ordered {
  readonly method: HttpRoute['method']
  /** Begins with `/api/` and may have parameters: `/api/sessions/:id`. */
  readonly path: string
  /** One line for the description of the interface. */
  readonly summary: string
  /** Default `session`. */
  readonly auth?: DashboardAuth
  /** Opens it, too, and nothing else. For `session`. */
  readonly secret?: DashboardSecret
  /** Of the query, whose values are texts. */
  readonly query?: Schema<Query>
  /** Of the body. One that fits `{}` may be left out by the client. */
  readonly body?: Schema<Body>
  readonly response?: Schema<Result>
  /** Bytes of a body (default 1 MiB); more is refused before it is read. */
  readonly maxBytes?: number
  /** A browser asks it by a link, which has no header: a single-use `?ticket=` opens it, too. For GET. */
  readonly isDownload?: true
  handle(request: DashboardRequest<Query, Body>): Result | DashboardReply | Promise<Result | DashboardReply>
}
/** @since 0.2 */
export const DashboardRoutes: ExtensionPoint<DashboardRoute> = extensionPoint(
  'dashboard-routes',
  ({ method, path }) => `${method} ${path}`,
  undefined,
  { problem: checkMembers({ method: 'string', path: 'string', summary: 'string', handle: 'function' }) },
)

/** A route whose handler knows the types of its schemas. @since 0.2 */
export function defineDashboardRoute<Query = unknown, Body = unknown, Result = unknown>(
  route: DashboardRoute<Query, Body, Result>,
): DashboardRoute {
  return route as unknown as DashboardRoute
}

/** A reply that is not JSON with status 200: a file, a stream, another status. @since 0.2 */
export interface DashboardReply {
  readonly isDashboardReply: true
  readonly reply: HttpResponse
}

/** @since 0.2 */
export function dashboardReply(reply: HttpResponse): DashboardReply {
  return { isDashboardReply: true, reply }
}

/**
 * A WebSocket beside `/api/ws`, contributed to `DashboardSockets`. Clients open it with `?ticket=`, a single-use ticket of
 * `POST /api/auth/ws-ticket`, or with `?token=`, the session token, where the dashboard listens on this machine only.
 * @since 0.2
 */
export interface DashboardSocket extends Ordered {
  /** Begins with `/api/`, without parameters: `/api/pty`. */
  readonly path: string
  readonly summary: string
  /** Bytes of one message (default 1 MiB); a longer one closes the connection with 1009. */
  readonly maxBytes?: number
  /** Messages are read from `frames`, and binary ones are taken. */
  readonly isBinary?: true
  /** Called for each connection, which is closed when the promise settles, unless the handler did with a code of its own. */
  handle(socket: HttpSocket): Promise<void>
}
/** @since 0.2 */
export const DashboardSockets: ExtensionPoint<DashboardSocket> = extensionPoint(
  'dashboard-sockets',
  (socket) => socket.path,
  undefined,
  { problem: checkMembers({ path: 'string', summary: 'string', handle: 'function' }) },
)

/**
 * A folder of files that browsers load, contributed to `DashboardFiles`. Only files with suffixes of the web are sent, none
 * that begins with a dot, and none from outside the folder. They are public, since script and link elements send no header.
 * @since 0.2
 */
export interface DashboardFolder extends Ordered {
  readonly name: string
  /** Where they are: `/dashboard-plugins/name`; empty for the web UI itself. */
  readonly prefix: string
  /** An absolute path. */
  readonly folder: string
  /**
   * The page that is sent for addresses that are no file, such as `index.html`. The server puts a script into its head that sets
   * `window.__SVC_BASE_PATH__`, `__SVC_SESSION_TOKEN__` (only where the dashboard listens on this machine alone) and
   * `__SVC_AUTH_REQUIRED__`; `%NONCE%` in its text becomes what lets a script in the page run.
   */
  readonly fallback?: string
  /**
   * Of the web UI: the document in `folder` around a page of `DashboardPages`, such as `frame.html`. `%TITLE%` in it becomes the title.
   * The server puts a `<base>`, the integrity of all modules and `<meta name="svc-entry">`, the address of the entry, into its head;
   * its own files are below `assets/`.
   */
  readonly frame?: string
}
/** @since 0.2 */
export const DashboardFiles: ExtensionPoint<DashboardFolder> = extensionPoint(
  'dashboard-files',
  (folder) => folder.name,
  undefined,
  {
    problem: checkMembers({
      name: 'string',
      prefix: 'string',
      folder: 'string',
      fallback: 'string?',
      frame: 'string?',
    }),
  },
)

/** How the dashboard is served. @since 0.2 */
export interface DashboardOptions {
  /** Default 127.0.0.1. Others than those of this machine need a login. */
  readonly host?: string
  /** Default 9119; 0 takes a free one. */
  readonly port?: number
  /** Without the folders of `DashboardFiles`: the interface for programs only. */
  readonly isHeadless?: boolean
  /** It is for a window of this machine, and not behind `dashboard.server.public_url`. */
  readonly isForWindow?: boolean
}

/**
 * What processes that serve a dashboard, or can, answer through `Control`. `open`: takes `host` and `port` and serves it in that process;
 * answered by a running gateway. `status` and `open` return `kind`, `url`, `port` and `pid`, `stop` returns `pid`; all of
 * them return an empty object while none is served.
 * @since 0.2
 */
export const DASHBOARD_METHODS = {
  open: 'dashboard.open',
  status: 'dashboard.status',
  stop: 'dashboard.stop',
} as const

/** A person who signed in, as of one request. @since 0.2 */
export interface DashboardVisit {
  /** For people, as audits name the person. */
  readonly user: string
  /** For the reply: a cookie that was renewed. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborted when the login ends. What the person has open is closed then. */
  readonly signal: AbortSignal
}

/**
 * How people sign in where others can reach the dashboard. Provided by the plugin `dashboard-login`. Without it such a dashboard
 * does not start, and one that runs opens to the session token only.
 * @since 0.2
 */
export interface DashboardLogin {
  /** Why no person could sign in, in sentences that say what to do; undefined when a way is set up. */
  explainMissing(): string | undefined
  /**
   * The person whose cookie the request has; undefined without a valid one. Called after the origin of the page was checked, before
   * the body is read. May reject: then the request is refused.
   */
  check(request: HttpRequest, client: DashboardClient): Promise<DashboardVisit | undefined>
  /** Writes the use of a secret of a route to the audit log. */
  record(use: SecretUse): void
}
export const DashboardLogin: Service<DashboardLogin> = defineService('dashboard-login')

/** The dashboard while it listens. @since 0.2 */
export interface ServedDashboard extends AsyncDisposable {
  readonly port: number
  /** `http://host:port`, without the token. */
  readonly url: string
  close(): Promise<void>
}

/** Provided by the plugin `dashboard`; plugins with routes for it name it in `with`. @since 0.2 */
export interface Dashboard {
  /**
   * Listens until it is closed. Throws `DASHBOARD_NO_LOGIN` on an address that others can reach while no login is set up, and what
   * `Http.mount` throws.
   */
  serve(options?: DashboardOptions): Promise<ServedDashboard>
  /** What opens it in this process: `X-Svc-Session-Token`, or `Authorization: Bearer`. Never written to a log or a file. */
  readonly token: string
}
export const Dashboard: Service<Dashboard> = defineService('dashboard', { registers: ['serve'] })

/** Environment variables with which a launcher starts `svc serve` for its window. @since 0.2 */
export const DASHBOARD_VARIABLES = {
  /** The session token, so that the launcher knows it. */
  token: 'SVC_DASHBOARD_SESSION_TOKEN',
  /** A file that gets `{"port": n}` when it listens. */
  readyFile: 'SVC_DESKTOP_READY_FILE',
  /** `1`: it serves the pages of the window, too. */
  isDesktop: 'SVC_DESKTOP',
} as const
