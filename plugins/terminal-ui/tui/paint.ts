/** The picture of a front end as it is now. */
import { homedir } from 'node:os'
import { type Clock, type Conversation, Models, type PluginContext, Tools, type Translate } from 'svc/sdk'
import type { ConversationNotice } from 'svc/sdk/sessions'
import type { Composer, Frame, TerminalScreen, Transcript } from 'svc/sdk/terminal'
import {
  abbreviateHome,
  Display,
  type DisplaySettings,
  formatDuration,
  StatusItems,
  type StyledLine,
  type TextLayout,
  Widgets,
} from 'svc/sdk/terminal'
import { bannerLines } from './banner.ts'
import type { Dialogs, Room } from './dialogs.ts'
import { frame, type Panel, screenFrame, type WidgetPlace } from './frame.ts'
import { isLine, isLines } from './open-screen.ts'
import { type StatusFacts, statusLine } from './status-bar.ts'
import type { OpenView, Views } from './views.ts'
import { withWindow } from './windows.ts'

/** What is painted. */
export interface Scene {
  readonly ctx: PluginContext<undefined>
  readonly screen: TerminalScreen
  readonly clock: Clock
  readonly layout: TextLayout
  readonly t: Translate
  readonly settings: DisplaySettings
  readonly conversation: Conversation
  readonly composer: Composer
  readonly dialogs: Dialogs
  readonly transcript: Transcript
  readonly views: Pick<Views, 'all' | 'focused'>
  readonly toasts: readonly { readonly text: string; readonly tone: ConversationNotice['tone'] }[]
  readonly model: { readonly provider: string; readonly model: string } | undefined
  readonly isDemo: boolean
  /** Runs code of another plugin; undefined when it fails. */
  attempt<T>(work: () => T): T | undefined
}

/** What stands above everything. */
export function renderBanner(
  scene: Pick<Scene, 'ctx' | 'layout' | 't' | 'settings' | 'conversation' | 'model' | 'isDemo'>,
  width: number,
): readonly StyledLine[] {
  const { ctx, layout, t, settings, conversation, model, isDemo } = scene
  const tools = ctx.all(Tools).all()
  const { cwd, sessionId } = conversation
  const toolsets = new Set(tools.map(({ toolset }) => toolset)).size
  const facts = {
    model: model?.model ?? '…',
    cwd: abbreviateHome(cwd, homedir()),
    sessionId,
    tools: tools.length,
    toolsets,
    isDemo,
  }
  return bannerLines(facts, width, { layout, t, settings, skin: ctx.use(Display).skin() })
}

const VERB_MS = 8000
const URGENT_ORDER = 10
const FACE_MS = 1000
const GLYPH_MS = 150

/** For the size that the terminal has. */
export function paint(scene: Scene): Frame {
  const toasts = toastLines(scene, scene.screen.columns)
  const views = scene.dialogs.current ? [] : scene.views.all
  const lowest = Math.max(0, views.findLastIndex(isFull))
  const full = views[lowest]
  let picture = full && isFull(full) ? fullFrame(scene, full, toasts) : conversationFrame(scene, toasts)
  for (const view of views.slice(lowest)) {
    if (isFull(view)) continue
    const window = { ...view, hasKeys: view === scene.views.focused }
    const below = picture
    picture = scene.attempt(() => withWindow(below, window, scene.screen, scene.layout)) ?? below
  }
  return picture
}

const isFull = ({ place }: OpenView) => (place.anchor ?? 'full') === 'full'

function fullFrame(scene: Scene, { view }: OpenView, toasts: readonly StyledLine[]): Frame {
  const { screen, layout } = scene
  const picture = scene.attempt(() => screenFrame(view, screen, layout))
  return picture ? withToast(picture, toasts.at(-1)) : conversationFrame(scene, toasts)
}

function conversationFrame(scene: Scene, toasts: readonly StyledLine[]): Frame {
  const { layout, t, transcript, dialogs } = scene
  const { columns, rows } = scene.screen
  return frame(
    {
      columns,
      rows,
      transcript: (room) => transcript.view(room),
      widgets: (place, room) => widgetLines(scene, place, room),
      queue: scene.conversation.queue,
      indicator: indicator(scene, columns),
      toasts,
      panel: (room) => panel(scene, room),
      ...(!dialogs.current && { hints: (width: number) => hintLine(scene, width) }),
      status: scene.settings.statusbar ? (width) => statusLine(facts(scene), width, layout, t) : undefined,
    },
    layout,
    t,
  )
}

