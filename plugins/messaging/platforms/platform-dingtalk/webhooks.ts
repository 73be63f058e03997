/** Addresses to answer at that come with messages: one for each chat, for a while, and only those of DingTalk. */
import type { Clock } from 'svc/sdk'

const MAX_KEPT = 500
/** One is not used in its last seconds. */
const EARLY_MS = 10_000
const HOSTS = ['api.dingtalk.com', 'oapi.dingtalk.com']

export class Webhooks {
  readonly #clock: () => Clock
  /** Origins that were configured, which may be without TLS. */
  readonly #origins: readonly string[]
  readonly #kept: Map<string, { readonly url: string; readonly until: number }> = new Map()

  constructor(clock: () => Clock, configured: readonly string[]) {
    this.#clock = clock
    this.#origins = configured.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)
  }

  /** False for an address that is not DingTalk's: it is not kept. */
  keep(chatId: string, url: string, until: number): boolean {
    if (!this.#isTheirs(url)) return false
    this.#kept.delete(chatId)
    this.#kept.set(chatId, { url, until })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    return true
  }

  /** Undefined if no valid one is left. */
  of(chatId: string): string | undefined {
    const kept = this.#kept.get(chatId)
    if (!kept) return undefined
    if (this.#clock().now() < kept.until - EARLY_MS) return kept.url
    this.#kept.delete(chatId)
    return undefined
  }

  forget(chatId: string): void {
    this.#kept.delete(chatId)
  }

  #isTheirs(text: string): boolean {
    if (!URL.canParse(text)) return false
    const url = new URL(text)
    if (this.#origins.includes(url.origin)) return true
    return url.protocol === 'https:' && url.port === '' && url.username === '' && HOSTS.includes(url.hostname)
  }
}
