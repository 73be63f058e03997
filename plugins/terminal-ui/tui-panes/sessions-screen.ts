/** `sessions`: all of them, read a page at a time, to switch to, rename and remove. */
import { createReadStream } from 'node:fs'
import { homedir } from 'node:os'
import { createInterface } from 'node:readline'
import {
  Clock,
  createTranslator,
  type Dispose,
  errorCode,
  errorMessage,
  logFault,
  type PluginContext,
  type SessionSummary,
  Sessions,
} from 'svc/sdk'
import type { SessionArchive, SessionSearchResult } from 'svc/sdk/sessions'
import { shellQuote } from 'svc/sdk/shell'
import {
  abbreviateHome,
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
import { age, folderText, localTime, matches, tailThatFits, toPlainLine } from './text.ts'

const PAUSE_MS = 250
/** Sessions that are there when the screen opens: more than any terminal has lines. */
const FIRST_PAGE = 100
/** Sessions that are read at once later, and the time between two pages, in which keys are heard. */
const PAGE = 300
const PAGE_PAUSE_MS = 5
const MAX_HITS = 100
/** Held by the program with itself. */
const INNER = ['subagent', 'tool']
/** Columns from which on messages, and the folder, stand beside the title. */
const WITH_COUNT = 50
const WITH_FOLDER = 90
const FOLDER_WIDTH = 32

/** A session, and the place in it that was found. */
interface Entry {
  readonly session: SessionSummary
  readonly title: string
  /** In lower case, for the filter. */
  readonly words: string
  readonly hit?: SessionSearchResult
}

export function sessionsScreen(ctx: PluginContext<undefined>, ui: TuiContext): OverlayView {
  const screen = new SessionsScreen(ctx, ui)
  return listScreen({
    list: screen.list,
    keys: () => screen.keys(),
    key: (name, entry) => screen.key(name, entry),
    before: (input) => screen.before(input),
    note: () => screen.note(),
    close: () => screen.close(),
  })
}

class SessionsScreen {
  readonly list: List<Entry>
  readonly #ctx: PluginContext<undefined>
  readonly #ui: TuiContext
  readonly #layout: TextLayout
  /** The one used last comes first. */
  #entries = new Map<string, Entry>()
  #hits: { readonly filter: string; readonly entries: readonly Entry[] } = { filter: '', entries: [] }
  #cancelSearch: Dispose = () => {}
  #cancelPage: Dispose = () => {}
  #edit: { readonly id: string; readonly line: LineEdit } | undefined
  /** The session that goes when `d` is typed once more. */
  #doomed: string | undefined
  /** The session that was removed last, and the file with its copy. */
  #removed: { readonly id: string; readonly backup: string } | undefined
  #said: StyledSpan | undefined

  constructor(ctx: PluginContext<undefined>, ui: TuiContext) {
    this.#ctx = ctx
    this.#ui = ui
    this.#layout = ctx.use(TextLayout)
    const t = createTranslator(ctx)
    const model = {
      title: t('Sessions'),
      items: (filter: string) => this.#items(filter),
      id: (entry: Entry) => entry.session.id,
      row: (entry: Entry, width: number) => this.#row(entry, width),
      details: (entry: Entry | undefined) => this.#details(entry),
      empty: (filter: string) => (filter === '' ? t('No sessions yet') : t('Nothing found')),
      filtered: (filter: string) => this.#search(filter),
    }
    this.list = new List(this.#layout, model, 'filter')
    this.#loadPage(0)
    if (!this.#entries.has(ui.conversation.sessionId)) this.#refresh(ui.conversation.sessionId)
    this.list.select(ui.conversation.sessionId)
  }

  keys(): string {
    const t = createTranslator(this.#ctx)
    if (this.#edit) return t('Enter rename · Esc cancel')
    if (this.list.typing) return t('Enter open · ↓ list · Esc close')
    return this.#removed ? t('Enter · r rename · d d remove · u undo') : t('Enter · r rename · d d remove · Esc')
  }

  before(input: TerminalInput): 'taken' | undefined {
    if (!this.#edit || input.type === 'resize' || input.type === 'closed') return undefined
    const { id, line } = this.#edit
    const state = line.input(input)
    if (state === 'going-on') return 'taken'
    this.#edit = undefined
    if (state === 'done' && line.text !== '') this.#change(id, () => this.#sessions.rename(id, line.text))
    return 'taken'
  }

  key(name: string, entry: Entry | undefined): 'taken' | 'ignored' | 'close' {
    const doomed = this.#doomed
    this.#doomed = undefined
    this.#said = undefined
    if (name === 'escape') return doomed === undefined ? 'ignored' : 'taken'
    if (name === 'u' && this.#removed) {
      void this.#bringBack(this.#removed)
      return 'taken'
    }
    if (!entry) return 'ignored'
    switch (name) {
      case 'enter':
        return this.#open(entry)
      case 'r':
        return this.#rename(entry)
      case 'd':
        return this.#remove(entry, doomed)
      default:
        return 'ignored'
    }
  }

  note(): StyledLine | undefined {
    const t = createTranslator(this.#ctx)
    if (this.#edit) return this.#edit.line.line
    if (this.#doomed !== undefined)
      return [{ text: t('Press d again to remove it; a copy goes to the trash.'), role: 'warning' }]
    return this.#said && [this.#said]
  }

  close(): void {
    this.#cancelSearch()
    this.#cancelPage()
  }

  get #sessions(): Sessions {
    return this.#ctx.use(Sessions)
  }

  /** The first page is there when the screen opens; the others follow while it is looked at. */
  #loadPage(offset: number): void {
    const limit = offset === 0 ? FIRST_PAGE : PAGE
    const page = this.#sessions.list({ limit, offset })
    for (const session of page) {
      // One that is there already was used meanwhile, or is the open one.
      this.#entries.delete(session.id)
      if (this.#isShown(session)) this.#entries.set(session.id, this.#createEntry(session))
    }
    this.#keepBehind(page.at(-1))
    this.list.changed()
    if (page.length < limit) return
    this.#cancelPage = this.#later(PAGE_PAUSE_MS, () => {
      this.#loadPage(offset + limit)
      this.#ui.redraw()
    })
  }

  /** The open session is shown from the beginning: behind what was read, until its own page is. */
  #keepBehind(last: SessionSummary | undefined): void {
    const { sessionId } = this.#ui.conversation
    const open = this.#entries.get(sessionId)
    if (!open || !last || last.id === sessionId || open.session.updatedAt >= last.updatedAt) return
    this.#entries.delete(sessionId)
    this.#entries.set(sessionId, open)
  }

  /** Shows one session as it is now. */
  #refresh(id: string): void {
    const session = this.#summary(id)
    if (session && this.#entries.get(id)?.session.updatedAt === session.updatedAt) {
      this.#entries.set(id, this.#createEntry(session))
      this.list.changed()
      return
    }
    const others = [...this.#entries].filter(([each]) => each !== id)
    if (session && this.#isShown(session)) {
      const after = others.findIndex(([, each]) => each.session.updatedAt <= session.updatedAt)
      others.splice(after < 0 ? others.length : after, 0, [id, this.#createEntry(session)])
    }
    this.#entries = new Map(others)
    this.list.changed()
  }

  #summary(id: string): SessionSummary | undefined {
    try {
      return this.#sessions.summary(id)
    } catch (error) {
      if (errorCode(error) === 'SESSION_NOT_FOUND') return undefined
      throw error
    }
  }

  #isShown({ id, surface, messageCount }: SessionSummary): boolean {
    return id === this.#ui.conversation.sessionId || (messageCount > 0 && !INNER.includes(surface))
  }

  #createEntry(session: SessionSummary): Entry {
    const title = toPlainLine(this.#layout, session.title ?? '', 300)
    return { session, title, words: createFilterText(session, title) }
  }

  /** First those whose title or folder fits, then those in which it was said. */
  #items(filter: string): readonly Entry[] {
    const all = [...this.#entries.values()]
    if (filter.trim() === '') return all
    const found = all.filter(({ words }) => matches(words, filter.trim()))
    if (this.#hits.filter !== filter) return found
    const known = new Set(found.map(({ session }) => session.id))
    return [...found, ...this.#hits.entries.filter(({ session }) => !known.has(session.id))]
  }

  #search(filter: string): void {
    this.#cancelSearch()
    if (this.#layout.width(filter.trim()) < 2) return
    const find = () => {
      const hits = new Map<string, SessionSearchResult>()
      for (const hit of this.#sessions.search(filter, { limit: MAX_HITS }))
        if (!hits.has(hit.sessionId)) hits.set(hit.sessionId, hit)
      const entries = [...hits].flatMap(([id, hit]) => {
        const entry = this.#entries.get(id) ?? this.#notRead(id)
        return entry ? [{ ...entry, hit }] : []
      })
      this.#hits = { filter, entries: entries.toSorted((a, b) => b.session.updatedAt - a.session.updatedAt) }
      this.list.changed()
      this.#ui.redraw()
    }
    this.#cancelSearch = this.#later(PAUSE_MS, find)
  }

  /** A session whose page was not read yet. */
  #notRead(id: string): Entry | undefined {
    const session = this.#summary(id)
    return session && this.#isShown(session) ? this.#createEntry(session) : undefined
  }

  #later(ms: number, work: () => void): Dispose {
    const { signal } = this.#ctx
    const cancel = this.#ctx.use(Clock).after(
      ms,
      () => {
        signal.removeEventListener('abort', stop)
        this.#attempt(work)
      },
      { background: true },
    )
    const stop = () => {
      cancel()
      signal.removeEventListener('abort', stop)
    }
    signal.addEventListener('abort', stop, { once: true })
    return stop
  }

  #row({ session, title, hit }: Entry, width: number): Row {
    const t = createTranslator(this.#ctx)
    const isCurrent = session.id === this.#ui.conversation.sessionId
    const time = age(this.#ctx.use(Clock).now() - session.updatedAt).padStart(4)
    const folder = tailThatFits(this.#layout, folderText(this.#layout, session.cwd), FOLDER_WIDTH - 2)
    return {
      left: [
        ...(isCurrent ? [{ text: '• ', role: 'ok' } as const] : []),
        title === '' ? { text: t('untitled'), role: 'dim' } : { text: title },
        ...(hit ? [{ text: '  ' }, ...this.#snippet(hit)] : []),
      ],
      right: [
        ...(width < WITH_FOLDER ? [] : this.#layout.pad([{ text: folder, role: 'dim' }], FOLDER_WIDTH)),
        ...(width < WITH_COUNT ? [] : [{ text: String(session.messageCount).padStart(7), role: 'number' } as const]),
        { text: ` ${time}`, role: 'dim' },
      ],
    }
  }

  /** What was found is marked. */
  #snippet({ snippet }: SessionSearchResult): StyledLine {
    return toPlainLine(this.#layout, snippet)
      .split(/(>>>.*?<<<)/)
      .filter((part) => part !== '')
      .map((part) => {
        const found = /^>>>(.*)<<<$/.exec(part)?.[1]
        return found === undefined ? { text: part, role: 'dim' } : { text: found, role: 'accent' }
      })
  }

  #details(entry: Entry | undefined): readonly StyledLine[] {
    if (!entry) return []
    const { session, hit } = entry
    const facts = [session.id, session.surface, localTime(session.updatedAt)].map((fact) =>
      toPlainLine(this.#layout, fact),
    )
    const second: StyledLine = hit ? this.#snippet(hit) : [{ text: folderText(this.#layout, session.cwd), role: 'dim' }]
    return [[{ text: facts.join(' · '), role: 'dim' }], second]
  }

  #open({ session }: Entry): 'close' {
    if (session.id !== this.#ui.conversation.sessionId)
      this.#ui.conversation.switchTo(session.id).catch((error: unknown) => {
        this.#ui.toast(this.#failed('a session could not be opened', error), 'error')
      })
    return 'close'
  }

  #rename({ session, title }: Entry): 'taken' {
    const t = createTranslator(this.#ctx)
    this.#edit = { id: session.id, line: new LineEdit(this.#layout, t('New title:'), title) }
    return 'taken'
  }

  #remove({ session: { id } }: Entry, doomed: string | undefined): 'taken' {
    const t = createTranslator(this.#ctx)
    if (id === this.#ui.conversation.sessionId)
      this.#said = { text: t('This session is open; switch to another one first.'), role: 'warning' }
    else if (doomed !== id) this.#doomed = id
    else void this.#removeKept(id)
    return 'taken'
  }

  async #removeKept(id: string): Promise<void> {
    const t = createTranslator(this.#ctx)
    try {
      const { backup } = await this.#sessions.remove([id])
      if (backup !== undefined) {
        this.#removed = { id, backup }
        const command = toPlainLine(this.#layout, `svc sessions import ${shellQuote(backup)}`)
        this.#said = { text: t('Removed. u brings it back; later: {command}', { command }), role: 'ok' }
      }
    } catch (error) {
      this.#said = { text: this.#failed('a session could not be removed', error), role: 'error' }
    }
    this.#change(id, () => {})
    this.#ui.redraw()
  }

  async #bringBack({ id, backup }: { readonly id: string; readonly backup: string }): Promise<void> {
    this.#removed = undefined
    try {
      this.#sessions.import(await findCopy(backup, id))
    } catch (error) {
      this.#removed = { id, backup }
      this.#said = { text: this.#failed('a session could not be restored', error), role: 'error' }
    }
    this.#change(id, () => {})
    this.list.select(id)
    this.#ui.redraw()
  }

  /** The list shows what is there then, whether or not it went well. */
  #change(id: string, work: () => void): void {
    this.#attempt(work)
    this.#attempt(() => this.#refresh(id))
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#said = { text: this.#failed('the list of sessions could not be changed', error), role: 'error' }
    }
  }

  /** What is said of it; the log has the rest. */
  #failed(what: string, error: unknown): string {
    logFault(this.#ctx.log, what, error)
    return toPlainLine(this.#layout, errorMessage(error))
  }
}

/** What the filter looks in; a folder is found by what is shown of it, and by its whole path. */
function createFilterText({ cwd, id }: SessionSummary, title: string): string {
  return [title, cwd, abbreviateHome(cwd, homedir()), id].join('\n').toLowerCase()
}

/** A copy that a removal left: a session is a line of the file, which is read while keys are heard. */
async function findCopy(backup: string, id: string): Promise<SessionArchive> {
  for await (const line of createInterface({ input: createReadStream(backup) })) {
    const archive = JSON.parse(line) as SessionArchive
    if (archive.session.id === id) return archive
  }
  throw new Error(`The copy of session "${id}" is no longer in ${backup}.`)
}
