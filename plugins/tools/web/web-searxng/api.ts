/**
 * The search API of SearXNG: `GET /search?q=...&format=json` (docs.searxng.org/dev/search_api.html). A server whose
 * `search.formats` lacks `json` answers with status 403.
 */
import { SvcError } from 'svc/sdk'
import { type ApiClient, fetchJson, type SearchResult } from 'svc/sdk/web'
import { z } from 'zod'

const found = z.object({
  results: z.array(z.object({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() })),
  /** Engines that failed: name and reason. */
  unresponsive_engines: z.array(z.array(z.string())).nullish().catch(undefined),
})

/** One page of hits, cut at `limit`: the server takes no number. */
export async function search(
  service: ApiClient,
  baseUrl: string,
  asked: { readonly query: string; readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly SearchResult[]> {
  const parameters = new URLSearchParams({ q: asked.query, format: 'json' })
  const url = `${baseUrl.replace(/\/+$/, '')}/search?${parameters}`
  const answer = await fetchJson(service, { url, headers: { accept: 'application/json' }, signal: asked.signal }, found)
  const silent = answer.unresponsive_engines ?? []
  if (answer.results.length === 0 && silent.length > 0) {
    const reasons = silent.map((engine) => engine.join(': ')).join('; ')
    throw new SvcError(service.code, `None of the engines of the SearXNG server answered: ${reasons.slice(0, 300)}.`)
  }
  return answer.results
    .slice(0, asked.limit)
    .map(({ title, url: at, content }) => ({ title: title ?? '', url: at, snippet: content ?? '' }))
}
