/** The web: who searches it and reads it, and which addresses may be asked. */

import { defineService, type ExtensionPoint, extensionPoint, type Ordered, type Service } from './declarations.ts'
import { errorMessage, SvcError } from './errors.ts'
import { parseRetryAfter } from './model-wait.ts'
import type { PluginContext } from './plugin.ts'
import { Clock, Net, type NetRequest, type NetResponse } from './ports.ts'
import { formatIssuePath, type Schema } from './schema.ts'
import { Secrets } from './secrets.ts'

/** A page that a search found. @since 0.2 */
export interface SearchResult {
  readonly title: string
  readonly url: string
  readonly snippet: string
}

/** A page as text. @since 0.1 */
export interface WebPage {
  readonly url: string
  readonly title?: string
  /** Markdown. */
  readonly text: string
}

/** A service that searches the web or reads pages. Contributed to `WebSearchProviders`. @since 0.2 */
export interface WebSearchProvider extends Ordered {
  /** What `web.backend` holds: `searxng`, `brave`, `tavily`, `exa`, `firecrawl`. */
  readonly name: string
  readonly label: string
  /** Why it cannot be used ("needs BRAVE_API_KEY"); undefined when it can. */
  missing(): string | undefined
  search?(
    query: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly SearchResult[]>
  extract?(url: string, options: { readonly signal: AbortSignal }): Promise<WebPage>
}
/** @since 0.2 */
export const WebSearchProviders: ExtensionPoint<WebSearchProvider> = extensionPoint(
  'web-backends',
  (backend) => backend.name,
)

/**
 * The one rule of which addresses the model may have asked: the public internet over http and https, nothing of this
 * machine or its network unless `security.allow_private_urls`, no cloud metadata ever, no secrets in the address.
 * @since 0.2
 */
export interface SafeFetch {
  /** Throws `URL_FORBIDDEN` with the reason. Looks the name up; an unknown name is forbidden. */
  check(url: string): Promise<void>
  /** Like `Net.request`, with every redirect (at most ten) and every connected address checked. The last url is in `url`. */
  request(request: NetRequest): Promise<NetResponse & { readonly url: string }>
  /** What of an address would give a secret away to who serves it, as the end of a sentence; undefined when nothing does. */
  secretIn(url: string): string | undefined
}
export const SafeFetch: Service<SafeFetch> = defineService('url-guard')

/** A service that a backend asks over HTTP, as `createApiClient` makes it. @since 0.2 */
export interface ApiClient {
  /** How a sentence begins: `Brave Search`. */
  readonly who: string
  /** The code of its failures, from the plugin's own catalogue: `BRAVE_FAILED`. */
  readonly code: string
  /** The variable with its key, if it needs one. */
  readonly keyName?: string | undefined
  /** Sentences on what to do about certain statuses, for what only this service means by them. */
  readonly advice?: Readonly<Record<number, string>>
  readonly net: Net
  /** Milliseconds since 1970, for dates in `Retry-After`. */
  now(): number
  /** Services may repeat the key they were sent. */
  mask(text: string): string
}

/** The service with this plugin's network, clock and secrets. @since 0.2 */
export function createApiClient(
  ctx: Pick<PluginContext<unknown>, 'use'>,
  about: Pick<ApiClient, 'who' | 'code' | 'keyName' | 'advice'>,
): ApiClient {
  return {
    ...about,
    net: { request: (request) => ctx.use(Net).request(request) },
    now: () => ctx.use(Clock).now(),
    mask: (text) => ctx.use(Secrets).mask(text),
  }
}

const MAX_BYTES = 8 * 2 ** 20

/**
 * The body of a successful answer. Throws the service's code with a sentence on what failed and what to do
 * (no key in it), or the signal's reason. Waits 30 seconds for a response unless the request has another limit, and reads at
 * most `limit` bytes (default 8 MiB).
 * @since 0.2
 */
export async function fetchBytes(service: ApiClient, request: NetRequest, limit = MAX_BYTES): Promise<Buffer> {
  try {
    const answer = await service.net.request({ timeoutMs: 30_000, idleMs: 20_000, ...request })
    if (answer.status >= 200 && answer.status < 300) return await readBytes(answer, limit)
    const { [answer.status]: advice } = service.advice ?? {}
    const said = refusal(service, answer, await answer.text(MAX_BYTES))
    throw new SvcError(service.code, advice === undefined ? said : `${said} ${advice}`, { status: 502 })
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason
    if (error instanceof SvcError && error.code === service.code) throw error
    const said = service.mask(errorMessage(error))
    throw new SvcError(service.code, `${service.who} cannot be asked: ${said}`, { status: 502, cause: error })
  }
}

/** Like `fetchBytes` for an answer in text. @since 0.2 */
export async function fetchText(service: ApiClient, request: NetRequest, limit?: number): Promise<string> {
  return (await fetchBytes(service, request, limit)).toString('utf8')
}

/** Like `fetchText` for an answer in JSON, checked against what the service documents. @since 0.2 */
export async function fetchJson<T>(
  service: ApiClient,
  request: NetRequest,
  schema: Schema<T>,
  limit?: number,
): Promise<T> {
  const body = await fetchText(service, request, limit)
  const fail = (what: string) => new SvcError(service.code, `${service.who} answered ${what}.`, { status: 502 })
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw fail(/^\s*</.test(body) ? 'with a web page instead of data. Check its address' : 'something that is not JSON')
  }
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  const [issue] = result.issues
  const where = (issue && formatIssuePath(issue)) || 'the whole'
  throw fail(`something else than its documentation says (${where}: ${issue?.message ?? 'not as expected'})`)
}

function refusal({ who, keyName, now, mask }: ApiClient, { status, headers }: NetResponse, body: string): string {
  const said = explanation(body, mask)
  const about = said === '' ? `(status ${status}).` : `(status ${status}): ${said}`
  const wait = parseRetryAfter(headers, now())
  const later = wait === undefined ? 'Try again later.' : `Try again in ${Math.ceil(wait / 1000)} s.`
  if (status >= 300 && status < 400) return `${who} is not there: it sends to ${headers['location'] ?? 'no address'}.`
  if (status === 401 || status === 403)
    return keyName ? `${who} does not accept ${keyName} ${about} Check the key.` : `${who} refuses to answer ${about}`
  // 432 and 433 are Tavily's: the limit of the plan, and of paying as one goes.
  if (status === 402 || status === 432 || status === 433) return `The plan at ${who} is used up ${about}`
  if (status === 429) return `${who} is rate-limiting requests ${about} ${later}`
  return status >= 500 ? `${who} has a fault ${about} ${later}` : `${who} refused the request ${about}`
}

async function readBytes(answer: NetResponse, limit: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body) {
    size += part.length
    if (size > limit) throw new SvcError('NET_TOO_LARGE', `it sends more than ${limit} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The error message of a service, on one line that ends like a sentence; empty if the body has none. */
/** Masked before it is cut, so that no half of a secret is left. */
function explanation(body: string, mask: ApiClient['mask']): string {
  let said: string | undefined
  try {
    said = readWords(JSON.parse(body))
  } catch {
    said = undefined
  }
  const line = mask(said ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
  return line === '' || /[.!?]$/.test(line) ? line : `${line}.`
}

function readWords(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return undefined
  const { message, detail, error } = value as Record<string, unknown>
  return readWords(message) ?? readWords(detail) ?? readWords(error)
}
