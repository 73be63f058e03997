/** Lets a browser ask only addresses that the url guard allows: each request and each redirect waits for its word. */
import { type Clock, errorMessage } from 'svc/sdk'
import type { CdpSession, Params } from './cdp.ts'

/** How long an allowed server is not asked about again for pictures, scripts and the like. Documents always are. */
const REMEMBER_MS = 10_000
const MAX_REMEMBERED = 500
/** What needs no network: made by the page itself. */
const INNER = /^(data|blob|about):/i

export interface GateDeps {
  readonly clock: Clock
  /** Throws for an address that may not be asked. */
  check(url: string): Promise<void>
}

/** A request that was not let through. */
export interface Refusal {
  readonly url: string
  readonly reason: string
  readonly frameId: string
  /** A page or a frame, not something on it. */
  readonly isDocument: boolean
}

interface PausedRequest {
  readonly requestId: string
  readonly request: { readonly url: string }
  readonly frameId: string
  readonly resourceType: string
}

export class RequestGate {
  readonly #deps: GateDeps
  readonly #allowed = new Map<string, number>()

  constructor(deps: GateDeps) {
    this.#deps = deps
  }

  /** Stands before all requests of a target. Must be called before the target runs. Rejects when the target has no such requests. */
  attach(session: CdpSession, refused: (refusal: Refusal) => void): Promise<unknown> {
    session.listen((method, params) => {
      if (method === 'Fetch.requestPaused') void this.#judge(session, params, refused)
    })
    return session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
  }

  async #judge(session: CdpSession, params: Params, refused: (refusal: Refusal) => void): Promise<void> {
    const { requestId, request, frameId, resourceType } = params as unknown as PausedRequest
    const isDocument = resourceType === 'Document'
    const reason = await this.#reasonAgainst(request.url, isDocument)
    if (reason !== undefined) refused({ url: request.url, reason, frameId, isDocument })
    const answer =
      reason === undefined
        ? session.send('Fetch.continueRequest', { requestId })
        : session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
    // The page may have given the request up meanwhile, or be gone.
    await answer.catch(() => undefined)
  }

  async #reasonAgainst(url: string, isDocument: boolean): Promise<string | undefined> {
    if (INNER.test(url)) return isDocument && /^data:/i.test(url) ? 'data: pages are not opened' : undefined
    const { protocol, origin } = new URL(url)
    if (protocol !== 'http:' && protocol !== 'https:') return `${protocol} addresses are not opened`
    const now = this.#deps.clock.monotonic()
    if (!isDocument && (this.#allowed.get(origin) ?? Number.NEGATIVE_INFINITY) > now - REMEMBER_MS) return undefined
    try {
      await this.#deps.check(url)
    } catch (error) {
      return errorMessage(error)
    }
    if (this.#allowed.size >= MAX_REMEMBERED) this.#allowed.clear()
    this.#allowed.set(origin, now)
    return undefined
  }
}
