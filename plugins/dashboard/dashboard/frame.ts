/** The document around a page of a plugin: no origin, no network, and only files whose hashes are known. */
import type { DashboardPage } from 'svc/sdk/dashboard'
import type { HttpResponse } from 'svc/sdk/web'

interface FrameFacts {
  /** The path before the dashboard: empty, or as `/svc`. */
  readonly base: string
  /** The path below which the frame and its files are. */
  readonly prefix: string
  readonly nonce: string
  readonly page: DashboardPage
  /** By paths in the folder of the page. */
  readonly integrity: Readonly<Record<string, string>>
}

export function renderFrame(html: string, facts: FrameFacts): HttpResponse {
  const { base, prefix, nonce, page, integrity } = facts
  const address = (file: string) => `plugins/${page.name}/${file}`
  const link = (rel: string, file: string) =>
    `<link rel="${rel}" href="${toAttribute(address(file))}" integrity="${integrity[file] ?? 'sha384-'}" crossorigin>`
  // Modules that the entry imports are checked, too, by browsers that know the integrity of import maps.
  const hashes = Object.entries(integrity).map(([file, hash]) => [`./${address(file)}`, hash])
  const start = [
    `<base href="${base}${prefix}/">`,
    `<script type="importmap" nonce="${nonce}">${toScript({ integrity: Object.fromEntries(hashes) })}</script>`,
    `<meta name="svc-entry" content="${toAttribute(address(page.entry))}">`,
  ].join('')
  const end = [
    ...(page.style === undefined ? [] : [link('stylesheet', page.style)]),
    link('modulepreload', page.entry),
  ].join('')
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': formatPolicy(nonce),
      'referrer-policy': 'no-referrer',
    },
    body: html
      .replace('%TITLE%', () => toAttribute(page.title))
      .replace(/<head[^>]*>/i, (head) => `${head}${start}`)
      .replace(/<\/head>/i, (tag) => `${end}${tag}`),
  }
}

/** `sandbox` holds even where the document is opened on its own. `self` is the server, although the document has no origin. */
function formatPolicy(nonce: string): string {
  return [
    'sandbox allow-scripts allow-forms',
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'none'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}

function toAttribute(text: string): string {
  return text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`)
}

function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
