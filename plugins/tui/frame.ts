/** The whole picture, of its parts, for any size of a terminal. */
import type { Line, QueuedMessage, ScreenPicture, ScreenView, TextLayout, Transcript, Translate } from 'svc/sdk'
import type { Room } from './dialogs.ts'

/** A few rows with a cursor in them. */
export interface Panel {
  readonly lines: readonly Line[]
  readonly cursor?: { readonly row: number; readonly column: number }
}

/** Everything that can be seen. Functions are asked for what fits; the transcript gets what is left. */
export interface FrameParts {
  readonly columns: number
  readonly rows: number
  readonly transcript: (room: Room) => ReturnType<Transcript['view']>
  readonly widgets: (room: Room) => readonly Line[]
  readonly queue: readonly QueuedMessage[]
  /** What is under way; undefined when nothing is. */
  readonly indicator: Line | undefined
  readonly toasts: readonly Line[]
  /** Where one types, or the dialog in its place. */
  readonly panel: (room: Room) => Panel
  readonly status: ((width: number) => Line) | undefined
}

const MOST_QUEUE = 3
const QUEUE_CHARACTERS = 1000
/** More new lines are not counted. */
const MOST_NEW = 999
const SIDE = 1
const SIDES_FROM = 60

/** The conversation. */
export function frame(parts: FrameParts, layout: TextLayout, t: Translate): ScreenPicture {
  const { columns, rows } = parts
  const margin = columns >= SIDES_FROM ? SIDE : 0
  const width = columns - 2 * margin
  const space: Line = margin ? [{ text: ' '.repeat(margin) }] : []
  const inset = (line: Line): Line => layout.cut([...space, ...line], columns)
  const status = parts.status && rows >= 4 ? [parts.status(columns)] : []
  const rule: Line[] = rows >= 10 ? [[{ text: '─'.repeat(columns), role: 'border' }]] : []
  const most = Math.max(1, rows - status.length - rule.length - keptRows(rows))
  const panel = parts.panel({ width, rows: most })
  const typed = panel.lines.slice(0, most)
  const above = upperPart(parts, { width, rows: rows - status.length - rule.length - typed.length }, layout, t)
  const lines = [...above.map(inset), ...rule, ...typed.map(inset), ...status]
  const top = above.length + rule.length
  const cursor = panel.cursor && {
    row: Math.min(rows - 1, top + panel.cursor.row),
    column: Math.min(columns - 1, margin + panel.cursor.column),
  }
  return { lines, ...(cursor ? { cursor } : {}) }
}

/** Rows of the transcript that are seen whatever one types. */
function keptRows(rows: number): number {
  if (rows > 4) return 2
  return rows > 1 ? 1 : 0
}

/** The transcript, and what stands between it and the place where one types. */
function upperPart(parts: FrameParts, { width, rows }: Room, layout: TextLayout, t: Translate): readonly Line[] {
  let left = rows
  const take = (lines: readonly Line[], keep: number): readonly Line[] => {
    const taken = lines.slice(0, Math.max(0, left - keep))
    left -= taken.length
    return taken
  }
  const indicator = take(parts.indicator ? [[], parts.indicator].slice(parts.rows < 16 ? 1 : 0) : [], 1)
  const toasts = take(parts.toasts, 1)
  const queue = take(queueLines(parts.queue, width, layout, t), 3)
  const widgets = take(parts.rows < 12 ? [] : parts.widgets({ width, rows: Math.floor(parts.rows / 4) }), 4)
  const view = parts.transcript({ width, rows: left })
  const shown = [...view.lines]
  if (view.fresh > 0 && shown.length > 0) shown[shown.length - 1] = hint(view.fresh, width, layout, t)
  const blank = Array.from({ length: left - shown.length }, (): Line => [])
  return [...shown, ...blank, ...widgets, ...queue, ...toasts, ...indicator]
}

/** A screen over everything, with its keys in the last row. */
export function screenFrame(
  view: ScreenView,
  { columns, rows }: Pick<FrameParts, 'columns' | 'rows'>,
  layout: TextLayout,
): ScreenPicture {
  const room = { width: columns, rows: Math.max(1, rows - 1) }
  const lines = view.lines(room).slice(0, room.rows)
  if (rows < 2) return { lines }
  const blank = Array.from({ length: room.rows - lines.length }, (): Line => [])
  const keys = layout.pad([{ text: ` ${view.keys}`, role: 'status' }], columns)
  return { lines: [...lines.map((line) => layout.cut(line, columns)), ...blank, keys] }
}

function queueLines(queue: readonly QueuedMessage[], width: number, layout: TextLayout, t: Translate): Line[] {
  const line = (text: string): Line => layout.cut([{ text, role: 'dim' }], width)
  const lines = queue
    .slice(0, MOST_QUEUE)
    .map(({ text }) => line(`⋯ ${layout.clean(text.slice(0, QUEUE_CHARACTERS).replace(/\s+/g, ' '), 'visible')}`))
  const count = queue.length - MOST_QUEUE
  if (count > 0) lines.push(line(`  ${t('{count, plural, one {# more waits} other {# more wait}}', { count })}`))
  return lines
}

function hint(count: number, width: number, layout: TextLayout, t: Translate): Line {
  const said = t('{count, plural, one {# new line} other {# new lines}} · End', { count })
  const text = ` ↓ ${count === MOST_NEW ? said.replace(String(MOST_NEW), `${MOST_NEW}+`) : said} `
  const cut = layout.cut([{ text, role: 'selected' }], width)
  const gap = Math.max(0, width - layout.lineWidth(cut))
  return gap > 0 ? [{ text: ' '.repeat(gap >> 1) }, ...cut] : cut
}
