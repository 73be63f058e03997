/** Who may ask what: the token in a header, tickets and the token in an address, logins, and pages of other origins. */
import { timingSafeEqual } from 'node:crypto'
import { SvcError } from 'svc/sdk'
import type { DashboardLogin, DashboardSecret, DashboardVisit, SecretUse } from 'svc/sdk/dashboard'
import { isLoopbackHost } from 'svc/sdk/provider'
import { explainWeakSecret } from 'svc/sdk/safety'
import type { HttpAuth, HttpPass, HttpRequest } from 'svc/sdk/web'
import type { DescribeClient } from './client.ts'
import { type Credentials, hash } from './credentials.ts'

export const TOKEN_HEADER = 'x-svc-session-token'

/** What stands in an address opens fewer doors: addresses are kept in logs and histories. */
export type LockKind = 'session' | 'public' | 'download' | 'socket'

/** 256 bits as base64url. */
const MIN_SECRET = 43

/** A secret of a route, with the method and path of it. */
export interface RouteSecret {
  readonly secret: DashboardSecret
  readonly route: string
}

export interface LockDeps {
  readonly credentials: Credentials
  readonly describe: DescribeClient
  /** Looked up for each request: without it no cookie opens anything. */
  readonly login: () => DashboardLogin | undefined
  readonly publicUrl: string | undefined
}

export function createLock(kind: LockKind, deps: LockDeps, own?: RouteSecret): HttpAuth {
  return {
    kind: 'credential',
    isSet: () => true,
    check: (request) => {
      // A page without an origin, such as one from a file, is let in by the credential alone.
      if (kind === 'public') return request.headers['origin'] !== 'null' || hasHeaderToken(request, deps)
      if (!own) return opens(kind, request, deps)
      if (hasHeaderToken(request, deps)) return true
      return opensBySecret(own, request, deps) || opens(kind, request, deps)
    },
  }
}

/** A program that has only the secret sends no cookie, so what it sends is judged, and recorded, as the secret. */
function opensBySecret({ secret, route }: RouteSecret, request: HttpRequest, deps: LockDeps): boolean {
  const login = deps.login()
  const given = readBearer(request)
  if (!login || (given === undefined && request.headers['cookie'] !== undefined)) return false
  const refusal = findRefusal(given, secret.read())
  const { address } = deps.describe(request)
  login.record({ name: secret.name, address, route, ...(refusal !== undefined && { refusal }) })
  return refusal === undefined
}

function findRefusal(given: string | undefined, secret: string | undefined): SecretUse['refusal'] {
  if (given === undefined) return 'missing'
  if (secret === undefined || secret === '') return 'not-set'
  if (secret.length < MIN_SECRET || explainWeakSecret(secret) !== undefined) return 'weak'
  return timingSafeEqual(hash(given), hash(secret)) ? undefined : 'wrong'
}

async function opens(kind: LockKind, request: HttpRequest, deps: LockDeps): Promise<HttpPass> {
  if (hasHeaderToken(request, deps)) return true
  const { credentials, describe } = deps
  const { isLoginRequired } = describe(request)
  if (kind !== 'session') {
    if (!isLoginRequired && credentials.isToken(request.query.get('token') ?? undefined)) return true
    if (credentials.useTicket(request.query.get('ticket') ?? undefined, request)) return true
  }
  // A WebSocket of a page of another site would have the cookie, too.
  if (kind === 'socket') return false
  const visit = await findVisit(request, deps)
  return visit ? { headers: visit.headers } : false
}

/** The person whose cookie a request has. Throws `DASHBOARD_FOREIGN_PAGE`. */
async function findVisit(request: HttpRequest, deps: LockDeps): Promise<DashboardVisit | undefined> {
  const client = deps.describe(request)
  if (!client.isLoginRequired || request.headers['cookie'] === undefined) return undefined
  const login = deps.login()
  if (!login) return undefined
  refuseForeignPage(request, deps.publicUrl)
  return login.check(request, client)
}

/**
 * Browsers add a cookie to whatever page asks. Besides `SameSite` of the cookie the request has to show that a page of the dashboard
 * sent it (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header): sibling sites and older browsers know less of the first.
 */
function refuseForeignPage({ method, headers }: HttpRequest, publicUrl: string | undefined): void {
  const { origin, host, 'sec-fetch-site': site } = headers
  const isOwn = origin === undefined ? site === 'same-origin' : isOwnOrigin(origin, host, publicUrl)
  const isRead = method === 'GET' || method === 'HEAD'
  const isFetched = isRead && origin === undefined && (site === undefined || site === 'none')
  if (isOwn || isFetched) return
  const text = 'Only pages of the dashboard may ask with its cookie. A program sends the token, or the header Origin.'
  throw new SvcError('DASHBOARD_FOREIGN_PAGE', text, { status: 403 })
}

export function hasHeaderToken({ headers }: HttpRequest, { credentials }: Pick<LockDeps, 'credentials'>): boolean {
  if (credentials.isToken(headers[TOKEN_HEADER])) return true
  return credentials.isToken(readBearer({ headers }))
}

function readBearer({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers['authorization'] ?? '')?.[1]
}

/**
 * Origins of pages that may ask: those of this machine where only it can connect, the one under which the dashboard itself was
 * asked, and that of its public address. `null` gets further only with a credential.
 */
export function mayAsk(
  origin: string,
  host: string | undefined,
  { isLoginRequired, publicUrl }: { readonly isLoginRequired: boolean; readonly publicUrl: string | undefined },
): boolean {
  if (origin === 'null') return true
  if (isOwnOrigin(origin, host, publicUrl)) return true
  if (!URL.canParse(origin) || isLoginRequired) return false
  const { protocol, hostname } = new URL(origin)
  return /^https?:$/.test(protocol) && isLoopbackHost(hostname)
}

function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const parsed = new URL(origin)
  if (publicUrl !== undefined && parsed.origin === new URL(publicUrl).origin) return true
  return /^https?:$/.test(parsed.protocol) && parsed.host === host
}
