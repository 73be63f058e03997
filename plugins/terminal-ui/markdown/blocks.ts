/** Blocks of a text as lines. */
import type { StyledLine, StyledSpan, TextLayout } from 'svc/sdk/terminal'
import { codeLines, detectLanguage, frameBottom, frameLines, frameTop } from './code.ts'
import { blank, layOutBehind } from './hanging-lines.ts'
import { type Style, toSpans } from './inline.ts'
import { asMarkedTokens, type MarkedToken, type Tokens } from './lex.ts'
import { computeColumns, tableLines } from './table.ts'

/** What holds for all blocks inside of one. */
export interface Around {
  readonly layout: TextLayout
  readonly style: Style
  /** How many lists it stands in. */
  readonly depth: number
}

const BULLETS = ['•', '◦', '▪']
/** Blocks that need no blank line between them. */
const close = new Set<MarkedToken['type']>(['text', 'list', 'paragraph', 'heading', 'def'])

/** All of them, with a blank line where one was written and around what is no text. */
export function blockLines(tokens: readonly MarkedToken[], width: number, around: Around): StyledLine[] {
  const lines: StyledLine[] = []
  let before: MarkedToken | undefined
  let isApart = false
  for (const token of tokens) {
    if (token.type === 'space') {
      isApart = true
      continue
    }
    const own = renderToken(token, width, around)
    const isClose = before && close.has(before.type) && close.has(token.type) && token.type !== 'heading'
    if (before && own.length > 0 && (isApart || /\n *\n$/.test(before.raw) || !isClose)) lines.push([])
    lines.push(...own)
    if (own.length > 0) before = token
    isApart = false
  }
  return lines
}

function renderToken(token: MarkedToken, width: number, around: Around): readonly StyledLine[] {
  const { layout, style } = around
  switch (token.type) {
    case 'heading':
      return layout.wrap(toSpans(asMarkedTokens(token.tokens), headingStyle(token.depth), layout), width)
    case 'paragraph':
    case 'text':
      return layout.wrap(
        toSpans(token.tokens ? asMarkedTokens(token.tokens) : [token as Tokens.Text], style, layout),
        width,
      )
    case 'code':
      return codeBlock(token, width, layout)
    case 'blockquote':
      return quoteLines(token, width, around)
    case 'list':
      return token.items.flatMap((item, index) => [
        ...(index > 0 && token.loose ? [[]] : []),
        ...itemLines(item, token.ordered ? Number(token.start || 0) + index : undefined, width, around),
      ])
    case 'table':
      return tableLines(token, computeColumns(token, width, layout), 'all', width, layout)
    case 'hr':
      return [frameBottom(width)]
    case 'checkbox':
    case 'br':
      return []
    default:
      return renderAsWritten(token.raw, width, around)
  }
}

/** An item behind its bullet, its number or its box. */
export function itemLines(
  item: Tokens.ListItem,
  number: number | undefined,
  width: number,
  around: Around,
): StyledLine[] {
  const { layout, depth } = around
  const bullet = BULLETS[Math.min(depth, BULLETS.length - 1)] ?? ''
  const box = item.checked ? '☑' : '☐'
  const marker: StyledSpan[] = []
  if (number !== undefined || !item.task)
    marker.push({ text: number === undefined ? `${bullet} ` : `${number}. `, role: 'accent' })
  if (item.task) marker.push({ text: `${box} `, role: item.checked ? 'ok' : 'accent' })
  const inside = { ...around, depth: depth + 1 }
  const lines = (room: number) => {
    const all = blockLines(asMarkedTokens(item.tokens), room, inside)
    return all.length > 0 ? all : [[]]
  }
  return layOutBehind(marker, blank(marker, layout), width, layout, lines)
}

function codeBlock({ text, lang }: Tokens.Code, width: number, layout: TextLayout): StyledLine[] {
  const lines = codeLines(layout.clean(text), detectLanguage(lang))
  return [frameTop(lang ?? '', width, layout), ...frameLines(lines, width, layout), frameBottom(width)]
}

function quoteLines({ tokens }: Tokens.Blockquote, width: number, around: Around): StyledLine[] {
  const bar: StyledLine = [{ text: '▌ ', role: 'quote' }]
  const inside = { ...around, style: { ...around.style, role: 'quote' as const } }
  return layOutBehind(bar, bar, width, around.layout, (room) => blockLines(asMarkedTokens(tokens), room, inside))
}

function headingStyle(depth: number): Style {
  return { role: 'heading', ...(depth < 3 ? { bold: true } : {}), ...(depth === 1 ? { underline: true } : {}) }
}

/** HTML and definitions of links. */
function renderAsWritten(text: string, width: number, { layout, style }: Around): StyledLine[] {
  const lines = layout.clean(text).trimEnd().split('\n')
  return lines.flatMap((line) => layout.wrap([{ ...style, text: line }], width))
}
