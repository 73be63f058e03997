/** The whole picture, of its parts, for any size of a terminal. */
import type { QueuedMessage, Translate } from 'svc/sdk'
import type { Frame, OverlayView, StyledLine, TextLayout, Transcript, Widget } from 'svc/sdk/terminal'
import type { Room } from './dialogs.ts'

export type WidgetPlace = NonNullable<Widget['place']>

/** A few rows with a cursor in them. */
export interface Panel {
  readonly lines: readonly StyledLine[]
  readonly cursor?: { readonly row: number; readonly column: number }
}

/** Everything that can be seen. Functions are asked for what fits; the transcript gets what is left. */
export interface FrameInput {
  readonly columns: number
  readonly rows: number
  readonly transcript: (room: Room) => ReturnType<Transcript['view']>
  readonly widgets: (place: WidgetPlace, room: Room) => readonly StyledLine[]
  readonly queue: readonly QueuedMessage[]
  /** What is under way; undefined when nothing is. */
  readonly indicator: StyledLine | undefined
  readonly toasts: readonly StyledLine[]
  /** Where one types, or the dialog in its place. */
  readonly panel: (room: Room) => Panel
  readonly status: ((width: number) => StyledLine) | undefined
  /** What keys do, below the place where one types. */
  readonly hints?: (width: number) => StyledLine
}

const MAX_QUEUE = 3
const QUEUE_CHARACTERS = 1000
/** More new lines are not counted. */
const MAX_NEW = 999
/** Rows from which plugins have lines of their own; each place has a quarter or an eighth of the rows at most. */
const WIDGETS_FROM = 12
/** Rows from which a rule stands above the place where one types. */
const RULE_FROM = 10
/** Rows from which keys are told below it. */
const HINTS_FROM = 16
const SIDE = 1
const SIDES_FROM = 60

/** The conversation. */
export function frame(parts: FrameInput, layout: TextLayout, t: Translate): Frame {
  const { columns, rows } = parts
  const margin = columns >= SIDES_FROM ? SIDE : 0
  const width = columns - 2 * margin
  const space: StyledLine = margin ? [{ text: ' '.repeat(margin) }] : []
  const inset = (line: StyledLine): StyledLine => layout.cut([...space, ...line], columns)
  const status = parts.status && rows >= 4 ? [parts.status(columns)] : []
  const ruled = rows >= RULE_FROM ? 1 : 0
  const hints = parts.hints && rows >= HINTS_FROM ? [inset(parts.hints(width))] : []
  const widgets = (place: WidgetPlace, share: number) =>
    rows < WIDGETS_FROM ? [] : parts.widgets(place, { width, rows: Math.floor(rows / share) }).map(inset)
  const header = widgets('header', 8)
  const footer = widgets('footer', 8)
  const below = widgets('below', 8)
  const taken = status.length + hints.length + ruled + header.length + footer.length + below.length
  const most = Math.max(1, rows - taken - keptRows(rows))
  const panel = parts.panel({ width, rows: most })
  const typed = panel.lines.slice(0, most)
  const { above, hint } = upperPart(parts, { width, rows: rows - taken - typed.length }, layout, t)
  const rule = ruled ? [ruleLine(hint, columns, layout)] : []
  const upper = [...header, ...above.map(inset), ...rule]
  const lines = [...upper, ...typed.map(inset), ...below, ...hints, ...status, ...footer]
  const top = upper.length
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

/** The transcript, and what stands between it and the place where one types; `hint` when its end is not seen. */
function upperPart(
  parts: FrameInput,
  { width, rows }: Room,
  layout: TextLayout,
  t: Translate,
): { readonly above: readonly StyledLine[]; readonly hint: string } {
  let left = rows
  const take = (lines: readonly StyledLine[], keep: number): readonly StyledLine[] => {
    const taken = lines.slice(0, Math.max(0, left - keep))
    left -= taken.length
    return taken
  }
  const indicator = take(parts.indicator ? [[], parts.indicator].slice(parts.rows < 16 ? 1 : 0) : [], 1)
  const toasts = take(parts.toasts, 1)
  const queue = take(queueLines(parts.queue, width, layout, t), 3)
  const widgets = take(
    parts.rows < WIDGETS_FROM ? [] : parts.widgets('above', { width, rows: Math.floor(parts.rows / 4) }),
    4,
  )
  const gap = take(widgets.length + queue.length > 0 && parts.rows >= 12 ? [[]] : [], 4)
  const view = parts.transcript({ width, rows: left })
  const hint = view.fresh > 0 || view.away ? hintText(view.fresh, t) : ''
  const shown = [...view.lines]
  if (hint && parts.rows < RULE_FROM && shown.length > 0)
    shown[shown.length - 1] = layout.cut([{ text: hint, role: 'selected' }], width)
  const blank = Array.from({ length: left - shown.length }, (): StyledLine => [])
  return { above: [...shown, ...blank, ...gap, ...widgets, ...queue, ...toasts, ...indicator], hint }
}

/** Between what is read and where one types; says when there is more to read. */
function ruleLine(hint: string, columns: number, layout: TextLayout): StyledLine {
  const said = layout.cut([{ text: hint, role: 'selected' }], columns)
  const left = Math.max(0, columns - layout.lineWidth(said)) >> 1
  const right = Math.max(0, columns - layout.lineWidth(said) - left)
  const edge = (cells: number): StyledLine => (cells ? [{ text: '─'.repeat(cells), role: 'border' }] : [])
  return hint ? [...edge(left), ...said, ...edge(right)] : edge(columns)
}

/** A screen over everything, with its keys in the last row. */
export function screenFrame(
  view: OverlayView,
  { columns, rows }: Pick<FrameInput, 'columns' | 'rows'>,
  layout: TextLayout,
): Frame {
  const room = { width: columns, rows: Math.max(1, rows - 1) }
  const lines = view.lines(room).slice(0, room.rows)
  const { cursor } = view
  const blinks = cursor && {
    row: Math.max(0, Math.min(room.rows - 1, cursor.row)),
    column: Math.max(0, Math.min(columns - 1, cursor.column)),
  }
  if (rows < 2) return { lines }
  const blank = Array.from({ length: room.rows - lines.length }, (): StyledLine => [])
  const said = layout.cut([{ text: ` ${view.keys}`, role: 'status' }], columns)
  const keys: StyledLine = [...said, { text: ' '.repeat(columns - layout.lineWidth(said)), role: 'status' }]
  return {
    lines: [...lines.map((line) => layout.cut(line, columns)), ...blank, keys],
    ...(blinks && { cursor: blinks }),
  }
}

function queueLines(queue: readonly QueuedMessage[], width: number, layout: TextLayout, t: Translate): StyledLine[] {
  const line = (text: string): StyledLine => layout.cut([{ text, role: 'dim' }], width)
  const lines = queue
    .slice(0, MAX_QUEUE)
    .map(({ text }) => line(`⋯ ${layout.clean(text.slice(0, QUEUE_CHARACTERS).replace(/\s+/g, ' '), 'visible')}`))
  const count = queue.length - MAX_QUEUE
  if (count > 0) lines.push(line(`  ${t('{count, plural, one {# more waits} other {# more wait}}', { count })}`))
  return lines
}

function hintText(count: number, t: Translate): string {
  if (count === 0) return ' ↓ End '
  if (count >= MAX_NEW) return ` ↓ ${MAX_NEW}+ · End `
  return ` ↓ ${t('{count, plural, one {# new line} other {# new lines}} · End', { count })} `
}
