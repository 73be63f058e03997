/** Columns side by side, as many as there is room for; the selected one is always among them. */
import type { TaskCard, TaskStatus } from 'svc/sdk/kanban'
import type { StyledLine, StyledSpan, TextLayout, ThemeColor } from 'svc/sdk/terminal'
import type { Column } from './board-screen.ts'

const MIN_WIDTH = 18
const GAP = ' │ '

const ROLES: Readonly<Partial<Record<TaskStatus, ThemeColor>>> = {
  running: 'accent',
  blocked: 'error',
  done: 'ok',
}

export interface ShownBoard {
  readonly board: string
  readonly columns: readonly Column[]
  readonly column: number
  readonly row: number
}

export function drawBoard(
  layout: TextLayout,
  { board, columns, column, row }: ShownBoard,
  { width, rows }: { readonly width: number; readonly rows: number },
): readonly StyledLine[] {
  const count = Math.max(1, Math.min(columns.length, Math.floor((width + GAP.length) / (MIN_WIDTH + GAP.length))))
  const first = Math.max(0, Math.min(column - Math.floor(count / 2), columns.length - count))
  const cells = Math.max(1, Math.floor((width - GAP.length * (count - 1)) / count))
  const height = Math.max(1, rows - 3)
  const shown = columns.slice(first, first + count).map((each, at) => {
    return drawColumn(layout, each, { width: cells, height, row: first + at === column ? row : undefined })
  })
  const lines = Array.from({ length: height + 1 }, (_, line) =>
    shown.flatMap((lines, at): StyledSpan[] => [
      ...(at === 0 ? [] : [{ text: GAP, role: 'border' } as const]),
      ...layout.pad(lines[line] ?? [], cells),
    ]),
  )
  const selected = columns[column]?.tasks[row]
  return [
    layout.cut(drawTitle(board, columns, column), width),
    ...lines,
    layout.cut(selected ? describe(layout, selected) : [{ text: 'No task is selected.', role: 'dim' }], width),
  ].slice(0, rows)
}

/** All columns with the number of their tasks: a narrow screen shows only some of them. */
function drawTitle(board: string, columns: readonly Column[], column: number): StyledLine {
  const counts = columns.flatMap(({ status, tasks }, at): StyledSpan[] => {
    if (tasks.length === 0 && at !== column) return []
    const text = at === column ? `  [${status} ${tasks.length}]` : `  ${status} ${tasks.length}`
    return [{ text, role: at === column ? 'accent' : 'dim', bold: at === column }]
  })
  return [{ text: board, role: 'heading', bold: true }, ...counts]
}

function drawColumn(
  layout: TextLayout,
  { status, tasks }: Column,
  { width, height, row }: { readonly width: number; readonly height: number; readonly row: number | undefined },
): readonly StyledLine[] {
  const first = Math.max(0, Math.min((row ?? 0) - Math.floor(height / 2), tasks.length - height))
  const cards = tasks.slice(first, first + height).map((task, at): StyledLine => {
    const isSelected = row === first + at
    const line = layout.cut([{ text: `${isSelected ? '›' : ' '} ${oneLine(layout, task.title)}` }], width)
    return isSelected ? layout.pad(line, width).map((span) => ({ ...span, role: 'selected' })) : line
  })
  const heading: StyledSpan = { text: `${status} ${tasks.length}`, role: ROLES[status] ?? 'heading', bold: true }
  return [layout.cut([heading], width), ...cards]
}

function describe(layout: TextLayout, task: TaskCard): StyledLine {
  const remark = task.blockReason ?? task.lastError ?? task.summary
  const facts = [
    ...[task.id, task.status, task.assignee ?? 'unassigned'],
    ...(task.priority === 0 ? [] : [`priority ${task.priority}`]),
    ...(task.failures === 0 ? [] : [`failed ${task.failures}x`]),
    ...(task.isVerified === false ? ['not verified'] : []),
    ...(remark === undefined ? [] : [oneLine(layout, remark)]),
  ]
  return [{ text: facts.join(' · '), role: 'dim' }]
}

export function oneLine(layout: TextLayout, text: string): string {
  return layout.clean(text.slice(0, 1000)).replace(/\s+/g, ' ').trim()
}
