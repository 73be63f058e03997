/** `processes`: what runs in the background for this session, and what it writes. */
import { Clock, createTranslator, errorMessage, type PluginContext, Secrets } from 'svc/sdk'
import { type BackgroundProcess, BackgroundProcesses } from 'svc/sdk/shell'
import { type OverlayView, type StyledLine, TextLayout, type TuiContext } from 'svc/sdk/terminal'
import { List, type Room, type Row } from './list.ts'
import { listScreen } from './list-screen.ts'
import { every } from './live.ts'
import { age, matches, toPlainLine } from './text.ts'

const EVERY_MS = 1000
/** Characters of output that are looked at. */
const MAX_OUTPUT = 20_000

export function processesScreen(ctx: PluginContext<undefined>, ui: TuiContext): OverlayView {
  const t = createTranslator(ctx)
  const screen = new ProcessesScreen(ctx, ui)
  return listScreen({
    list: screen.list,
    keys: () => (screen.list.selected ? t('k k end it · / filter · Esc close') : t('Esc close')),
    key: (name, process) => screen.key(name, process),
    note: () => screen.note(),
    close: () => screen.close(),
  })
}

class ProcessesScreen {
  readonly list: List<BackgroundProcess>
  readonly close: () => void
  readonly #ctx: PluginContext<undefined>
  readonly #ui: TuiContext
  readonly #layout: TextLayout
  #all: readonly BackgroundProcess[] = []
  #output = { id: '', text: '' }
  #doomed: string | undefined
  #problem: string | undefined
  #isReading = false

  constructor(ctx: PluginContext<undefined>, ui: TuiContext) {
    this.#ctx = ctx
    this.#ui = ui
    this.#layout = ctx.use(TextLayout)
    const t = createTranslator(ctx)
    const model = {
      title: t('Background processes'),
      items: (filter: string) => this.#all.filter(({ command }) => matches(command.toLowerCase(), filter.trim())),
      id: ({ id }: BackgroundProcess) => id,
      row: (process: BackgroundProcess) => this.#row(process),
      details: (process: BackgroundProcess | undefined, room: Room) => this.#tail(process, room),
      detailRows: (rows: number) => Math.floor(rows / 2),
      empty: (filter: string) => (filter === '' ? t('Nothing runs in the background') : t('Nothing found')),
    }
    this.list = new List(this.#layout, model, 'list')
    this.close = every(ctx, EVERY_MS, () => this.#refresh())
    this.#refresh()
  }

  key(name: string, process: BackgroundProcess | undefined): 'taken' | 'ignored' {
    const doomed = this.#doomed
    this.#doomed = undefined
    this.#problem = undefined
    if (name === 'escape') return doomed === undefined ? 'ignored' : 'taken'
    if (name === 'up' || name === 'down') queueMicrotask(() => this.#refresh())
    if (name !== 'k') return 'ignored'
    if (process?.status !== 'running') return 'taken'
    if (doomed === process.id) this.#kill(process.id)
    else this.#doomed = process.id
    return 'taken'
  }

  note(): StyledLine | undefined {
    const t = createTranslator(this.#ctx)
    if (this.#doomed !== undefined) return [{ text: t('Press k again to end it.'), role: 'warning' }]
    return this.#problem === undefined ? undefined : [{ text: this.#problem, role: 'error' }]
  }

  #refresh(): void {
    if (this.#isReading) return
    this.#isReading = true
    this.#read()
      .catch((error: unknown) => {
        this.#ctx.log.warn(`processes are not followed any more: ${errorMessage(error)}`, { error })
        this.close()
      })
      .finally(() => {
        this.#isReading = false
      })
  }

  async #read(): Promise<void> {
    const processes = this.#ctx.find(BackgroundProcesses)
    if (!processes) return
    this.#all = (await processes.list(this.#ui.conversation.sessionId)).toReversed()
    this.list.changed()
    const { selected } = this.list
    if (selected) {
      const { text } = await processes.output(selected.id)
      this.#output = { id: selected.id, text: this.#ctx.use(Secrets).mask(text) }
    }
    this.#ui.redraw()
  }

  #kill(id: string): void {
    const ended = this.#ctx.use(BackgroundProcesses).kill(id)
    const failed = (error: unknown) => {
      this.#problem = toPlainLine(this.#layout, errorMessage(error))
    }
    ended.catch(failed).finally(() => this.#refresh())
  }

  #row({ command, status, exitCode, startedAt }: BackgroundProcess): Row {
    const isRunning = status === 'running'
    const failed = !isRunning && exitCode !== 0
    const role = isRunning ? 'ok' : failed ? 'error' : 'dim'
    const state = isRunning ? age(this.#ctx.use(Clock).now() - startedAt) : `exit ${exitCode ?? '?'}`
    return {
      left: [{ text: isRunning ? '● ' : failed ? '✗ ' : '○ ', role }, { text: toPlainLine(this.#layout, command) }],
      right: [{ text: state, role: 'dim' }],
    }
  }

  /** The last lines it wrote; of a line that was written over, what it was in the end. */
  #tail(process: BackgroundProcess | undefined, { rows }: Room): readonly StyledLine[] {
    if (!process || this.#output.id !== process.id) return []
    const text = this.#output.text.slice(-MAX_OUTPUT).replace(/\r+\n/g, '\n')
    const last = (line: string) => line.slice(line.replace(/\r+$/, '').lastIndexOf('\r') + 1)
    const lines = this.#layout.clean(text.split('\n').map(last).join('\n')).trimEnd().split('\n')
    return lines.slice(-rows).map((line): StyledLine => [{ text: line, role: 'code-block' }])
  }
}
