/** Signing in, where the server is one that others can reach. */
import { loginExpired } from './api.ts'
import { rpc } from './rpc.ts'
import { basePath } from './session.ts'

export interface SignInWay {
  readonly name: string
  readonly display_name: string
  readonly supports_password: boolean
}

/** The ways to sign in; empty if this page needs no login. Rejects when the server does not answer. */
export async function listWays(signal: AbortSignal): Promise<readonly SignInWay[]> {
  const response = await fetch(`${basePath}/api/auth/providers`, { signal })
  if (response.status === 404) return []
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
  return ((await response.json()) as { readonly providers: readonly SignInWay[] }).providers
}

/** Resolves with the reason of a refusal; undefined when the person is signed in. */
export async function signIn(username: string, password: string): Promise<string | undefined> {
  const response = await fetch(`${basePath}/api/auth/password-login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  if (!response.ok) return await readRefusal(response)
  loginExpired.value = false
  rpc.retryNow()
  return undefined
}

/** Ends the login, here or everywhere, and leads to the page that begins another. */
export async function signOut(where: 'here' | 'everywhere'): Promise<void> {
  if (where === 'everywhere') await fetch(`${basePath}/api/auth/sessions`, { method: 'DELETE' })
  await fetch(`${basePath}/api/auth/logout`, { method: 'POST' })
  location.assign(`${basePath}/login`)
}

/** Where a browser goes to sign in at a provider, and comes back from to `next`. */
export function providerAddress(name: string, next: string): string {
  return `${basePath}/api/auth/login?${new URLSearchParams({ provider: name, next })}`
}

/** A path of this page, from an address that another site may have made. */
export function readNext(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/'
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(next) && !next.startsWith('/login') ? next : '/'
}

async function readRefusal(response: Response): Promise<string> {
  try {
    return ((await response.json()) as { readonly detail: string }).detail
  } catch {
    // A proxy answered in its own words.
    return `${response.status} ${response.statusText}`
  }
}