/** As many keys as there is room for, the most important first. */
function hintLine({ conversation, composer, settings, layout, t }: Scene, width: number): StyledLine {
  const { busy } = conversation
  const enter = { steer: t('Enter hint'), queue: t('Enter queue'), interrupt: t('Enter interrupt') }[
    settings.busy_input_mode
  ]
  const keys = busy
    ? [t('Esc stop'), ...(composer.empty ? [] : [enter]), t('Ctrl-T details'), t('? help')]
    : [t('/ commands'), t('@ files'), t('! shell'), t('Ctrl-X sessions'), t('Ctrl-F find'), t('? help')]
  let line = ''
  for (const key of keys) {
    const longer = line === '' ? key : `${line} · ${key}`
    if (layout.width(longer) <= width) line = longer
  }
  return [{ text: line, role: 'dim' }]
}

function toastLines({ toasts, layout }: Scene, columns: number): readonly StyledLine[] {
  return toasts.map(({ text, tone }) => {
    const said = layout.clean(text, 'visible').replace(/\n/g, ' ')
    return layout.cut([{ text: said, role: tone === 'info' ? 'accent' : tone }], columns)
  })
}

/** Over a screen it stands in the last row but one. */
function withToast({ lines, cursor }: Frame, toast: StyledLine | undefined): Frame {
  const shown = toast && lines.length > 1 ? lines.with(-2, toast) : lines
  return { lines: shown, ...(cursor && { cursor }) }
}

function panel({ ctx, dialogs, composer, t }: Scene, room: Room): Panel {
  if (dialogs.current) return dialogs.current.view(room)
  const { prompt } = ctx.use(Display).skin().branding
  const placeholder = t('Ask something, or / for commands')
  return composer.lines({ ...room, prompt: [{ text: `${prompt} `, role: 'prompt' }], placeholder })
}

function widgetLines(scene: Scene, place: WidgetPlace, room: Room): readonly StyledLine[] {
  const lines: StyledLine[] = []
  const all = scene.ctx.all(Widgets)
  for (const widget of all.all()) {
    if ((widget.place ?? 'above') !== place) continue
    const rows = room.rows - lines.length
    if (rows <= 0) break
    const own = all.attempt(widget, () => widget.lines(scene.conversation, { ...room, rows }).slice(0, rows), isLines)
    lines.push(...(own ?? []))
  }
  return lines
}

function toLine(line: StyledLine | string | undefined): StyledLine | undefined {
  return typeof line !== 'string' ? line : line === '' ? undefined : [{ text: line }]
}

/** The items of plugins that have a line, and the names that are left out. */
function statusItems({ ctx, conversation, settings }: Scene) {
  const all = ctx.all(StatusItems)
  const hidden = new Set(settings.hidden_status)
  const drawn = all.all().flatMap((item) => {
    if (hidden.has(item.name)) return []
    const line = all.attempt(
      item,
      () => toLine(item.line(conversation)),
      (value) => value === undefined || isLine(value),
    )
    return line ? [{ item, line }] : []
  })
  for (const { item } of drawn) for (const name of item.replaces ?? []) if (name !== item.name) hidden.add(name)
  return { hidden, shown: drawn.filter(({ item }) => !hidden.has(item.name)) }
}

function facts(scene: Scene): StatusFacts {
  const { ctx, transcript, conversation, model, settings, clock } = scene
  const { contextTokens, usage, busySince } = transcript.facts
  const { hidden, shown } = statusItems(scene)
  const isUrgent = ({ item: { order = 50 } }: (typeof shown)[number]) => order <= URGENT_ORDER
  return {
    model: model?.model ?? '…',
    contextTokens,
    window: model && ctx.find(Models)?.describe(model).contextWindow,
    cost: settings.show_cost || usage.costUsd ? usage.costUsd : undefined,
    elapsed: conversation.busy && busySince !== undefined ? clock.now() - busySince : undefined,
    queued: conversation.queue.length,
    hidden,
    urgent: shown.filter(isUrgent).map(({ line }) => line),
    items: shown.filter((each) => !isUrgent(each)).map(({ line }) => line),
  }
}

/** What moves while a turn is under way. */
function indicator(
  { ctx, transcript, conversation, dialogs, clock, t }: Scene,
  columns: number,
): StyledLine | undefined {
  if (!conversation.busy || dialogs.current) return undefined
  const { faces, verbs } = ctx.use(Display).skin().spinner
  const { busySince } = transcript.facts
  const ms = busySince === undefined ? 0 : clock.now() - busySince
  // A face that changes as fast as a glyph turns is no calm sight.
  const step = (faces[0]?.length ?? 0) > 2 ? FACE_MS : GLYPH_MS
  const face = faces[Math.floor(ms / step) % faces.length] ?? '●'
  const { running } = transcript.facts
  const verb =
    running === undefined
      ? (verbs[Math.floor(ms / VERB_MS) % verbs.length] ?? '')
      : t('running {tool}', { tool: running })
  const hint = columns < 40 ? '' : ` · ${t('Esc stops')}`
  return [
    { text: `${face} `, role: 'accent' },
    { text: `${verb}… ${formatDuration(ms)}${hint}`, role: 'dim' },
  ]
}
