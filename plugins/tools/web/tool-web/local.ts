/** The built-in reader: fetches a page through the guard and makes Markdown of it. */
import { SvcError } from 'svc/sdk'
import type { SafeFetch, WebPage } from 'svc/sdk/web'
import { readBody } from './body.ts'
import { extractTitle, measure, plainText } from './html.ts'
import { detectKind } from './kind.ts'
import { decode } from './text.ts'

const headers = {
  accept: 'text/html,application/xhtml+xml,text/plain,application/json,application/xml;q=0.9,*/*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en,*;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; svc)',
}

/**
 * A page that needs scripts has an empty text. Rejects with `WEB_PAGE_STATUS`, `WEB_PAGE_BINARY`, `WEB_PAGE_DAMAGED` or
 * what the guard and the network say.
 */
export async function readPage(
  url: string,
  { signal }: { readonly signal: AbortSignal },
  guard: SafeFetch,
): Promise<WebPage> {
  const answer = await guard.request({ url, headers, signal, timeoutMs: 30_000, idleMs: 20_000 })
  try {
    if (answer.status < 200 || answer.status > 299)
      throw new SvcError('WEB_PAGE_STATUS', `the website answers with status ${answer.status}.`)
    const { bytes, isCut } = await readBody(answer)
    const kind = detectKind(bytes, answer.headers['content-type'] ?? '')
    if (kind.name === 'binary')
      throw new SvcError(
        'WEB_PAGE_BINARY',
        `it is ${kind.what}, not a page of text. It can be downloaded with a shell command.`,
      )
    const text = decode(bytes, { contentType: answer.headers['content-type'] ?? '', isCut })
    const page = kind.name === 'html' ? await fromHtml(text, answer.url) : { text }
    const ending = isCut ? '\n\n[The website sent more than is read; this is the beginning.]' : ''
    return { url: answer.url, ...page, text: page.text + ending }
  } finally {
    answer.close()
  }
}

async function fromHtml(html: string, url: string): Promise<{ readonly text: string; readonly title?: string }> {
  const title = extractTitle(html)
  const named = title === '' ? {} : { title }
  const { lean, isBearable } = measure(html)
  const page = isBearable ? (await import('./markdown.ts')).toMarkdown(lean, url) : undefined
  if (page) return { ...named, ...page }
  const text = plainText(html)
  return { ...named, text: text && `${text}\n\n[The page is too complex for Markdown; this is its plain text.]` }
}
