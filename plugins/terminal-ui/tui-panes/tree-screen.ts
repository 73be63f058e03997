/** `tree`: the branches of the conversation with their labels, to go to and to name. */
import { Clock, createTranslator, errorMessage, logFault, type PluginContext, Sessions } from 'svc/sdk'
import { type SessionTreeRow, SessionTrees } from 'svc/sdk/sessions'
import {
  type OverlayView,
  type StyledLine,
  type StyledSpan,
  type TerminalInput,
  TextLayout,
  type TuiContext,
} from 'svc/sdk/terminal'
import { LineEdit } from './line-edit.ts'
import { List, type Row } from './list.ts'
import { listScreen } from './list-screen.ts'
import { age, localTime, matches, toPlainLine } from './text.ts'

const WITH_COUNT = 50

export function treeScreen(ctx: PluginContext<undefined>, ui: TuiContext): OverlayView {
  const screen = new TreeScreen(ctx, ui)
  return listScreen({
    list: screen.list,
    keys: () => screen.keys(),
    key: (name, row) => screen.key(name, row),
    before: (input) => screen.before(input),
    note: () => screen.note(),
  })
}

const getRowId = ({ session, label }: SessionTreeRow) => `${session.id}#${label?.at ?? ''}`

class TreeScreen {
  readonly list: List<SessionTreeRow>
  readonly #ctx: PluginContext<undefined>
  readonly #ui: TuiContext
  readonly #layout: TextLayout
  #rows: readonly SessionTreeRow[] = []
  #edit: { readonly line: LineEdit; readonly save: (text: string) => void } | undefined
  #said: StyledSpan | undefined

  constructor(ctx: PluginContext<undefined>, ui: TuiContext) {
    this.#ctx = ctx
    this.#ui = ui
    this.#layout = ctx.use(TextLayout)
    const t = createTranslator(ctx)
    const model = {
      title: t('Branches'),
      items: (filter: string) => this.#rows.filter((row) => matches(this.#createFilterText(row), filter.trim())),
      id: getRowId,
      row: (row: SessionTreeRow, width: number) => this.#row(row, width),
      details: (row: SessionTreeRow | undefined) => this.#details(row),
      empty: () => t('Nothing found'),
    }
    this.list = new List(this.#layout, model, 'list')
    this.#attempt(() => this.#read())
    this.list.select(`${ui.conversation.sessionId}#`)
  }

  keys(): string {
    const t = createTranslator(this.#ctx)
    return this.#edit ? t('Enter save · Esc cancel') : t('Enter open · l label · r rename · Esc')
  }

  note(): StyledLine | undefined {
    return this.#edit?.line.line ?? (this.#said && [this.#said])
  }

  before(input: TerminalInput): 'taken' | undefined {
    if (!this.#edit || input.type === 'resize' || input.type === 'closed') return undefined
    const { line, save } = this.#edit
    const state = line.input(input)
    if (state === 'going-on') return 'taken'
    this.#edit = undefined
    if (state === 'done')
      this.#attempt(() => {
        save(line.text)
        this.#read()
      })
    return 'taken'
  }

  key(name: string, row: SessionTreeRow | undefined): 'taken' | 'ignored' | 'close' {
    this.#said = undefined
    if (!row) return 'ignored'
    if (name === 'enter') return this.#open(row)
    if (name === 'l') this.#label(row)
    else if (name === 'r' && !row.label) this.#rename(row)
    else return 'ignored'
    return 'taken'
  }

  get #sessions(): Sessions {
    return this.#ctx.use(Sessions)
  }

  #read(): void {
    this.#rows = this.#ctx.find(SessionTrees)?.rows(this.#ui.conversation.sessionId) ?? []
    this.list.changed()
  }

  /** The session itself, or a new branch that begins at the label. */
  #open({ session, label }: SessionTreeRow): 'taken' | 'close' {
    const { conversation } = this.#ui
    const t = createTranslator(this.#ctx)
    if (conversation.busy) {
      this.#said = { text: t('The agent is working. Stop it first, or wait.'), role: 'warning' }
      return 'taken'
    }
    if (!label && session.id === conversation.sessionId) return 'close'
    this.#go(session.id, label).catch((error: unknown) => {
      logFault(this.#ctx.log, 'a session of the tree could not be opened', error)
      this.#ui.toast(errorMessage(error), 'error')
    })
    return 'close'
  }

  async #go(sessionId: string, label: SessionTreeRow['label']): Promise<void> {
    const { conversation } = this.#ui
    if (!label) return conversation.switchTo(sessionId)
    const createBranch = () => {
      const { id } = this.#sessions.branch(sessionId, { at: label.at })
      this.#sessions.rename(id, label.text)
      return id
    }
    await conversation.switchTo(createBranch, 'branch')
    const t = createTranslator(this.#ctx)
    this.#ui.toast(t('You are in a new branch that begins at "{label}".', { label: label.text }))
  }

  /** On a session: its last message. */
  #label({ session, label }: SessionTreeRow): void {
    const t = createTranslator(this.#ctx)
    const at = label?.at
    this.#edit = {
      line: new LineEdit(this.#layout, t('Label:'), label?.text ?? ''),
      save: (text) => void this.#ctx.use(SessionTrees).label(session.id, { text, at }),
    }
  }

  #rename({ session }: SessionTreeRow): void {
    const t = createTranslator(this.#ctx)
    this.#edit = {
      line: new LineEdit(this.#layout, t('New title:'), toPlainLine(this.#layout, session.title ?? '', 300)),
      save: (text) => text !== '' && this.#sessions.rename(session.id, text),
    }
  }

  #row({ guide, session, label }: SessionTreeRow, width: number): Row {
    const t = createTranslator(this.#ctx)
    const lead: StyledSpan = { text: guide, role: 'dim' }
    if (label) {
      const text = { text: toPlainLine(this.#layout, label.text), role: 'accent' } as const
      return { left: [lead, { text: '◆ ', role: 'accent' }, text], right: [{ text: `#${label.at}`, role: 'dim' }] }
    }
    const isCurrent = session.id === this.#ui.conversation.sessionId
    const title = toPlainLine(this.#layout, session.title ?? '', 300)
    const time = age(this.#ctx.use(Clock).now() - session.updatedAt).padStart(4)
    const count = String(session.messageCount).padStart(7)
    return {
      left: [
        lead,
        isCurrent ? { text: '● ', role: 'ok' } : { text: '○ ', role: 'dim' },
        title === '' ? { text: t('untitled'), role: 'dim' } : { text: title },
      ],
      right: [
        ...(width < WITH_COUNT ? [] : [{ text: count, role: 'number' } as const]),
        { text: ` ${time}`, role: 'dim' },
      ],
    }
  }

  #details(row: SessionTreeRow | undefined): readonly StyledLine[] {
    if (!row) return []
    const t = createTranslator(this.#ctx)
    const { session, label } = row
    const from = session.branchedAt
    const begins = from === undefined ? [] : [t('begins after message {at}', { at: from })]
    const facts = [session.id, localTime(session.updatedAt), ...begins].map((fact) => toPlainLine(this.#layout, fact))
    const does = label ? t('Enter continues from here in a new branch.') : ''
    return [[{ text: facts.join(' · '), role: 'dim' }], [{ text: does, role: 'dim' }]]
  }

  #createFilterText({ session, label }: SessionTreeRow): string {
    return (label?.text ?? `${session.title ?? ''}\n${session.id}`).toLowerCase()
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      logFault(this.#ctx.log, 'the tree of sessions could not be read', error)
      this.#said = { text: toPlainLine(this.#layout, errorMessage(error)), role: 'error' }
    }
  }
}
