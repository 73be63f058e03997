/** Asks addresses for the model: each of them, each redirect and each connection passes the one rule. */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { errorCode, type Net, type NetRequest, type NetResponse } from 'svc/sdk'
import type { SafeFetch } from 'svc/sdk/web'
import { addressProblem } from './address.ts'
import type { Blocklist } from './blocklist.ts'
import { createRedirectedRequest, findRedirect } from './redirect.ts'
import { findSecret } from './secret.ts'
import { checkTarget, createForbidden, findAddressAdvice, type TargetRule, toHostName } from './target.ts'

/** What the guard is made of. `lookup` is the system's unless a test knows better. */
export interface GuardDeps {
  readonly net: () => Net
  readonly blocklist: Pick<Blocklist, 'problem'>
  readonly rule: TargetRule
  readonly lookup?: (host: string) => Promise<readonly { readonly address: string }[]>
}

/** The service `SafeFetch`. */
export class AddressGuard implements SafeFetch {
  #deps: GuardDeps

  constructor(deps: GuardDeps) {
    this.#deps = deps
  }

  secretIn(text: string): string | undefined {
    return URL.canParse(text) ? findSecret(text, this.#deps.rule.mask) : undefined
  }

  async check(text: string): Promise<void> {
    const url = await this.#allowed(text, 'model')
    const host = toHostName(url)
    if (isIP(host)) return
    const found = await this.#addresses(host)
    if (found.length === 0) throw createForbidden(url, 'there is no such host, or its name cannot be looked up')
    for (const { address } of found) {
      const problem = findAddressAdvice(address, this.#deps.rule)
      if (problem !== undefined) throw createForbidden(url, problem)
    }
  }

  async request(request: NetRequest): Promise<NetResponse & { readonly url: string }> {
    let target = request
    for (let hops = 0; ; hops += 1) {
      const url = await this.#allowed(target.url, hops === 0 ? 'model' : 'server')
      const answer = await this.#ask(url, target)
      const next = findRedirect(answer, url)
      if (next === undefined) return withUrl(answer, url.href)
      answer.close()
      if (hops === 10) throw createForbidden(url, 'it sends from one address to the next more than ten times')
      target = createRedirectedRequest(target, url, next, answer.status)
    }
  }

  async #allowed(text: string, from: 'model' | 'server'): Promise<URL> {
    const url = checkTarget(text, from, this.#deps.rule)
    const problem = await this.#deps.blocklist.problem(toHostName(url))
    if (problem !== undefined) throw createForbidden(url, problem)
    return url
  }

  /** The address is judged when it is connected to, so a name that changes its address in between gains nothing. */
  async #ask(url: URL, request: NetRequest): Promise<NetResponse> {
    const { rule, net } = this.#deps
    let refused: string | undefined
    const allowAddress = (address: string) => {
      if (addressProblem(address, rule) !== undefined) refused = address
      return refused === undefined && (request.allowAddress?.(address) ?? true)
    }
    try {
      return await net().request({ ...request, url: url.href, allowAddress })
    } catch (error) {
      if (errorCode(error) !== 'NET_FORBIDDEN' || refused === undefined) throw error
      throw createForbidden(url, findAddressAdvice(refused, rule) ?? 'its address is refused')
    }
  }

  async #addresses(host: string): Promise<readonly { readonly address: string }[]> {
    try {
      return await (this.#deps.lookup ?? ((name) => lookup(name, { all: true })))(host)
    } catch {
      // A name that cannot be looked up is a name without addresses: forbidden.
      return []
    }
  }
}

function withUrl(answer: NetResponse, url: string): NetResponse & { readonly url: string } {
  return {
    status: answer.status,
    headers: answer.headers,
    body: answer.body,
    text: (limit) => answer.text(limit),
    json: (schema) => answer.json(schema),
    close: () => answer.close(),
    url,
  }
}
