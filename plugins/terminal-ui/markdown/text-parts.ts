/** Parts of a text as lines. Each is parsed once, whatever widths it is wanted in. */
import type { StyledLine, TextLayout } from 'svc/sdk/terminal'
import { type Around, blockLines, itemLines } from './blocks.ts'
import { codeLines, detectLanguage, frameBottom, frameLines, frameTop } from './code.ts'
import { layOutBehind } from './hanging-lines.ts'
import { toSpans } from './inline.ts'
import { asMarkedTokens, type Links, lexBlocks, lexInline, type MarkedToken, type Tokens } from './lex.ts'
import type { Part } from './split-growing-text.ts'
import { computeColumns, tableLines } from './table.ts'

/** Lays a part out, without the blank line above it. */
export type LaidPart = (width: number) => readonly StyledLine[]

/** Parses a part. Definitions of links are taken from `links` and added to it. */
export function parsePart(part: Part, links: Links, layout: TextLayout): LaidPart {
  const around: Around = { layout, style: {}, depth: 0 }
  switch (part.kind) {
    case 'fence':
      return (width) => [frameTop(part.info ?? '', width, layout)]
    case 'code': {
      const lines = codeLines(part.text, detectLanguage(part.info))
      return (width) => frameLines(lines, width, layout)
    }
    case 'fence-end':
    case 'rule':
      return (width) => [frameBottom(width)]
    case 'table':
      return parseTable(part, links, around)
    case 'more': {
      const spans = toSpans(lexInline(part.text, links), {}, layout)
      return indentPart(part, layout, (width) => layout.wrap(spans, width))
    }
    case 'item':
      return parseItem(part, links, around)
    default: {
      const tokens = lexBlocks(part.text, links)
      return (width) => blockLines(tokens, width, around)
    }
  }
}

function parseTable({ head = '', sample, text }: Part, links: Links, around: Around): LaidPart {
  const { layout } = around
  const tokens = lexBlocks(head + text, links)
  const [table] = tokens
  const [wide] = sample === undefined ? [table] : lexBlocks(head + sample, links)
  if (table?.type !== 'table' || wide?.type !== 'table') return (width) => blockLines(tokens, width, around)
  const rest = tokens.slice(1)
  return (width) => [
    ...tableLines(table, computeColumns(wide, width, layout), sample === undefined ? 'all' : 'rows', width, layout),
    ...blockLines(rest, width, around),
  ]
}

function parseItem(part: Part, links: Links, around: Around): LaidPart {
  const { indent, number, text } = part
  if (indent !== undefined) {
    const inside = text.replaceAll(new RegExp(`^ {0,${indent}}`, 'gm'), '')
    const tokens = lexBlocks(inside, links)
    return indentPart(part, around.layout, (width) => blockLines(tokens, width, { ...around, depth: 1 }))
  }
  const [first, ...rest] = lexBlocks(text, links)
  return (width) => [
    ...(first?.type === 'list' ? listLines(first, number, width, around) : blockLines(optional(first), width, around)),
    ...blockLines(rest, width, around),
  ]
}

/** One item as a rule; it has the number that it has in the whole list. */
function listLines(
  { items, start }: Tokens.List,
  number: number | undefined,
  width: number,
  around: Around,
): StyledLine[] {
  const from = number ?? (start === '' ? undefined : start)
  return items.flatMap((item, index) => itemLines(item, from === undefined ? undefined : from + index, width, around))
}

const optional = (token: MarkedToken | undefined) => asMarkedTokens(token ? [token] : [])

function indentPart({ indent = 0 }: Part, layout: TextLayout, make: LaidPart): LaidPart {
  if (indent === 0) return make
  const space: StyledLine = [{ text: ' '.repeat(indent) }]
  return (width) => layOutBehind(space, space, width, layout, make)
}
