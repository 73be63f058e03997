/** Entries of `{}` and `[]`: adding and removing them with their commas. */
import type { CST } from 'yaml'
import { renderInline, renderKey, type Style } from './render.ts'
import { jsonQuote } from './replace.ts'
import {
  column,
  type Entry,
  entryEnd,
  entryHead,
  lineEnd,
  lineEnding,
  lineStart,
  lineTextEnd,
  listEntries,
  type Splice,
  startsLine,
} from './tokens.ts'

type Ways = readonly (readonly Splice[])[]

/** What is added: a key with its value, or an item. */
export interface FlowAddition {
  readonly key?: string
  readonly value: unknown
}

/** Ways to add an entry at an index. When entries are on separate lines, so is the new one. */
export function insertInFlow(
  text: string,
  container: CST.FlowCollection,
  index: number,
  addition: FlowAddition,
  style: Style,
): Ways {
  const entries = listEntries(container)
  const options = { inFlow: true, quote: jsonQuote(container) ?? itemQuote(entries) }
  const value = renderInline(addition.value, style, options)
  const added = addition.key === undefined ? value : `${renderKey(addition.key, style, options)}: ${value}`
  const before = entries[index - 1]
  const next = entries[index]
  if (before) return [addedAfter(text, container, before, next, added)]
  if (next) return [[{ start: entryHead(next), end: entryHead(next), text: `${added}, ` }]]
  const inside = container.start.offset + container.start.source.length
  return [[{ start: inside, end: inside, text: added }]]
}

function addedAfter(
  text: string,
  container: CST.FlowCollection,
  before: Entry,
  next: Entry | undefined,
  added: string,
): Splice[] {
  const end = entryEnd(before)
  const head = entryHead(before)
  const comma = commaAfter(container, before)
  const ownLine =
    startsLine(text, head) && (next ? startsLine(text, entryHead(next)) : closesOnOwnLine(text, container))
  if (!ownLine) return [{ start: end, end, text: `, ${added}` }]
  const line = lineEnding(text) + text.slice(lineStart(text, head), lineStart(text, head) + column(text, head)) + added
  const lineTail = lineTextEnd(text, Math.max(end, comma?.end ?? 0))
  const put: Splice = { start: lineTail, end: lineTail, text: next ? `${line},` : line }
  return comma ? [put] : [{ start: end, end, text: ',' }, put]
}

/** Ways to remove an entry: with its line if it is alone on it, else with one of its commas. */
export function removeFromFlow(text: string, container: CST.FlowCollection, index: number): Ways {
  const entries = listEntries(container)
  const entry = entries[index] as Entry
  const [head, end] = [entryHead(entry), entryEnd(entry)]
  const after = commaAfter(container, entry)
  const contentEnd = after?.end ?? end
  const rest = text.slice(contentEnd, lineTextEnd(text, contentEnd)).trim()
  const line: Splice = { start: lineStart(text, head), end: lineEnd(text, contentEnd), text: '' }
  const before = entries[index - 1]
  const commaBefore = before && commaAfter(container, before)
  const ways: Splice[][] = []
  if (startsLine(text, head) && (rest === '' || rest.startsWith('#'))) ways.push([line])
  if (after) ways.push([{ start: head, end: skipBlanks(text, after.end), text: '' }])
  if (commaBefore) ways.push([{ start: commaBefore.start, end, text: '' }])
  return [...ways, [{ start: head, end, text: '' }]]
}

/** The comma that follows an entry is among the tokens before the next one. */
function commaAfter(container: CST.FlowCollection, entry: Entry): { start: number; end: number } | undefined {
  const items = container.items as Entry[]
  const comma = items[items.indexOf(entry) + 1]?.start.find(({ type }) => type === 'comma')
  return comma && { start: comma.offset, end: comma.offset + 1 }
}

function closesOnOwnLine(text: string, container: CST.FlowCollection): boolean {
  const close = container.end[0]
  return close !== undefined && startsLine(text, close.offset)
}

function itemQuote(entries: readonly Entry[]): 'double' | undefined {
  const texts = entries.filter(({ key, value }) => !key && value)
  return texts.length > 0 && texts.every(({ value }) => value?.type === 'double-quoted-scalar') ? 'double' : undefined
}

function skipBlanks(text: string, offset: number): number {
  return offset + (/^[ \t]*/.exec(text.slice(offset))?.[0].length ?? 0)
}
