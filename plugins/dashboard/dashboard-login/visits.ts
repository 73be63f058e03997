/** Who asks, by the cookie of a request; and the end of what people have open when their login ends. */
import type { DashboardClient, DashboardVisit } from 'svc/sdk/dashboard'
import type { HttpRequest } from 'svc/sdk/web'
import type { Audit } from './audit.ts'
import { LOGIN_COOKIE, readCookie, writeCookie } from './cookies.ts'
import { getLoginName, type Logins, type StoredLogin } from './logins.ts'

interface VisitsDeps {
  readonly logins: Logins
  readonly audit: Audit
  /** How long a browser keeps the cookie. */
  readonly cookieSeconds: number
}

export class Visits {
  readonly #deps: VisitsDeps
  readonly #open = new Map<string, AbortController>()

  constructor(deps: VisitsDeps) {
    this.#deps = deps
  }

  async find(
    request: HttpRequest,
    client: DashboardClient,
  ): Promise<(DashboardVisit & { readonly login: StoredLogin }) | undefined> {
    const { logins, audit } = this.#deps
    const cookie = readCookie(LOGIN_COOKIE, request, client)
    if (cookie === undefined) return undefined
    const found = await logins.find(cookie)
    if (found.kind === 'reused') {
      const { user, provider } = found.login
      audit('cookie_reuse', { user, provider, address: client.address, login: getLoginName(found.login) })
      this.sweep()
    }
    if (found.kind !== 'valid') return undefined
    const { login } = found
    const headers = found.cookie === undefined ? {} : this.setCookie(client, found.cookie)
    return { user: login.user, headers, signal: this.#signalOf(login), login }
  }

  /** Headers that give a browser its cookie, or take it. */
  setCookie(client: DashboardClient, cookie: string | undefined): Readonly<Record<string, string>> {
    const seconds = cookie === undefined ? 0 : this.#deps.cookieSeconds
    return { 'set-cookie': writeCookie(LOGIN_COOKIE, client, cookie ?? '', seconds) }
  }

  /** Ends what is open of logins that are over: called when they may have changed, and with time. */
  sweep(): void {
    const open = new Set(this.#deps.logins.list().map(({ key }) => key))
    for (const [key, controller] of this.#open) {
      if (open.has(key)) continue
      this.#open.delete(key)
      controller.abort()
    }
  }

  #signalOf({ key }: StoredLogin): AbortSignal {
    const known = this.#open.get(key)
    if (known) return known.signal
    const made = new AbortController()
    this.#open.set(key, made)
    return made.signal
  }
}
