/** The screen: what is selected, what keys do, and that it follows the board while it is open. */
import { errorMessage, type Logger, logFault, type Registration } from 'svc/sdk'
import {
  type Boards,
  TASK_STATUSES,
  type TaskCard,
  type TaskDetails,
  type TaskMove,
  type TaskStatus,
} from 'svc/sdk/kanban'
import type { OverlayView, StyledLine, TextLayout, TuiContext } from 'svc/sdk/terminal'
import { drawBoard } from './draw-board.ts'
import { drawDetails } from './draw-details.ts'

const STATUSES = TASK_STATUSES.filter((status) => status !== 'archived')
const MAX_TASKS = 5000
const KEYS = 'Arrows · Enter details · m move · Esc close'
const DETAIL_KEYS = 'Up, Down · m move · Esc back'

export interface BoardScreenDeps {
  readonly boards: Boards
  readonly layout: TextLayout
  readonly log: Logger
  readonly ui: TuiContext
}

export interface Column {
  readonly status: TaskStatus
  readonly tasks: readonly TaskCard[]
}

export function openBoardScreen(deps: BoardScreenDeps): OverlayView {
  const screen = new BoardScreen(deps)
  return {
    get keys() {
      return screen.keys
    },
    lines: (room) => screen.lines(room),
    input: (input) => (input.type === 'key' && !input.released ? screen.key(input.name) : screen.text(input)),
    close: () => screen.close(),
  }
}

class BoardScreen {
  readonly #deps: BoardScreenDeps
  #board = ''
  #columns: readonly Column[] = STATUSES.map((status) => ({ status, tasks: [] }))
  #column = 0
  /** The task, so that it stays selected when others come and go; and where it was, for when it goes. */
  #task: string | undefined
  #row = 0
  #details: { readonly of: TaskDetails; scroll: number } | undefined
  #note: StyledLine | undefined
  #watching: Registration | undefined
  #reading: Promise<void> | undefined
  #isDirty = false
  #isClosed = false

  constructor(deps: BoardScreenDeps) {
    this.#deps = deps
    this.#run(() => this.#open())
  }

  get keys(): string {
    return this.#details ? DETAIL_KEYS : KEYS
  }

  lines({ width, rows }: { readonly width: number; readonly rows: number }): readonly StyledLine[] {
    const { layout } = this.#deps
    const details = this.#details
    const room = { width, rows: rows - (this.#note ? 1 : 0) }
    if (details) {
      const all = drawDetails(layout, details.of, width)
      details.scroll = Math.max(0, Math.min(details.scroll, all.length - room.rows))
      return this.#withNote(all.slice(details.scroll, details.scroll + room.rows), width)
    }
    const shown = { board: this.#board, columns: this.#columns, column: this.#column, row: this.#rowNow() }
    return this.#withNote(drawBoard(layout, shown, room), width)
  }

  text(input: { readonly type: string; readonly text?: string }): 'taken' | 'ignored' {
    return input.type === 'text' && input.text !== undefined ? this.key(input.text) : 'ignored'
  }

  key(name: string): 'taken' | 'ignored' {
    this.#note = undefined
    if (this.#details && name === 'escape') {
      this.#details = undefined
      return 'taken'
    }
    const actions: Readonly<Record<string, () => void>> = {
      left: () => this.#go(-1, 0),
      right: () => this.#go(1, 0),
      up: () => this.#go(0, -1),
      down: () => this.#go(0, 1),
      enter: () => this.#run(() => this.#showDetails()),
      m: () => this.#run(() => this.#move()),
    }
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    action?.()
    return action ? 'taken' : 'ignored'
  }

  close(): void {
    this.#isClosed = true
    void this.#watching?.()
  }

  #withNote(lines: readonly StyledLine[], width: number): readonly StyledLine[] {
    return this.#note ? [...lines, this.#deps.layout.cut(this.#note, width)] : lines
  }

  #selected(): TaskCard | undefined {
    return this.#columns[this.#column]?.tasks[this.#rowNow()]
  }

  #rowNow(): number {
    const tasks = this.#columns[this.#column]?.tasks ?? []
    const found = tasks.findIndex(({ id }) => id === this.#task)
    return found >= 0 ? found : Math.max(0, Math.min(this.#row, tasks.length - 1))
  }

  #go(columns: number, rows: number): void {
    if (this.#details) {
      this.#details.scroll += rows
      return
    }
    this.#row = this.#rowNow() + rows
    this.#column = Math.max(0, Math.min(STATUSES.length - 1, this.#column + columns))
    this.#task = undefined
    this.#row = this.#rowNow()
    this.#task = this.#selected()?.id
  }

  async #open(): Promise<void> {
    this.#board = (await this.#deps.boards.board()).slug
    const watching = await this.#deps.boards.watch((board) => {
      if (board === undefined || board === this.#board) this.#changed()
    })
    if (this.#isClosed) return void watching()
    this.#watching = watching
    await this.#read()
    const first = this.#columns.findIndex(({ status, tasks }) => status !== 'done' && tasks.length > 0)
    if (this.#task === undefined && first >= 0) this.#column = first
    this.#task = this.#selected()?.id
    this.#deps.ui.redraw()
  }

  /** One reading at a time; a change meanwhile is read after it. */
  #changed(): void {
    this.#isDirty = true
    if (this.#reading || this.#isClosed) return
    this.#reading = this.#followUp().finally(() => {
      this.#reading = undefined
    })
  }

  async #followUp(): Promise<void> {
    while (this.#isDirty && !this.#isClosed) {
      this.#isDirty = false
      await this.#guard(() => this.#read())
    }
  }

  async #read(): Promise<void> {
    const { boards, ui } = this.#deps
    const { tasks } = await boards.list({ board: this.#board, sort: 'dispatch', limit: MAX_TASKS })
    this.#row = this.#rowNow()
    this.#columns = STATUSES.map((status) => ({ status, tasks: tasks.filter((task) => task.status === status) }))
    const open = this.#details?.of.task.id
    if (this.#details && open !== undefined) this.#details = { ...this.#details, of: await boards.details(open) }
    ui.redraw()
  }

  async #showDetails(): Promise<void> {
    const id = this.#selected()?.id
    if (id === undefined || this.#details) return
    this.#details = { of: await this.#deps.boards.details(id), scroll: 0 }
    this.#deps.ui.redraw()
  }

  async #move(): Promise<void> {
    const { boards, ui } = this.#deps
    const id = this.#details?.of.task.id ?? this.#selected()?.id
    if (id === undefined) return
    const moves = await boards.moves(id)
    const items = moves.map(({ verb, to }: TaskMove) => ({ id: to, label: to, detail: verb }))
    if (items.length === 0) {
      this.#say('It cannot be moved from here.', 'dim')
      return
    }
    const chosen = await ui.choose({ title: `Move ${id} to`, items })
    const to = moves.find((move) => move.to === chosen)?.to
    if (to === undefined) return
    const after = await boards.move(id, { to, by: 'screen' })
    this.#say(`${id} is ${after.status} now.`, 'ok')
    this.#changed()
  }

  #run(work: () => Promise<void>): void {
    void this.#guard(work)
  }

  /** What the board refuses is shown, and the screen stays. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      logFault(this.#deps.log, 'the board could not be shown or changed', error)
      this.#say(errorMessage(error), 'error')
    }
  }

  #say(text: string, role: 'ok' | 'dim' | 'error'): void {
    this.#note = [{ text: this.#deps.layout.clean(text).replace(/\s+/g, ' '), role }]
    if (!this.#isClosed) this.#deps.ui.redraw()
  }
}
