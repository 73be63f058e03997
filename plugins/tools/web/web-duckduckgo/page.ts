/** Reads the page of results: one `div.result` each, with `a.result__a` (title, address) and `a.result__snippet`. */
import type { SearchResult } from 'svc/sdk/web'

const MAX_CHARACTERS = 2_000_000
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Hits in order; advertisements are left out. */
export function parseHits(page: string): readonly SearchResult[] {
  const blocks = page
    .slice(0, MAX_CHARACTERS)
    .split(/<div class="(?=[^"]{0,200}\bresult\b)/)
    .slice(1)
  return blocks.flatMap((block) => parseHit(block) ?? [])
}

function parseHit(block: string): SearchResult | undefined {
  if (/^[^"]*\bresult--ad\b/.test(block)) return undefined
  const link = findLink(block, 'result__a')
  const url = link && resolveAddress(link.href)
  if (!link || !url) return undefined
  return { title: link.text, url, snippet: findLink(block, 'result__snippet')?.text ?? '' }
}

/** The link with this class: its address and its text. */
function findLink(block: string, name: string): { readonly href: string; readonly text: string } | undefined {
  const at = block.indexOf(`class="${name}"`)
  if (at < 0) return undefined
  const [open, end] = [block.lastIndexOf('<', at), block.indexOf('>', at)]
  const close = block.indexOf('</a>', end)
  if (open < 0 || end < 0 || close < 0) return undefined
  const href = /\bhref="([^"]*)"/.exec(block.slice(open, end))?.[1] ?? ''
  return { href: decodeText(href), text: decodeText(block.slice(end + 1, close).replace(/<[^<>]*>/g, '')) }
}

/** Links lead to `//duckduckgo.com/l/?uddg=<address>`, or directly to their target; those of advertisements elsewhere. */
function resolveAddress(href: string): string | undefined {
  if (!URL.canParse(href, 'https://duckduckgo.com')) return undefined
  const url = new URL(href, 'https://duckduckgo.com')
  if (!/(^|\.)duckduckgo\.com$/.test(url.hostname)) return /^https?:$/.test(url.protocol) ? href : undefined
  const target = url.pathname === '/l/' ? url.searchParams.get('uddg') : undefined
  return target && /^https?:/.test(target) ? target : undefined
}

function decodeText(html: string): string {
  return html
    .replace(
      /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,6}));/gi,
      (whole, hex?: string, decimal?: string, name?: string) => {
        if (name !== undefined) return entities[name.toLowerCase()] ?? whole
        const code = Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16)
        return code <= 0x10ffff ? String.fromCodePoint(code) : whole
      },
    )
    .replace(/\s+/g, ' ')
    .trim()
}
