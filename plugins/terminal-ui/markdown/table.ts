/** Tables that fit: columns shrink and their cells are wrapped; what would be too narrow becomes records. */
import type { StyledLine, StyledSpan, TextLayout } from 'svc/sdk/terminal'
import { toSpans } from './inline.ts'
import { asMarkedTokens, type Tokens } from './lex.ts'

/** Below so many cells a column that was shrunk cannot be read. Words up to the second number stay whole. */
const NARROWEST = 8
const WHOLE_WORDS = 14
const BETWEEN: StyledSpan = { text: ' │ ', role: 'border' }
const BETWEEN_WIDTH = 3

/** How wide the columns are; undefined when the rows are records. */
export interface Columns {
  readonly widths: readonly number[] | undefined
  /** Something had to be shrunk, so rows may take several lines. */
  readonly isShrunk: boolean
}

/** As the head and these rows want it. */
export function computeColumns({ header, rows }: Tokens.Table, width: number, layout: TextLayout): Columns {
  const wanted = header.map((_, column) => {
    const all = [header, ...rows].map((row) => naturalWidth(row[column], layout))
    return Math.max(1, ...all)
  })
  const room = width - BETWEEN_WIDTH * (wanted.length - 1)
  const sum = wanted.reduce((total, each) => total + each, 0)
  if (sum <= room) return { widths: wanted, isShrunk: false }
  const widths = shrunk(wanted, room)
  const isReadable = widths.every((cells, column) => {
    if (cells === wanted[column]) return true
    const words = [header, ...rows].map((row) => longestWord(row[column], layout))
    return cells >= Math.max(NARROWEST, Math.min(WHOLE_WORDS, Math.max(...words)))
  })
  return { widths: isReadable ? widths : undefined, isShrunk: true }
}

/** Head and rows; without the head for rows that continue a table. */
export function tableLines(
  table: Tokens.Table,
  columns: Columns,
  part: 'all' | 'rows',
  width: number,
  layout: TextLayout,
): StyledLine[] {
  const { widths, isShrunk } = columns
  if (!widths) return records(table, part, width, layout)
  const rule = createRule(widths)
  const row = (cells: readonly Tokens.TableCell[]) => rowLines(cells, widths, layout)
  const rows = table.rows.flatMap((cells, index) => {
    const isApart = isShrunk && (index > 0 || part === 'rows')
    return [...(isApart ? [rule] : []), ...row(cells)]
  })
  return part === 'rows' ? rows : [...row(table.header), rule, ...rows]
}

/** Columns that are narrower than their share keep their width; the others share what is left. */
function shrunk(wanted: readonly number[], room: number): number[] {
  const widths = wanted.map(() => 0)
  const open = wanted.map((cells, column) => ({ cells, column })).sort((a, b) => a.cells - b.cells)
  let left = Math.max(room, 0)
  for (const [index, { cells, column }] of open.entries()) {
    const own = Math.min(cells, Math.floor(left / (open.length - index)))
    widths[column] = own
    left -= own
  }
  return widths
}

function cellSpans({ tokens, header }: Tokens.TableCell, layout: TextLayout): StyledSpan[] {
  return toSpans(asMarkedTokens(tokens), header ? { bold: true } : {}, layout)
}

function naturalWidth(cell: Tokens.TableCell | undefined, layout: TextLayout): number {
  if (!cell) return 0
  return Math.max(
    ...layout.wrap(cellSpans(cell, layout), Number.MAX_SAFE_INTEGER).map((line) => layout.lineWidth(line)),
  )
}

function longestWord(cell: Tokens.TableCell | undefined, layout: TextLayout): number {
  const words = cell ? cellSpans(cell, layout).flatMap(({ text }) => text.split(/\s/)) : []
  return Math.max(0, ...words.map((word) => layout.width(word)))
}

function createRule(widths: readonly number[]): StyledLine {
  return [{ text: widths.map((cells) => '─'.repeat(cells)).join('─┼─'), role: 'border' }]
}

function rowLines(cells: readonly Tokens.TableCell[], widths: readonly number[], layout: TextLayout): StyledLine[] {
  const wrapped = cells.map((cell, column) => layout.wrap(cellSpans(cell, layout), widths[column] ?? 1))
  const height = Math.max(1, ...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, index) =>
    widths.flatMap((room, column) => {
      const line = alignLine(wrapped[column]?.[index] ?? [], room, cells[column]?.align ?? 'left', layout)
      return column === 0 ? line : [BETWEEN, ...line]
    }),
  )
}

function alignLine(line: StyledLine, room: number, align: 'left' | 'center' | 'right', layout: TextLayout): StyledLine {
  const missing = room - layout.lineWidth(line)
  if (missing <= 0) return layout.pad(line, room)
  const before = { left: 0, center: Math.floor(missing / 2), right: missing }[align]
  return layout.pad(before > 0 ? [{ text: ' '.repeat(before) }, ...line] : line, room)
}

/** Each cell on a separate line, behind the header of its column. */
function records(
  { header, rows }: Tokens.Table,
  part: 'all' | 'rows',
  width: number,
  layout: TextLayout,
): StyledLine[] {
  if (rows.length === 0 && part === 'all') return header.flatMap((cell) => layout.wrap(cellSpans(cell, layout), width))
  return rows.flatMap((row, index) => [
    ...(index > 0 || part === 'rows' ? [[]] : []),
    ...row.flatMap((cell, column) => {
      const head = header[column]
      const label = head ? [...cellSpans(head, layout), { text: ': ', bold: true }] : []
      return layout.wrap([...label, ...cellSpans(cell, layout)], width, [{ text: '  ' }])
    }),
  ])
}
