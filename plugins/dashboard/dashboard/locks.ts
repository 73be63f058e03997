/** Who may ask what: the token in a header, tickets and the token in an address, and pages of other origins. */
import { isLoopbackHost } from 'svc/sdk/provider'
import type { HttpAuth, HttpRequest } from 'svc/sdk/web'
import type { Credentials } from './credentials.ts'

export const TOKEN_HEADER = 'x-svc-session-token'

/** What stands in an address opens fewer doors: addresses are kept in logs and histories. */
export type LockKind = 'session' | 'public' | 'download' | 'socket'

interface LockDeps {
  readonly credentials: Credentials
  /** Only programs of this machine can connect. */
  readonly isLocal: boolean
}

export function createLock(kind: LockKind, deps: LockDeps): HttpAuth {
  return {
    kind: 'credential',
    isSet: () => true,
    check: (request) => {
      // A page without an origin, such as one from a file, is let in by the credential alone.
      if (kind === 'public') return request.headers['origin'] !== 'null' || hasHeaderToken(request, deps)
      return opens(kind, request, deps)
    },
  }
}

function opens(kind: LockKind, request: HttpRequest, deps: LockDeps): boolean {
  if (hasHeaderToken(request, deps)) return true
  if (kind === 'session') return false
  const { credentials, isLocal } = deps
  if (isLocal && credentials.isToken(request.query.get('token') ?? undefined)) return true
  return credentials.useTicket(request.query.get('ticket') ?? undefined)
}

function hasHeaderToken({ headers }: HttpRequest, { credentials }: LockDeps): boolean {
  if (credentials.isToken(headers[TOKEN_HEADER])) return true
  const bearer = /^bearer +(\S+) *$/i.exec(headers['authorization'] ?? '')?.[1]
  return credentials.isToken(bearer)
}

/**
 * Origins of pages that may ask: those of this machine where only it can connect, the one under which the dashboard itself was
 * asked, and that of its public address. `null` gets further only with a credential.
 */
export function mayAsk(
  origin: string,
  host: string | undefined,
  { isLocal, publicUrl }: { readonly isLocal: boolean; readonly publicUrl: string | undefined },
): boolean {
  if (origin === 'null') return true
  if (!URL.canParse(origin)) return false
  const parsed = new URL(origin)
  if (publicUrl !== undefined && parsed.origin === new URL(publicUrl).origin) return true
  if (!/^https?:$/.test(parsed.protocol)) return false
  return (isLocal && isLoopbackHost(parsed.hostname)) || parsed.host === host
}
