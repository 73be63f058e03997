/** Asks addresses for the model: each of them, each redirect and each connection passes the one rule. */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { errorCode, type Net, type NetRequest, type NetResponse, type UrlGuard } from 'svc/sdk'
import { addressProblem } from './address.ts'
import type { Blocklist } from './blocklist.ts'
import { followed, redirectOf } from './redirect.ts'
import { secretIn } from './secret.ts'
import { advised, checkTarget, forbidden, hostOf, type TargetRule } from './target.ts'

/** What the guard is made of. `lookup` is the system's unless a test knows better. */
export interface GuardParts {
  readonly net: () => Net
  readonly blocklist: Pick<Blocklist, 'problem'>
  readonly rule: TargetRule
  readonly lookup?: (host: string) => Promise<readonly { readonly address: string }[]>
}

/** The service `UrlGuard`. */
export class AddressGuard implements UrlGuard {
  #parts: GuardParts

  constructor(parts: GuardParts) {
    this.#parts = parts
  }

  secretIn(text: string): string | undefined {
    return URL.canParse(text) ? secretIn(text, this.#parts.rule.mask) : undefined
  }

  async check(text: string): Promise<void> {
    const url = await this.#allowed(text, 'model')
    const host = hostOf(url)
    if (isIP(host)) return
    const found = await this.#addresses(host)
    if (found.length === 0) throw forbidden(url, 'there is no such host, or its name cannot be looked up')
    for (const { address } of found) {
      const problem = advised(address, this.#parts.rule)
      if (problem !== undefined) throw forbidden(url, problem)
    }
  }

  async request(request: NetRequest): Promise<NetResponse & { readonly url: string }> {
    let target = request
    for (let hops = 0; ; hops += 1) {
      const url = await this.#allowed(target.url, hops === 0 ? 'model' : 'server')
      const answer = await this.#ask(url, target)
      const next = redirectOf(answer, url)
      if (next === undefined) return withUrl(answer, url.href)
      answer.close()
      if (hops === 10) throw forbidden(url, 'it sends from one address to the next more than ten times')
      target = followed(target, url, next, answer.status)
    }
  }

  async #allowed(text: string, from: 'model' | 'server'): Promise<URL> {
    const url = checkTarget(text, from, this.#parts.rule)
    const problem = await this.#parts.blocklist.problem(hostOf(url))
    if (problem !== undefined) throw forbidden(url, problem)
    return url
  }

  /** The address is judged when it is connected to, so a name that changes its address in between gains nothing. */
  async #ask(url: URL, request: NetRequest): Promise<NetResponse> {
    const { rule, net } = this.#parts
    let refused: string | undefined
    const allowAddress = (address: string) => {
      if (addressProblem(address, rule) !== undefined) refused = address
      return refused === undefined && (request.allowAddress?.(address) ?? true)
    }
    try {
      return await net().request({ ...request, url: url.href, allowAddress })
    } catch (error) {
      if (errorCode(error) !== 'NET_FORBIDDEN' || refused === undefined) throw error
      throw forbidden(url, advised(refused, rule) ?? 'its address is refused')
    }
  }

  async #addresses(host: string): Promise<readonly { readonly address: string }[]> {
    try {
      return await (this.#parts.lookup ?? ((name) => lookup(name, { all: true })))(host)
    } catch {
      // A name that cannot be looked up is a name without addresses: forbidden.
      return []
    }
  }
}

function withUrl(answer: NetResponse, url: string): NetResponse & { readonly url: string } {
  const { status, headers, body } = answer
  return { status, headers, body, text: (limit) => answer.text(limit), close: () => answer.close(), url }
}
