/** The cookie of a login (RFC 6265bis): for scripts unreadable, for this dashboard alone, over https only where there is https. */
import type { DashboardClient } from 'svc/sdk/dashboard'
import type { HttpRequest } from 'svc/sdk/web'

export interface CookieKind {
  readonly name: string
  /** Below the dashboard; empty for all of it. */
  readonly path: string
  /** `Lax`: comes along when another site leads here, as the provider does. */
  readonly sameSite: 'Strict' | 'Lax'
}

export const LOGIN_COOKIE: CookieKind = { name: 'svc_login', path: '', sameSite: 'Strict' }
/** Ties the answer of a provider to the browser that began. */
export const START_COOKIE: CookieKind = { name: 'svc_login_start', path: '/api/auth', sameSite: 'Lax' }

export function readCookie(kind: CookieKind, { headers }: HttpRequest, client: DashboardClient): string | undefined {
  const { name } = place(kind, client)
  for (const pair of (headers['cookie'] ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** `seconds`: 0 removes it. */
export function writeCookie(kind: CookieKind, client: DashboardClient, value: string, seconds: number): string {
  const { name, path, isSecure } = place(kind, client)
  const rest = [
    'HttpOnly',
    `SameSite=${kind.sameSite}`,
    `Max-Age=${Math.floor(seconds)}`,
    ...(isSecure ? ['Secure'] : []),
  ]
  return [`${name}=${value}`, `Path=${path}`, ...rest].join('; ')
}

/** Browsers hold what the prefixes promise: https, and with `__Host-` also that no other host and no path set it. */
function place({ name, path }: CookieKind, { url }: DashboardClient) {
  const { protocol, pathname } = new URL(url)
  const full = `${pathname.replace(/\/$/, '')}${path}` || '/'
  const isSecure = protocol === 'https:'
  const prefix = isSecure ? (full === '/' ? '__Host-' : '__Secure-') : ''
  return { name: `${prefix}${name}`, path: full, isSecure }
}
