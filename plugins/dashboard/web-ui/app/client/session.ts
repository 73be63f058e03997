/** What the server wrote into the page: where it is, and how it is asked. */

interface Injected {
  readonly __SVC_SESSION_TOKEN__?: string
  readonly __SVC_BASE_PATH__?: string
  readonly __SVC_AUTH_REQUIRED__?: boolean
}

/** A kept connection may have fallen silent, too: a request on it would wait for ever. */
const ANSWER_MS = 5000

const injected = globalThis as Injected

/** Path of the dashboard behind a proxy, without a slash at its end. */
export const basePath: string = (injected.__SVC_BASE_PATH__ ?? '').replace(/\/$/, '')

/** A cookie of a login counts, and not a token. */
export const needsLogin: boolean = injected.__SVC_AUTH_REQUIRED__ === true

let token = needsLogin ? undefined : injected.__SVC_SESSION_TOKEN__

/** Headers of every request. */
export function authHeaders(): Record<string, string> {
  return token === undefined ? {} : { 'x-svc-session-token': token }
}

/** A server that was started again has another token, which its page has. Resolves with whether there is a new one. */
export async function renewToken(): Promise<boolean> {
  if (needsLogin) return false
  const page = await (await fetch(`${basePath}/`, { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) })).text()
  const [, text] = /__SVC_SESSION_TOKEN__=("(?:[^"\\]|\\.)*")/.exec(page) ?? []
  const found = text === undefined ? undefined : (JSON.parse(text) as string)
  if (found === undefined || found === token) return false
  token = found
  return true
}

/** Address of a WebSocket with a ticket that is used once: a token in an address would stay in histories and logs. */
export async function socketUrl(path: string): Promise<string> {
  const url = new URL(await withTicket(path))
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}

/** Address of a download or a WebSocket that opens once. */
export async function withTicket(path: string): Promise<string> {
  const url = new URL(`${basePath}${path}`, location.href)
  url.searchParams.set('ticket', await drawTicket())
  return url.href
}

async function drawTicket(): Promise<string> {
  const ask = () =>
    fetch(`${basePath}/api/auth/ws-ticket`, {
      method: 'POST',
      headers: authHeaders(),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
  let response = await ask()
  if (response.status === 401 && (await renewToken())) response = await ask()
  if (response.status === 401) throw new LoginExpired()
  if (!response.ok) throw new Error(`no ticket: ${response.status}`)
  return ((await response.json()) as { ticket: string }).ticket
}

/** The login is over. What was typed stays where it is. */
export class LoginExpired extends Error {
  constructor() {
    super('The login has expired.')
  }
}
