/** What a person decides on is never cut: what has no room is scrolled to, and a note says that there is more. */
import type { Translate } from 'svc/sdk'
import type { StyledLine, TextLayout, ThemeColor } from 'svc/sdk/terminal'

/** A text as rows, with its own line breaks kept and what steers a terminal made visible. */
export function wrapText(text: string, role: ThemeColor, width: number, layout: TextLayout): readonly StyledLine[] {
  const given = layout.clean(text, 'visible').split('\n')
  return given.flatMap((line) => layout.wrap([{ text: line, role }], Math.max(1, width)))
}

/** Some rows of a text. */
export interface ScrolledRows {
  readonly lines: readonly StyledLine[]
  /** The first of them, within the text. */
  readonly at: number
  /** By how many rows a page scrolls, so that no row is skipped. */
  readonly step: number
}

/** The rows from `at` on. Where rows are below there is a note of how many. */
export function scrollLines(
  lines: readonly StyledLine[],
  { room, width, at }: { readonly room: number; readonly width: number; readonly at: number },
  { layout, t }: { readonly layout: TextLayout; readonly t: Translate },
): ScrolledRows {
  const last = Math.max(0, lines.length - Math.max(0, room))
  const from = Math.max(0, Math.min(at, last))
  // At the end no row is a note, so the way back is one row shorter than the page that is seen.
  if (from === last || room < 1)
    return { lines: lines.slice(from, from + Math.max(0, room)), at: from, step: Math.max(1, room - 1) }
  if (room === 1) {
    const [line = []] = lines.slice(from)
    const mark: StyledLine = layout.lineWidth(line) < width ? [{ text: '…', role: 'dim' }] : []
    return { lines: [[...line, ...mark]], at: from, step: 1 }
  }
  const shown = lines.slice(from, from + room - 1)
  const count = lines.length - from - shown.length
  const said = t('{count, plural, one {# more line} other {# more lines}}', { count })
  return { lines: [...shown, layout.cut([{ text: `… ${said} · PgDn`, role: 'dim' }], width)], at: from, step: room - 1 }
}
