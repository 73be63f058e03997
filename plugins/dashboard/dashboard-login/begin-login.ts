/** What the ways to sign in have in common: where they are of use, the login that begins, and where the page leads then. */
import { SvcError } from 'svc/sdk'
import type { DashboardClient } from 'svc/sdk/dashboard'
import type { HttpRequest } from 'svc/sdk/web'
import type { LoginDeps } from './deps.ts'
import { getLoginName, type StoredLogin } from './logins.ts'

/** Throws `LOGIN_NOT_NEEDED`. */
export function demandGate({ isLoginRequired }: DashboardClient): void {
  if (isLoginRequired) return
  const text = 'This dashboard is for this machine only: no person signs in to it.'
  throw new SvcError('LOGIN_NOT_NEEDED', text, { status: 409 })
}

/** A path of this dashboard that a page leads to behind the login; `/` for all else, such as an address of another site. */
export function toLocalPath(text: string | undefined): string {
  return text !== undefined && text.length < 2000 && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) ? text : '/'
}

/** Begins a login and returns the headers with its cookie. */
export async function beginLogin(
  { logins, audit, visits }: LoginDeps,
  person: Pick<StoredLogin, 'user' | 'provider'>,
  { http, client }: { readonly http: HttpRequest; readonly client: DashboardClient },
): Promise<Readonly<Record<string, string>>> {
  const { address } = client
  const agent = (http.headers['user-agent'] ?? '').slice(0, 200)
  const { cookie, login } = await logins.create({ ...person, address, agent })
  audit('login_success', { ...person, address, login: getLoginName(login) })
  return visits.setCookie(client, cookie)
}
