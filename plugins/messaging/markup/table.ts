/** A small table as lines of a code block, its columns below each other. */
import { eastAsianWidth } from 'get-east-asian-width'
import type { Run } from './rows.ts'

/** Wider ones would be wrapped on a telephone and become unreadable. */
const MAX_WIDTH = 56
const MAX_CELLS = 600
const BETWEEN = '  '

type Align = 'center' | 'left' | 'right' | null

/** The lines; undefined when it is too wide, too long, or has links, which do not exist in code. */
export function tableRows(
  cells: readonly (readonly (readonly Run[])[])[],
  aligns: readonly Align[],
): string[] | undefined {
  const columns = cells[0]?.length ?? 0
  if (cells.length * columns > MAX_CELLS || cells.flat(2).some(({ link }) => link)) return undefined
  const texts = cells.map((row) =>
    row.map((cell) =>
      cell
        .map(({ text }) => text)
        .join('')
        .replace(/\s+/g, ' '),
    ),
  )
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...texts.map((row) => measureWidth(row[at] ?? ''))),
  )
  if (widths.reduce((sum, width) => sum + width + BETWEEN.length, 0) > MAX_WIDTH) return undefined
  const lines = texts.map((row) =>
    widths
      .map((width, at) => padCell(row[at] ?? '', width, aligns[at] ?? null))
      .join(BETWEEN)
      .trimEnd(),
  )
  const rule = widths.map((width) => '─'.repeat(width)).join(BETWEEN)
  return [lines[0] ?? '', rule, ...lines.slice(1)]
}

function padCell(text: string, width: number, align: Align): string {
  const room = Math.max(0, width - measureWidth(text))
  const before = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0
  return ' '.repeat(before) + text + ' '.repeat(room - before)
}

const graphemes = new Intl.Segmenter('en')

/** Columns of a font in which all letters are equally wide. */
function measureWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  if (text.length > MAX_WIDTH * 8) return MAX_WIDTH + 1
  let width = 0
  for (const { segment } of graphemes.segment(text))
    width += /\p{Extended_Pictographic}/u.test(segment) ? 2 : eastAsianWidth(segment.codePointAt(0) ?? 0)
  return width
}
