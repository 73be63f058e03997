/** Blocks of a text as lines. */
import type { Line, Span, TextLayout } from 'svc/sdk'
import { behind, blank } from './behind.ts'
import { codeLines, frameBottom, framed, frameTop, languageOf } from './code.ts'
import { type Style, spansOf } from './inline.ts'
import { known, type MarkedToken, type Tokens } from './lex.ts'
import { columnsOf, tableLines } from './table.ts'

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
export function blockLines(tokens: readonly MarkedToken[], width: number, around: Around): Line[] {
  const lines: Line[] = []
  let before: MarkedToken | undefined
  let isApart = false
  for (const token of tokens) {
    if (token.type === 'space') {
      isApart = true
      continue
    }
    const own = lineOf(token, width, around)
    const isClose = before && close.has(before.type) && close.has(token.type) && token.type !== 'heading'
    if (before && own.length > 0 && (isApart || /\n *\n$/.test(before.raw) || !isClose)) lines.push([])
    lines.push(...own)
    if (own.length > 0) before = token
    isApart = false
  }
  return lines
}

function lineOf(token: MarkedToken, width: number, around: Around): readonly Line[] {
  const { layout, style } = around
  switch (token.type) {
    case 'heading':
      return layout.wrap(spansOf(known(token.tokens), headingStyle(token.depth), layout), width)
    case 'paragraph':
    case 'text':
      return layout.wrap(spansOf(token.tokens ? known(token.tokens) : [token as Tokens.Text], style, layout), width)
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
      return tableLines(token, columnsOf(token, width, layout), 'all', width, layout)
    case 'hr':
      return [frameBottom(width)]
    case 'checkbox':
    case 'br':
      return []
    default:
      return asWritten(token.raw, width, around)
  }
}

/** An item behind its bullet, its number or its box. */
export function itemLines(item: Tokens.ListItem, number: number | undefined, width: number, around: Around): Line[] {
  const { layout, depth } = around
  const bullet = BULLETS[Math.min(depth, BULLETS.length - 1)] ?? ''
  const box = item.checked ? '☑' : '☐'
  const marker: Span[] = []
  if (number !== undefined || !item.task)
    marker.push({ text: number === undefined ? `${bullet} ` : `${number}. `, role: 'accent' })
  if (item.task) marker.push({ text: `${box} `, role: item.checked ? 'ok' : 'accent' })
  const inside = { ...around, depth: depth + 1 }
  const lines = (room: number) => {
    const all = blockLines(known(item.tokens), room, inside)
    return all.length > 0 ? all : [[]]
  }
  return behind(marker, blank(marker, layout), width, layout, lines)
}

function codeBlock({ text, lang }: Tokens.Code, width: number, layout: TextLayout): Line[] {
  const lines = codeLines(layout.clean(text), languageOf(lang))
  return [frameTop(lang ?? '', width, layout), ...framed(lines, width, layout), frameBottom(width)]
}

function quoteLines({ tokens }: Tokens.Blockquote, width: number, around: Around): Line[] {
  const bar: Line = [{ text: '▌ ', role: 'quote' }]
  const inside = { ...around, style: { ...around.style, role: 'quote' as const } }
  return behind(bar, bar, width, around.layout, (room) => blockLines(known(tokens), room, inside))
}

function headingStyle(depth: number): Style {
  return { role: 'heading', ...(depth < 3 ? { bold: true } : {}), ...(depth === 1 ? { underline: true } : {}) }
}

/** HTML and definitions of links. */
function asWritten(text: string, width: number, { layout, style }: Around): Line[] {
  const lines = layout.clean(text).trimEnd().split('\n')
  return lines.flatMap((line) => layout.wrap([{ ...style, text: line }], width))
}
