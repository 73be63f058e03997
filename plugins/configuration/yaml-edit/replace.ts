/** Ways to put another value in the place of one. The first that parses to the expected values is taken. */
import type { CST } from 'yaml'
import { type EntryPosition, findPlace } from './find-entry.ts'
import {
  detectStyle,
  type InlineOptions,
  indentLines,
  renderInline,
  renderLines,
  type Style,
  wantsBlock,
} from './render.ts'
import type { YamlSource } from './source.ts'
import type { Path } from './steps.ts'
import {
  afterIndicator,
  contentLineEnd,
  isBlockCollection,
  isFlow,
  lineEnd,
  lineEnding,
  lineStart,
  lineTextEnd,
  propertiesStart,
  type Splice,
  startsLine,
  tokenEnd,
  trimmedEnd,
} from './tokens.ts'

type Ways = readonly (readonly Splice[])[]

/** Ways to write `value` over what stands at `path`. */
export function replaceValue(source: YamlSource, path: Path, value: unknown): Ways {
  const place = findPlace(source, path)
  const style = detectStyle(source)
  const token = place.entry.value
  if (!token || tokenEnd(token) === token.offset) return fillEmpty(source.text, place, value, style)
  const text = renderInline(value, style, { inFlow: isFlow(place.container), quote: detectQuote(token) })
  if (token.type === 'block-scalar') return replaceBlockText(source.text, place, token, value, text, style)
  if (isBlockCollection(token) && startsLine(source.text, token.offset))
    return replaceBlock(source.text, place, token, text)
  const end = trimmedEnd(source.text, tokenEnd(token))
  // The second way drops a tag or anchor that gives the new value another meaning.
  const way = (start: number): Splice[] => [{ start, end, text }]
  return [way(token.offset), way(propertiesStart(place.entry) ?? token.offset)]
}

/** `key:` or `-` or, in braces, a lone `key`. */
function fillEmpty(text: string, { entry, container }: EntryPosition, value: unknown, style: Style): Ways {
  const after = afterIndicator(entry)
  const inFlow = isFlow(container)
  const inline = renderInline(value, style, { inFlow, quote: jsonQuote(container) })
  if (after === undefined) {
    const end = entry.key ? tokenEnd(entry.key) : 0
    return [[{ start: end, end, text: `: ${inline}` }]]
  }
  const oneLine: Splice[] = [{ start: after, end: after, text: ` ${inline}` }]
  if (inFlow || !wantsBlock(value, style)) return [oneLine]
  const deeper = Array.isArray(value) && container.type === 'block-map' && !style.indentSeq ? 0 : style.indent
  const lines = indentLines(renderLines(value as object, style), container.indent + deeper)
  const end = lineTextEnd(text, after)
  const eol = lineEnding(text)
  return [[{ start: end, end, text: eol + lines.join(eol) }], oneLine]
}

/** A mapping or list on the lines below its key. A comment beside the key stays. */
function replaceBlock(text: string, { entry }: EntryPosition, token: CST.Token, inline: string): Ways {
  const after = afterIndicator(entry) ?? token.offset
  const start = lineStart(text, token.offset)
  const end = contentLineEnd(text, tokenEnd(token))
  return [
    [
      { start: after, end: after, text: ` ${inline}` },
      { start, end, text: '' },
    ],
  ]
}

/**
 * A text of several lines below `|` or `>`: another such text keeps the form, anything else is put on the key's line.
 */
function replaceBlockText(
  text: string,
  place: EntryPosition,
  token: CST.BlockScalar,
  value: unknown,
  inline: string,
  style: Style,
): Ways {
  const header = token.props.find(({ type }) => type === 'block-scalar-header') as CST.SourceToken
  const headerEnd = header.offset + header.source.length
  const end = tokenEnd(token)
  const body = end - token.source.length
  const onOneLine: Splice[] = [
    { start: header.offset, end: headerEnd, text: inline },
    { start: lineEnd(text, headerEnd), end, text: '' },
  ]
  if (typeof value !== 'string' || !/[^\n]\n|\n[^\n]/.test(value)) return [onOneLine]
  const eol = lineEnding(text)
  const trailing = /\n*$/.exec(value)?.[0].length ?? 0
  const chomp = ['-', ''][trailing] ?? '+'
  const lines = value.slice(0, value.length - Math.min(trailing, 1)).split('\n')
  const width = /^(?:[ \t]*\r?\n)*( +)/.exec(token.source)?.[1]?.length ?? place.container.indent + style.indent
  const literal: Splice[] = [
    { start: header.offset, end: headerEnd, text: `|${chomp}` },
    { start: body, end, text: indentLines(lines, width).join(eol) + eol },
  ]
  return [literal, onOneLine]
}

function detectQuote(token: CST.Token): InlineOptions['quote'] {
  if (token.type === 'single-quoted-scalar') return 'single'
  return token.type === 'double-quoted-scalar' ? 'double' : undefined
}

/** JSON inside YAML stays JSON. */
export function jsonQuote(container: { readonly items: readonly unknown[] }): InlineOptions['quote'] {
  const keys = container.items.flatMap((item) => (item as { key?: CST.Token | null }).key ?? [])
  return keys.length > 0 && keys.every(({ type }) => type === 'double-quoted-scalar') ? 'double' : undefined
}
