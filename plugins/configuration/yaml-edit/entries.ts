/** Ways to add, remove and rename entries of a YAML text. The first that parses to the expected values is taken. */

import { collectionAt, findPlace, unsafe } from './find-entry.ts'
import { insertInFlow, removeFromFlow } from './flow.ts'
import { detectStyle, indentLines, renderKey, renderLines } from './render.ts'
import { jsonQuote } from './replace.ts'
import type { YamlSource } from './source.ts'
import type { Path } from './steps.ts'
import {
  afterIndicator,
  column,
  contentLineEnd,
  entryEnd,
  entryHead,
  isFlow,
  lineStart,
  linesAt,
  lineTextEnd,
  listEntries,
  type Splice,
  startsLine,
  tokenEnd,
  trimmedEnd,
} from './tokens.ts'

type Ways = readonly (readonly Splice[])[]

/** Ways to add a key to the mapping it belongs to: after its last key, in the root at the end of the document. */
export function insertKey(source: YamlSource, path: Path, value: unknown): Ways {
  const { text } = source
  const key = path.at(-1) as string
  const container = collectionAt(source, path.slice(0, -1))
  const style = detectStyle(source)
  const lines = renderLines({ [key]: value }, style)
  if (!container && path.length === 1) return [[linesAt(text, documentEnd(source), lines)]]
  if (!container) throw unsafe(path)
  if (isFlow(container)) return insertInFlow(text, container, listEntries(container).length, { key, value }, style)
  const entries = listEntries(container)
  const [first, last] = [entries[0], entries.at(-1)]
  if (!first || !last) throw unsafe(path)
  const block = indentLines(lines, column(text, entryHead(first)))
  const afterLast = linesAt(text, contentLineEnd(text, entryEnd(last)), block)
  const ways = path.length === 1 ? [[linesAt(text, documentEnd(source), block)], [afterLast]] : [[afterLast]]
  const head = entryHead(first)
  return startsLine(text, head) ? [...ways, [linesAt(text, lineStart(text, head), block)]] : ways
}

/** Ways to add an item to a list at the index that ends the path. */
export function insertItem(source: YamlSource, path: Path, value: unknown): Ways {
  const { text } = source
  const container = collectionAt(source, path.slice(0, -1))
  const index = Number(path.at(-1))
  const style = detectStyle(source)
  if (!container) throw unsafe(path)
  if (isFlow(container)) return insertInFlow(text, container, index, { value }, style)
  const entries = listEntries(container)
  const before = entries[index - 1]
  const sibling = before ?? entries[0]
  if (!sibling) throw unsafe(path)
  const lines = indentLines(renderLines([value], style), column(text, entryHead(sibling)))
  if (before) return [[linesAt(text, contentLineEnd(text, entryEnd(before)), lines)]]
  const head = entryHead(sibling)
  if (startsLine(text, head)) return [[linesAt(text, lineStart(text, head), lines)]]
  throw unsafe(path)
}

/** Ways to remove an entry with its lines. The last of a nested mapping or list leaves `{}` or `[]`. */
export function removeEntry(source: YamlSource, path: Path): Ways {
  const { text } = source
  const { entry, container, holder } = findPlace(source, path)
  const entries = listEntries(container)
  if (isFlow(container)) return removeFromFlow(text, container, entries.indexOf(entry))
  const head = entryHead(entry)
  const end = entryEnd(entry)
  const itsLines: Splice = { start: lineStart(text, head), end: contentLineEnd(text, end), text: '' }
  if (entries.length > 1 || !holder) {
    if (!startsLine(text, head)) return [removeBesideDash(text, entries, head, end)]
    // The blank lines after it would else become part of a text (`|+`) before it.
    const blanks = /^(?:[ \t]*\r?\n)*/.exec(text.slice(itsLines.end))?.[0].length ?? 0
    return [[itsLines], [{ ...itsLines, end: itsLines.end + blanks }]]
  }
  const empty = container.type === 'block-map' ? '{}' : '[]'
  if (!startsLine(text, head)) return [[{ start: head, end: trimmedEnd(text, end), text: empty }]]
  const after = afterIndicator(holder)
  if (after === undefined) throw unsafe(path)
  return [[{ start: after, end: after, text: ` ${empty}` }, itsLines]]
}

/** Ways to give a key another name in its place. */
export function renameKey(source: YamlSource, path: Path, key: string): Ways {
  const { entry, container } = findPlace(source, path)
  if (!entry.key) throw unsafe(path)
  const text = renderKey(key, detectStyle(source), { inFlow: isFlow(container), quote: jsonQuote(container) })
  return [[{ start: entry.key.offset, end: tokenEnd(entry.key), text }]]
}

/** The first key of a mapping stands beside the dash of a list item: the next one takes its place. */
function removeBesideDash(
  text: string,
  entries: readonly Parameters<typeof entryHead>[0][],
  head: number,
  end: number,
): Splice[] {
  const next = entries[1]
  const nextLine = contentLineEnd(text, end)
  if (next && lineStart(text, entryHead(next)) === nextLine) return [{ start: head, end: entryHead(next), text: '' }]
  return [{ start: trimmedEnd(text, head), end: lineTextEnd(text, trimmedEnd(text, end)), text: '' }]
}

/** Where the document's own text ends: before a `...` line, or at the end. */
function documentEnd({ text, document }: YamlSource): number {
  const from = document.contents?.range[1] ?? 0
  const marker = /^\.\.\.(?=\s|$)/m.exec(text.slice(lineStart(text, from)))
  return marker ? lineStart(text, from) + marker.index : text.length
}
