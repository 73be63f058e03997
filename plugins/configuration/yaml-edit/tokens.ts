/** Where things stand in the text of a YAML text: lines, entries of collections, the ends of values. */
import type { CST } from 'yaml'

export type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection
export type Entry = CST.CollectionItem

/** One replacement in a text. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The text with all replacements made; they must not overlap. Those at one offset follow each other as listed. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const backwards = splices.toReversed().toSorted((a, b) => b.start - a.start)
  return backwards.reduce((now, { start, end, text: put }) => now.slice(0, start) + put + now.slice(end), text)
}

export function isFlow(token: CST.Token | undefined): token is CST.FlowCollection {
  return token?.type === 'flow-collection'
}

export function isBlockCollection(token: CST.Token): token is CST.BlockMap | CST.BlockSequence {
  return token.type === 'block-map' || token.type === 'block-seq'
}

/** The entries that hold something; the parser appends one more for trailing comments and commas. */
export function listEntries(collection: Collection): Entry[] {
  return (collection.items as Entry[]).filter(
    ({ start, key, sep, value }) => key || sep || value || start.some(({ type }) => type === 'seq-item-ind'),
  )
}

/** Where an entry begins: its dash, its question mark, its properties or its key. */
export function entryHead(entry: Entry): number {
  const first = entry.start.find(({ type }) => /^(seq-item-ind|explicit-key-ind|anchor|tag)$/.test(type))
  return (first ?? entry.key ?? entry.sep?.[0] ?? entry.value)?.offset ?? 0
}

/** Where the content of an entry ends, without trailing spaces and comments. */
export function entryEnd(entry: Entry): number {
  const { key, value } = entry
  if (value && tokenEnd(value) > value.offset) return tokenEnd(value)
  return afterIndicator(entry) ?? (key ? tokenEnd(key) : entryHead(entry))
}

/** Right after the colon or dash and the properties that precede a value. */
export function afterIndicator({ start, key, sep }: Entry): number | undefined {
  const before = sep ?? (key ? [] : start)
  return sourceEnd(before.findLast(({ type }) => /^(map-value-ind|seq-item-ind|anchor|tag)$/.test(type)))
}

/** Where the properties (anchor, tag) of an entry's value begin. */
export function propertiesStart({ start, key, sep }: Entry): number | undefined {
  return (sep ?? (key ? [] : start)).find(({ type }) => type === 'anchor' || type === 'tag')?.offset
}

/** Where the content of a token ends. A block text ends after its last line. */
export function tokenEnd(token: CST.Token): number {
  switch (token.type) {
    case 'block-scalar':
      return (
        token.props.reduce((end, prop) => end + ('source' in prop ? prop.source.length : 0), token.offset) +
        token.source.length
      )
    case 'flow-collection':
      return sourceEnd(token.end[0]) ?? token.offset
    case 'block-map':
    case 'block-seq': {
      const last = listEntries(token).at(-1)
      return last ? entryEnd(last) : token.offset
    }
    default:
      return token.offset + ('source' in token ? token.source.length : 0)
  }
}

/** The first character of the line, a byte order mark not counted. */
export function lineStart(text: string, offset: number): number {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
  return start === 0 && text.startsWith('\uFEFF') ? 1 : start
}

/** After the line's end, or the end of the text. */
export function lineEnd(text: string, offset: number): number {
  const found = text.indexOf('\n', offset)
  return found === -1 ? text.length : found + 1
}

/** After the line on which some content ends. A block text ends behind its own line already. */
export function contentLineEnd(text: string, end: number): number {
  return end > 0 && text[end - 1] === '\n' ? end : lineEnd(text, end)
}

/** The end of the line's characters, before its line ending. */
export function lineTextEnd(text: string, offset: number): number {
  const end = lineEnd(text, offset)
  return text.slice(offset, end).replace(/\r?\n$/, '').length + offset
}

/** The offset without the blanks and line endings before it. */
export function trimmedEnd(text: string, offset: number): number {
  return text.slice(0, offset).trimEnd().length
}

/** Nothing but blanks stands before the offset on its line. */
export function startsLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === ''
}

export function column(text: string, offset: number): number {
  return offset - lineStart(text, offset)
}

/** The line ending of a text: that of its first line. */
export function lineEnding(text: string): '\n' | '\r\n' {
  return /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n'
}

/** Puts whole lines at an offset that is the start of a line or the end of a text without a last line ending. */
export function linesAt(text: string, offset: number, lines: readonly string[]): Splice {
  const eol = lineEnding(text)
  const body = lines.join(eol)
  const put = lineStart(text, offset) === offset ? body + eol : eol + body
  return { start: offset, end: offset, text: put }
}

function sourceEnd(token: CST.SourceToken | undefined): number | undefined {
  return token && token.offset + token.source.length
}
