/**
 * The Exa API: `POST /search` (docs.exa.ai/reference/search) and `POST /contents` (docs.exa.ai/reference/get-contents;
 * docs.exa.ai/changelog/contents-endpoint-status-changes for failures), key in `x-api-key`.
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
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      highlights: z.array(z.string()).nullish(),
      text: z.string().nullish(),
    }),
  ),
})
const read = z.object({
  results: z.array(z.object({ title: z.string().nullish(), text: z.string().nullish() })),
  statuses: z.array(z.object({ error: z.object({ tag: z.string() }).nullish() })).nullish(),
})

/** At most 100 hits, each with the passages that fit the query. */
export async function search(
  service: ApiClient,
  account: Account,
  asked: { readonly query: string; readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly SearchResult[]> {
  const body = { query: asked.query, numResults: Math.min(asked.limit, 100), contents: { highlights: true } }
  const { results } = await fetchJson(service, post(account, '/search', body, asked.signal), found)
  return results.map(({ title, url, highlights, text }) => {
    const snippet = highlights?.length ? highlights.join(' ... ') : (text ?? '')
    return { title: title ?? '', url, snippet }
  })
}

/** The page as Markdown. */
export async function extract(
  service: ApiClient,
  account: Account,
  asked: { readonly url: string; readonly signal: AbortSignal },
): Promise<WebPage> {
  const body = { urls: [asked.url], text: true }
  const { results, statuses } = await fetchJson(service, post(account, '/contents', body, asked.signal), read)
  const [page] = results
  if (page?.text) return { url: asked.url, text: page.text, ...(page.title ? { title: page.title } : {}) }
  const tag = statuses?.[0]?.error?.tag ?? 'no text'
  throw new SvcError(service.code, `Exa could not read the page: ${service.mask(tag).slice(0, 100)}.`)
}

function post(account: Account, path: string, body: object, signal: AbortSignal) {
  return {
    url: `${account.baseUrl.replace(/\/+$/, '')}${path}`,
    method: 'POST',
    headers: { 'x-api-key': account.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  }
}
