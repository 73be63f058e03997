/** Marks of plugins in the rows of the text that is typed. */
import type { ComposerMark, StyledLine, StyledSpan, TextLayout } from 'svc/sdk/terminal'
import type { Laid, Unit, Units } from './typed-text.ts'

/** More are not drawn: a text is typed while it is marked. */
export const MAX_MARKS = 500

/** Whether plugins may have it drawn. */
export function isMarks(value: unknown): boolean {
  return Array.isArray(value) && value.slice(0, MAX_MARKS).every((mark) => isPlace(mark?.from) && isPlace(mark?.to))
}

const isPlace = (value: unknown) => Number.isInteger(value) && Number(value) >= 0

/** UTF-16 code units of a line as it is seen. */
export function measureShown(units: Units): number {
  return units.reduce((sum, unit) => sum + shown(unit).length, 0)
}

const shown = (unit: Unit) => (typeof unit === 'string' ? unit : unit.label)

/** The rows of a line with the marks of the text in it; the line begins at `offset` of the text. */
export function markRows(
  { rows, starts }: Laid,
  units: Units,
  { offset, marks }: { readonly offset: number; readonly marks: readonly ComposerMark[] },
  layout: TextLayout,
): readonly StyledLine[] {
  const end = offset + measureShown(units)
  const marked = [...rows]
  for (const mark of marks.filter(({ from, to }) => from < end && to > offset))
    for (const [row, cells] of findCells(units, { starts, rows }, mark.from - offset, mark.to - offset, layout))
      marked[row] = restyle(marked[row] ?? [], cells, mark, layout)
  return marked
}

/** The columns of each row in which a part of a line stands. */
function findCells(
  units: Units,
  { starts, rows }: Pick<Laid, 'starts' | 'rows'>,
  from: number,
  to: number,
  layout: TextLayout,
): ReadonlyMap<number, readonly [number, number]> {
  const cells = new Map<number, readonly [number, number]>()
  let at = 0
  for (const [index, unit] of units.entries()) {
    const start = starts[index]
    const end = at + shown(unit).length
    if (start && at < to && end > from) {
      const next = starts[index + 1]
      const stop = next?.row === start.row ? next.column : layout.lineWidth(rows[start.row] ?? [])
      cells.set(start.row, [cells.get(start.row)?.[0] ?? start.column, stop])
    }
    at = end
  }
  return cells
}

/** The line with the look of the mark on its cells from one column to another. */
function restyle(
  line: StyledLine,
  [from, to]: readonly [number, number],
  { from: _, to: __, ...look }: ComposerMark,
  layout: TextLayout,
): StyledLine {
  let column = 0
  return line.flatMap((span): readonly StyledSpan[] => {
    const parts: [string, string, string] = ['', '', '']
    for (const grapheme of layout.graphemes(span.text)) {
      parts[findPart(column, from, to)] += grapheme
      column += layout.width(grapheme)
    }
    const [before, marked, after] = parts
    return [
      { ...span, text: before },
      { ...span, ...look, text: marked },
      { ...span, text: after },
    ].filter(({ text }) => text !== '')
  })
}

/** Before, in, or behind the columns. */
function findPart(column: number, from: number, to: number): 0 | 1 | 2 {
  if (column < from) return 0
  return column < to ? 1 : 2
}
