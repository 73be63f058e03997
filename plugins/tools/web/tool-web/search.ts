/** `web_search`: hits as a numbered list. */
import type { ToolContext, ToolResult } from 'svc/sdk'
import type { SearchResult } from 'svc/sdk/web'
import { askInTurn } from './choose.ts'
import { plainText } from './html.ts'
import { cutAt } from './text.ts'
import type { SearchInput, WebDeps } from './tools.ts'

export async function searchWeb(
  { query, limit }: SearchInput,
  turn: Pick<ToolContext, 'signal'>,
  deps: WebDeps,
): Promise<ToolResult> {
  const { value, backend, notes } = await askInTurn('search', deps, turn.signal, async (each, signal) =>
    // `askInTurn` asks only those that search.
    each.search ? await each.search(query, { limit: Math.floor(limit), signal }) : [],
  )
  const hits = tidy(value).slice(0, limit)
  const list = hits.map(({ title, url, snippet }, at) =>
    [`${at + 1}. ${title || url}`, url, snippet].filter(Boolean).join('\n   '),
  )
  const found = hits.length > 0 ? list.join('\n') : `Nothing found for "${query}".`
  const said = notes.length > 0 ? `\n\n${notes.join('\n')}\nThese are the results of ${backend}.` : ''
  return { text: found + said, data: { backend, query, hits, notes } }
}

/** One line each, no tags, no address twice, none that is no web address. */
function tidy(hits: readonly SearchResult[]): readonly SearchResult[] {
  const seen = new Set<string>()
  return hits.flatMap(({ title, url, snippet }) => {
    if (!/^https?:\/\/\S+$/.test(url) || seen.has(url)) return []
    seen.add(url)
    return [{ title: line(title, 200), url, snippet: line(snippet, 500) }]
  })
}

function line(text: string, most: number): string {
  const short = text.slice(0, 10 * most)
  const plain = /<[a-z/!][^>]*>|&#?\w+;/i.test(short) ? plainText(short) : short
  const words = plain.replace(/\s+/g, ' ').trim()
  return words.length > most ? `${cutAt(words, most)}…` : words
}
