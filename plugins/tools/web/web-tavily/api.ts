/**
 * The Tavily API: `POST /search` (docs.tavily.com/documentation/api-reference/endpoint/search) and `POST /extract`
 * (docs.tavily.com/documentation/api-reference/endpoint/extract), key in `Authorization: Bearer`.
 */
import { SvcError } from 'svc/sdk'
import { type ApiClient, fetchJson, type SearchResult, type WebPage } from 'svc/sdk/web'
import { z } from 'zod'

/** Where the service is and who asks. */
export interface Account {
  readonly baseUrl: string
  readonly key: string
}

const found = z.object({
  results: z.array(z.object({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() })),
})
const read = z.object({
  results: z.array(z.object({ raw_content: z.string().nullish() })),
  failed_results: z.array(z.unknown()).nullish(),
})
const failed = z.object({ error: z.string() })

/** At most 20 hits; queries are cut at the 400 characters that the service takes. */
export async function search(
  service: ApiClient,
  account: Account,
  asked: { readonly query: string; readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly SearchResult[]> {
  const body = { query: asked.query.slice(0, 400), max_results: Math.min(asked.limit, 20), search_depth: 'basic' }
  const { results } = await fetchJson(service, post(account, '/search', body, asked.signal), found)
  return results.map(({ title, url, content }) => ({ title: title ?? '', url, snippet: content ?? '' }))
}

/** The page as Markdown, without a title: the service does not tell it. */
export async function extract(
  service: ApiClient,
  account: Account,
  asked: { readonly url: string; readonly signal: AbortSignal },
): Promise<WebPage> {
  const body = { urls: [asked.url], format: 'markdown', extract_depth: 'basic' }
  const { results, failed_results } = await fetchJson(service, post(account, '/extract', body, asked.signal), read)
  const text = results[0]?.raw_content
  if (text) return { url: asked.url, text }
  const reason = failed.safeParse(failed_results?.[0]).data?.error ?? 'it found nothing there'
  throw new SvcError(service.code, `Tavily could not read the page: ${service.mask(reason).slice(0, 300)}.`)
}

function post(account: Account, path: string, body: object, signal: AbortSignal) {
  return {
    url: `${account.baseUrl.replace(/\/+$/, '')}${path}`,
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  }
}
