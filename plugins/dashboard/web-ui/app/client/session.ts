/** What the server wrote into the page: where it is, and how it is asked. */

interface Injected {
  readonly __SVC_SESSION_TOKEN__?: string
  readonly __SVC_BASE_PATH__?: string
  readonly __SVC_AUTH_REQUIRED__?: boolean
}

const injected = globalThis as Injected

/** Path of the dashboard behind a proxy, without a slash at its end. */
export const basePath: string = (injected.__SVC_BASE_PATH__ ?? '').replace(/\/$/, '')

/** A cookie of a login counts, and not a token. */
export const needsLogin: boolean = injected.__SVC_AUTH_REQUIRED__ === true

/** Headers of every request. */
export function authHeaders(): Record<string, string> {
  const token = injected.__SVC_SESSION_TOKEN__
  return token && !needsLogin ? { 'x-svc-session-token': token } : {}
}

/** Address of a WebSocket, with what lets it in: the token on this machine, a ticket that is used once otherwise. */
export async function socketUrl(path: string): Promise<string> {
  const url = new URL(`${basePath}${path}`, location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  if (needsLogin) {
    const response = await fetch(`${basePath}/api/auth/ws-ticket`, { method: 'POST', headers: authHeaders() })
    if (response.status === 401) throw new LoginExpired()
    if (!response.ok) throw new Error(`no ticket: ${response.status}`)
    url.searchParams.set('ticket', ((await response.json()) as { ticket: string }).ticket)
  } else if (injected.__SVC_SESSION_TOKEN__) url.searchParams.set('token', injected.__SVC_SESSION_TOKEN__)
  return url.href
}

/** The login is over. What was typed stays where it is. */
export class LoginExpired extends Error {
  constructor() {
    super('The login has expired.')
  }
}
