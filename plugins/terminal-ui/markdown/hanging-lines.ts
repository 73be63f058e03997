/** Lines that are put behind something, and lines that are too long and keep all their characters. */
import type { StyledLine, StyledSpan, TextLayout } from 'svc/sdk/terminal'

const MARK: StyledSpan = { text: '↪ ', role: 'dim' }
/** Narrower than this there is no room for the mark. */
const MARKED_FROM = 12

/** A line of code, and what does not fit in it below: every character stays, also spaces at a break. */
export function fold(line: StyledLine, width: number, layout: TextLayout): StyledLine[] {
  if (layout.lineWidth(line) <= width) return [line]
  const mark = width >= MARKED_FROM ? [MARK] : []
  const lines: StyledSpan[][] = [[]]
  let left = width
  const next = () => {
    lines.push([...mark])
    left = width - layout.lineWidth(mark)
  }
  for (const span of line) {
    let text = ''
    const put = () => {
      if (text !== '') lines.at(-1)?.push({ ...span, text })
      text = ''
    }
    for (const grapheme of layout.graphemes(span.text)) {
      const cells = layout.width(grapheme)
      if (cells > left && (text !== '' || (lines.at(-1)?.length ?? 0) > (lines.length > 1 ? mark.length : 0))) {
        put()
        next()
      }
      text += grapheme
      left -= cells
    }
    put()
  }
  return lines
}

/** Cells that are left for text, else there is nothing before it. */
const LEAST_ROOM = 4

/** `make` lays out what stands behind `first` in the first line and behind `rest` in the others; both are as wide. */
export function layOutBehind(
  first: StyledLine,
  rest: StyledLine,
  width: number,
  layout: TextLayout,
  make: (width: number) => readonly StyledLine[],
): StyledLine[] {
  const room = width - layout.lineWidth(first)
  if (room < LEAST_ROOM) return [...make(width)]
  return make(room).map((line, index) => {
    const prefix = index === 0 ? first : rest
    return line.length === 0 && prefix.every(({ text }) => text.trim() === '') ? [] : [...prefix, ...line]
  })
}

/** Spaces as wide as a line. */
export const blank = (line: StyledLine, layout: TextLayout): StyledLine => [
  { text: ' '.repeat(layout.lineWidth(line)) },
]
