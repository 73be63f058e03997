/** A conversation as it is shown: what happened, and where the user looks. */
import { Clock, createTranslator, type PluginContext, type Session, Tools, type TurnEvent } from 'svc/sdk'
import { findView } from 'svc/sdk/kit/views'
import type { ConversationNotice } from 'svc/sdk/sessions'
import { stripAttachments } from 'svc/sdk/sessions'
import type { SessionEntry, Transcript, Transcripts } from 'svc/sdk/terminal'
import { Display, type DisplaySettings, Markdown, type StyledLine, TextLayout, ToolRenderers } from 'svc/sdk/terminal'
import { foldable } from './blocks.ts'
import { customLines } from './custom-lines.ts'
import { storeEntry } from './entries.ts'
import { findBlock } from './message-blocks.ts'
import { recall } from './recall.ts'
import type { RenderContext } from './render-context.ts'
import { type Block, type Entry, empty, listBlocks, reduce, type State } from './state.ts'
import { Window } from './window.ts'

type Options = Parameters<Transcripts['open']>[0]

/** Contract: `Transcript` of the SDK. */
export class TranscriptView implements Transcript {
  readonly #ctx: PluginContext<undefined>
  readonly #options: Options
  readonly #window: Window
  #state: State = empty
  #blocks: readonly Block[] | undefined
  #owners: readonly (number | undefined)[] = []
  #rows = 1

  constructor(ctx: PluginContext<undefined>, options: Options) {
    this.#ctx = ctx
    this.#options = options
    this.#window = new Window(createLook(ctx, options))
  }

  get facts(): Transcript['facts'] {
    const { busy, busySince, provider, model, contextTokens, usage } = this.#state
    const answers = busy && provider !== undefined && model !== undefined ? { provider, model } : undefined
    // A tool without an effect does not report that it begins.
    const running = this.#tool('running') ?? this.#tool('wanted')
    return { busySince, model: answers, contextTokens, usage, running }
  }

  /** The name of the newest call in this state. */
  #tool(state: 'running' | 'wanted'): string | undefined {
    const tool = this.#state.turn.findLast((block) => block.kind === 'tool' && block.call.state === state)
    return tool?.kind === 'tool' ? tool.call.name : undefined
  }

  get selected(): Transcript['selected'] {
    const block = this.#window.selected
    return block && { text: getBlockText(block), foldable: foldable(block) }
  }

  show(event: TurnEvent, images = 0): void {
    this.#take({ event, at: this.#ctx.use(Clock).now(), images })
  }

  say({ text, tone }: ConversationNotice): void {
    this.#take({ block: { kind: 'said', text, tone } })
  }

  typed(text: string): void {
    this.#take({ block: { kind: 'typed', text } })
  }

  addEntry(session: Session, given: SessionEntry): void {
    this.#take({ block: { kind: 'entry', entry: storeEntry(session, given) } })
  }

  recall(session: Session, shown: DisplaySettings['resume_display']): void {
    this.#become(recall(session, shown))
    this.#window.reset()
  }

  answers(): readonly string[] {
    return this.#all().flatMap((block) => (block.kind === 'answer' ? [block.text] : []))
  }

  restyle(): void {
    this.#window.restyle(createLook(this.#ctx, this.#options))
  }

  view({ width, rows }: { readonly width: number; readonly rows: number }): {
    readonly lines: readonly StyledLine[]
    readonly fresh: number
    readonly away: boolean
  } {
    this.#rows = rows
    const { lines, fresh, away, owners } = this.#window.view(this.#all(), width, rows)
    this.#owners = owners
    return { lines, fresh, away }
  }

  scroll(lines: number): void {
    this.#window.scroll(lines)
  }

  page(direction: -1 | 1): void {
    this.#window.scroll(direction * Math.max(1, this.#rows - 1))
  }

  top(): void {
    this.#window.top()
  }

  follow(): void {
    this.#window.follow()
  }

  toggle(which: 'newest' | 'selected' | { readonly row: number }): void {
    const block = this.#find(which)
    if (block && foldable(block)) this.#window.toggle(block.id)
  }

  select(step: -1 | 1): void {
    this.#window.select(step)
  }

  unselect(): void {
    this.#window.unselect()
  }

  find(words: string, step: -1 | 0 | 1): { readonly count: number; readonly at: number } {
    return this.#window.find(words, step, getBlockText)
  }

  scrollTo(session: Session, message: number): boolean {
    const id = findBlock(this.#all(), session.messages(), message)
    if (id === undefined) return false
    this.#window.show(id)
    return true
  }

  #find(which: 'newest' | 'selected' | { readonly row: number }): Block | undefined {
    if (which === 'selected') return this.#window.selected
    if (which === 'newest') return this.#all().findLast(({ kind }) => kind === 'tool')
    const id = this.#owners[which.row]
    return id === undefined ? undefined : this.#all().find((block) => block.id === id)
  }

  #take(entry: Entry): void {
    this.#become(reduce(this.#state, entry))
  }

  #become(state: State): void {
    this.#state = state
    this.#blocks = undefined
  }

  #all(): readonly Block[] {
    this.#blocks ??= listBlocks(this.#state)
    return this.#blocks
  }
}

function createLook(ctx: PluginContext<undefined>, { surface, banner }: Options): RenderContext {
  const display = ctx.use(Display)
  const clock = ctx.use(Clock)
  return {
    layout: ctx.use(TextLayout),
    markdown: ctx.use(Markdown),
    settings: display.settings(surface),
    skin: display.skin(),
    t: createTranslator(ctx),
    view: (tool) => findView({ tools: ctx.all(Tools), views: ctx.all(ToolRenderers) }, tool),
    now: () => clock.now(),
    surface,
    banner,
    custom: (block, room) => customLines(ctx, block, room),
  }
}

/** What is copied of a block. */
function getBlockText(block: Block): string {
  if (block.kind === 'tool') return block.call.text ?? ''
  if (block.kind === 'user') return stripAttachments(block.text).text
  if (block.kind === 'entry') return block.entry.text
  return 'text' in block ? block.text : ''
}
