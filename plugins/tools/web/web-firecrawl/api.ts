/**
 * The Firecrawl API, version 2: `POST /v2/search` (docs.firecrawl.dev/api-reference/endpoint/search) and
 * `POST /v2/scrape` (docs.firecrawl.dev/api-reference/endpoint/scrape), key in `Authorization: Bearer`. A server of
 * one's own (docs.firecrawl.dev/contributing/self-host) has the same paths and no key.
 */
import { SvcError } from 'svc/sdk'
import { type ApiClient, fetchJson, type SearchResult, type WebPage } from 'svc/sdk/web'
import { z } from 'zod'

/** Where the service is (empty: the hosted one) and who asks. */
export interface Account {
  readonly baseUrl: string
  readonly key: string | undefined
}

const found = z.object({
  data: z.object({
    web: z
      .array(z.object({ title: z.string().nullish(), url: z.string(), description: z.string().nullish() }))
      .nullish(),
  }),
})
const words = z.union([z.string(), z.array(z.string())]).nullish()
const read = z.object({
  data: z.object({
    markdown: z.string().nullish(),
    metadata: z.object({ title: words, statusCode: z.number().nullish(), error: z.string().nullish() }).nullish(),
  }),
})

/** At most 100 hits. */
export async function search(
  service: ApiClient,
  account: Account,
  asked: { readonly query: string; readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly SearchResult[]> {
  const body = { query: asked.query, limit: Math.min(asked.limit, 100) }
  const { data } = await fetchJson(service, post(account, '/v2/search', body, asked.signal), found)
  return (data.web ?? []).map(({ title, url, description }) => ({
    title: title ?? '',
    url,
    snippet: description ?? '',
  }))
}

/** The page's main content as Markdown. */
export async function extract(
  service: ApiClient,
  account: Account,
  asked: { readonly url: string; readonly signal: AbortSignal },
): Promise<WebPage> {
  const body = { url: asked.url, formats: ['markdown'], onlyMainContent: true }
  const { data } = await fetchJson(service, post(account, '/v2/scrape', body, asked.signal), read)
  const { title: titles, statusCode = 200, error } = data.metadata ?? {}
  const isRefused = (statusCode ?? 200) >= 400
  if (!data.markdown || isRefused) {
    const reason = error || (isRefused ? `the website answers with status ${statusCode}` : 'it found nothing there')
    throw new SvcError(service.code, `Firecrawl could not read the page: ${service.mask(reason).slice(0, 300)}.`)
  }
  const title = Array.isArray(titles) ? titles[0] : titles
  return { url: asked.url, text: data.markdown, ...(title ? { title } : {}) }
}

function post(account: Account, path: string, body: object, signal: AbortSignal) {
  const baseUrl = account.baseUrl || 'https://api.firecrawl.dev'
  return {
    url: `${baseUrl.replace(/\/+$/, '')}${path}`,
    method: 'POST',
    headers: {
      ...(account.key === undefined ? {} : { authorization: `Bearer ${account.key}` }),
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
    signal,
  }
}
