/**
 * The Brave Search API: `GET /res/v1/web/search`, key in `X-Subscription-Token`
 * (api-dashboard.search.brave.com/app/documentation/web-search/get-started).
 */
import { type ApiClient, fetchJson, type SearchResult } from 'svc/sdk/web'
import { z } from 'zod'

/** Where the service is and who asks. */
export interface Account {
  readonly baseUrl: string
  readonly key: string
}

/** Without hits there is no `web`. */
const found = z.object({
  web: z
    .object({
      results: z.array(z.object({ title: z.string().nullish(), url: z.string(), description: z.string().nullish() })),
    })
    .nullish(),
  type: z.literal('search'),
})

/** At most 20 hits; queries are cut at the 400 characters and 50 words that the service takes. */
export async function search(
  service: ApiClient,
  account: Account,
  asked: { readonly query: string; readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly SearchResult[]> {
  const query = asked.query.trim().split(/\s+/).slice(0, 50).join(' ').slice(0, 400)
  const parameters = new URLSearchParams({
    q: query,
    count: String(Math.min(asked.limit, 20)),
    text_decorations: 'false',
    result_filter: 'web',
  })
  const url = `${account.baseUrl.replace(/\/+$/, '')}/res/v1/web/search?${parameters}`
  const headers = { accept: 'application/json', 'x-subscription-token': account.key }
  const { web } = await fetchJson(service, { url, headers, signal: asked.signal }, found)
  return (web?.results ?? []).map(({ title, url: at, description }) => ({
    title: title ?? '',
    url: at,
    snippet: description ?? '',
  }))
}
