/** A line as cells. */
import type { StyledLine } from 'svc/sdk/terminal'
import type { Glyphs } from './glyphs.ts'
import { PLAIN, type Styles } from './styles.ts'

/** One row of the screen. The right half of a wide character is an empty text. */
export interface Row {
  readonly texts: string[]
  readonly styles: number[]
}

const ascii: readonly string[] = Array.from({ length: 127 }, (_, code) => String.fromCharCode(code))

/** Cut at `columns` and filled up with plain blanks; a wide character is never halved. */
export function layOutRow(line: StyledLine, columns: number, glyphs: Glyphs, styles: Styles): Row {
  const row: Row = { texts: new Array<string>(columns).fill(' '), styles: new Array<number>(columns).fill(PLAIN) }
  let at = 0
  for (const span of line) {
    if (at >= columns) break
    const style = styles.of(span)
    at = isAscii(span.text) ? putAscii(row, at, span.text, style) : putAny(row, at, span.text, style, glyphs)
  }
  // Blanks at the end are erased, not written, when nothing is seen of their look.
  while (at > 0 && row.texts[at - 1] === ' ' && !styles.marksBlanks(row.styles[at - 1] as number))
    row.styles[--at] = PLAIN
  return row
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code > 0x7e) return false
  }
  return true
}

function putAscii(row: Row, from: number, text: string, style: number): number {
  const end = Math.min(row.texts.length, from + text.length)
  for (let at = from; at < end; at++) row.texts[at] = ascii[text.charCodeAt(at - from)] as string
  row.styles.fill(style, from, end)
  return end
}

function putAny(row: Row, from: number, text: string, style: number, glyphs: Glyphs): number {
  const columns = row.texts.length
  let at = from
  for (const part of glyphs.split(text)) {
    const { width } = glyphs.of(part)
    if (width === 0) continue
    row.styles.fill(style, at, Math.min(columns, at + width))
    if (at + width > columns) return columns
    row.texts[at] = part
    if (width === 2) row.texts[at + 1] = ''
    at += width
  }
  return at
}
