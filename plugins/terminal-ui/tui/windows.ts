/** Views that stand over the conversation: where they are, and how their lines replace cells of what is below. */
import type { Frame, OverlayView, StyledLine, StyledSpan, TextLayout, ViewPlace, ViewSize } from 'svc/sdk/terminal'

interface Screen {
  readonly columns: number
  readonly rows: number
}

const USUAL_SIZE = '60%'
const USUAL_MARGIN = 1
/** Below this a border leaves no room. */
const BORDER_FROM = 5
/** Characters of a span for each cell that there is: more cannot be seen. */
const MAX_PER_CELL = 16

/** The picture with the view over it, in a border. */
export function withWindow(
  below: Frame,
  { view, place, hasKeys }: { readonly view: OverlayView; readonly place: ViewPlace; readonly hasKeys: boolean },
  screen: Screen,
  layout: TextLayout,
): Frame {
  const margin = clamp(place.margin ?? USUAL_MARGIN, 0, Math.max(0, Math.min(screen.columns, screen.rows) / 2 - 2))
  const width = size(place.width, screen.columns, screen.columns - 2 * margin)
  const most = size(place.rows, screen.rows, screen.rows - 2 * margin)
  const hasBorder = width >= BORDER_FROM && most >= 3
  const inner = { width: hasBorder ? width - 4 : width, rows: hasBorder ? most - 2 : most }
  const drawn = view.lines(inner).map((line) => layout.pad(tidy(line, inner.width, layout), inner.width))
  const lines = hasBorder ? bordered(drawn, view.keys, width, layout) : drawn
  if (lines.length === 0) return below
  const at = corner(place.anchor ?? 'center', { width, rows: lines.length, margin }, screen)
  const all = Array.from({ length: screen.rows }, (_, row) => below.lines[row] ?? [])
  for (const [row, line] of lines.entries()) {
    const base = all[at.row + row]
    if (base) all[at.row + row] = over(base, line, { column: at.column, width, columns: screen.columns }, layout)
  }
  if (!hasKeys) return { ...below, lines: all }
  const edge = hasBorder ? { row: 1, column: 2 } : { row: 0, column: 0 }
  const { cursor } = view
  return {
    lines: all,
    ...(cursor && {
      cursor: {
        row: at.row + edge.row + clamp(cursor.row, 0, inner.rows - 1),
        column: at.column + edge.column + clamp(cursor.column, 0, inner.width - 1),
      },
    }),
  }
}

function bordered(
  lines: readonly StyledLine[],
  keys: string,
  width: number,
  layout: TextLayout,
): readonly StyledLine[] {
  const edge = (text: string): StyledSpan => ({ text, role: 'border' })
  const said = keys === '' ? [] : layout.cut([{ text: ` ${layout.clean(keys, 'visible')} `, role: 'dim' }], width - 4)
  const rest = Math.max(0, width - 3 - layout.lineWidth(said))
  return [
    [edge(`╭${'─'.repeat(width - 2)}╮`)],
    ...lines.map((line): StyledLine => [edge('│ '), ...line, edge(' │')]),
    [edge('╰─'), ...said, edge(`${'─'.repeat(rest)}╯`)],
  ]
}

/** What a plugin drew, without what would move cells: controls, and text far beyond the edge. */
function tidy(line: StyledLine, width: number, layout: TextLayout): StyledLine {
  return line.map((span) => ({
    ...span,
    text: layout.clean(span.text.slice(0, width * MAX_PER_CELL), 'visible').replace(/\n/g, ' '),
  }))
}

/** A line with some of its cells replaced. A wide character that is cut becomes a space. */
function over(
  base: StyledLine,
  line: StyledLine,
  { column, width, columns }: { readonly column: number; readonly width: number; readonly columns: number },
  layout: TextLayout,
): StyledLine {
  return [...cells(base, 0, column, layout), ...line, ...cells(base, column + width, columns, layout)]
}

/** The cells of a line from one column to another, filled up with spaces. */
function cells(line: StyledLine, from: number, to: number, layout: TextLayout): StyledLine {
  const spans: StyledSpan[] = []
  let at = 0
  for (const span of line) {
    const { text, end } = cellsOfText(span.text, { at, from, to }, layout)
    if (text !== '') spans.push({ ...span, text })
    at = end
    if (at >= to) return spans
  }
  const missing = to - Math.max(from, at)
  return missing > 0 ? [...spans, { text: ' '.repeat(missing) }] : spans
}

/** The part of a text that begins at the column `at`, and the column behind all of it. */
function cellsOfText(
  whole: string,
  { at, from, to }: { readonly at: number; readonly from: number; readonly to: number },
  layout: TextLayout,
): { readonly text: string; readonly end: number } {
  let text = ''
  let end = at
  for (const grapheme of layout.graphemes(whole)) {
    const start = end
    end += layout.width(grapheme)
    if (start >= to) break
    const isWhole = start >= from && end <= to
    text += isWhole ? grapheme : ' '.repeat(Math.max(0, Math.min(end, to) - Math.max(start, from)))
  }
  return { text, end }
}

function corner(
  anchor: NonNullable<ViewPlace['anchor']>,
  { width, rows, margin }: { readonly width: number; readonly rows: number; readonly margin: number },
  screen: Screen,
): { readonly row: number; readonly column: number } {
  const along = (first: string, last: string, length: number, room: number) => {
    if (anchor.includes(first)) return margin
    return anchor.includes(last) ? room - length - margin : (room - length) >> 1
  }
  const row = along('top', 'bottom', rows, screen.rows)
  const column = along('left', 'right', width, screen.columns)
  return { row: Math.max(0, row), column: Math.max(0, column) }
}

function size(wanted: ViewSize | undefined, whole: number, most: number): number {
  const text = String(wanted ?? USUAL_SIZE)
  const share = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]
  const cells = share === undefined ? Number(text) : (Number(share) * whole) / 100
  return clamp(Number.isFinite(cells) ? cells : most, 1, Math.max(1, most))
}

function clamp(value: number, least: number, most: number): number {
  return Math.floor(Math.max(least, Math.min(value, most)))
}
