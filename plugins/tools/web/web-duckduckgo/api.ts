/**
 * DuckDuckGo for browsers without scripts: a form that is posted to `/html/` and answered with a page
 * (duckduckgo.com/duckduckgo-help-pages/features/non-javascript). There is no API and no promise that the page stays as
 * it is; a program that asks often is shown a puzzle (`anomaly`) instead.
 */
import { SvcError } from 'svc/sdk'
import { type ApiClient, fetchText, type SearchResult } from 'svc/sdk/web'
import { parseHits } from './page.ts'

/** One page of hits, cut at `limit`. */
export async function search(
  service: ApiClient,
  baseUrl: string,
  asked: { readonly query: string; readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly SearchResult[]> {
  const page = await fetchText(service, {
    url: `${baseUrl.replace(/\/+$/, '')}/html/`,
    method: 'POST',
    headers: {
      accept: 'text/html',
      'accept-language': 'en',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'Mozilla/5.0 (compatible; svc)',
    },
    body: new URLSearchParams({ q: asked.query.slice(0, 500) }).toString(),
    signal: asked.signal,
  })
  const hits = parseHits(page)
  if (hits.length > 0) return hits.slice(0, asked.limit)
  if (/class="[^"]{0,200}\banomaly/.test(page))
    throw new SvcError(service.code, 'DuckDuckGo takes us for a robot for now. Wait, or set up another web backend.')
  if (/class="[^"]{0,200}\bno-results\b/.test(page)) return []
  throw new SvcError(service.code, 'DuckDuckGo answered with a page that is not known. Set up another web backend.')
}
