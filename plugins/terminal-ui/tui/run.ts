/** Opens the full screen for a conversation, and gives the terminal back at its end. */
import {
  Approvals,
  type CliContext,
  Clock,
  Conversations,
  type Dispose,
  errorMessage,
  type PluginContext,
  Sessions,
} from 'svc/sdk'
import { PluginFailed, PluginsChanged } from 'svc/sdk/hooks'
import { Language, Plugins } from 'svc/sdk/host'
import {
  type Composer,
  ComposerMarks,
  Composers,
  Display,
  EntryRenderers,
  MessageRenderers,
  Overlays,
  StatusItems,
  type TerminalScreen,
  TerminalScreens,
  ToolRenderers,
  type Tui,
  Widgets,
} from 'svc/sdk/terminal'
import { goodbye } from './banner.ts'
import { followItems } from './follow-items.ts'
import { Front } from './front.ts'
import { Keys } from './keys.ts'
import { followShadows } from './shadowed-keys.ts'

/** As a shell counts a program whose terminal was hung up. */
const HUNG_UP = 129
const MAX_PROBLEMS = 3
/** Lines of the conversation that stay in the scrollback. */
const MAX_LEFT = 1000

type Options = Parameters<Tui['run']>[1]

/** Runs until the user leaves. `fronts` are those that are open. Throws `SESSION_NOT_FOUND` or `TERMINAL_UNUSABLE`. */
export async function run(
  ctx: PluginContext<undefined>,
  io: CliContext,
  options: Options,
  fronts: Set<Front>,
): Promise<number> {
  const { terminal } = io
  if (!terminal) return 1
  // A session that is not there is said while the terminal is still as it was.
  if (options.sessionId !== undefined) ctx.use(Sessions).open(options.sessionId)
  const display = ctx.use(Display)
  const { mouse } = display.settings('cli')
  const screen = await ctx.use(TerminalScreens).open({ ...terminal, skin: display.skin(), mouse })
  const letSpeak = terminal.hold()
  const words = { text: '' }
  try {
    const how = await converse(ctx, io, options, { screen, fronts, words })
    return how === 'closed' ? HUNG_UP : 0
  } finally {
    await screen.close()
    letSpeak()
    if (words.text) io.out(words.text)
  }
}

async function converse(
  ctx: PluginContext<undefined>,
  io: CliContext,
  { sessionId, settings, yolo, first, temporary = false }: Options,
  given: { readonly screen: TerminalScreen; readonly fronts: Set<Front>; readonly words: { text: string } },
) {
  const { screen, fronts, words } = given
  const undo: Dispose[] = []
  const front = new Front(ctx, { screen })
  try {
    if (yolo) undo.push(ctx.find(Approvals)?.askNothing() ?? (() => {}))
    const cwd = sessionId === undefined ? io.cwd : ctx.use(Sessions).open(sessionId).cwd
    const composer = await openComposer(ctx, front, cwd)
    undo.push(() => front.composer.close())
    const from = sessionId === undefined ? {} : { sessionId }
    const conversation = ctx.use(Conversations).start(front, { cwd: io.cwd, settings, temporary, ...from })
    undo.push(() => conversation.close())
    front.attach(conversation, composer)
    undo.push(followComposers(ctx, front, cwd))
    fronts.add(front)
    undo.push(() => void fronts.delete(front))
    undo.push(...listen(ctx, io, front))
    // Failures from before the screen was ready.
    for (const { plugin, message } of ctx.use(Plugins).problems().slice(-MAX_PROBLEMS))
      front.toast(`${plugin}: ${message}`, 'warning')
    if (first !== undefined) front.type(first)
    front.redraw()
    const how = await front.left
    if (how === 'left') words.text = `${temporary ? '' : renderLastScreen(front)}${lastWords(ctx, front, temporary)}`
    return how
  } finally {
    front.close()
    for (const dispose of undo.reverse()) await dispose()
  }
}

function openComposer(ctx: PluginContext<undefined>, front: Front, cwd: string): Promise<Composer> {
  return ctx.use(Composers).open({
    cwd,
    complete: (text) => front.conversation.complete(text),
    changed: () => front.redraw(),
    failed: (error) => front.toast(errorMessage(error), 'error'),
  })
}

/** Where another plugin offers composers from now on, what was typed moves to one of those. */
function followComposers(ctx: PluginContext<undefined>, front: Front, cwd: string): Dispose {
  let known = ctx.find(Composers)
  return ctx.on(PluginsChanged, async () => {
    const found = ctx.find(Composers)
    if (!found || found === known) return
    known = found
    await front.moveTo(await openComposer(ctx, front, cwd))
  })
}

function listen(ctx: PluginContext<undefined>, io: CliContext, front: Front): Dispose[] {
  const keys = new Keys(front)
  const leave = () => front.leave()
  const restyle = () => front.restyle()
  const signal = AbortSignal.any([io.signal, ctx.signal])
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  const language = ctx.find(Language)?.onChange(restyle)
  return [
    front.screen.onInput((input) => keys.input(input)),
    ctx.use(Display).onChange(restyle),
    ctx.all(ToolRenderers).onChange(restyle),
    ctx.all(MessageRenderers).onChange(restyle),
    ctx.all(EntryRenderers).onChange(restyle),
    ctx.all(ComposerMarks).onChange(() => front.redraw()),
    followItems(ctx, Widgets, () => front.redraw()),
    followItems(ctx, StatusItems, () => front.redraw()),
    followShadows(ctx),
    ctx.all(Overlays).onChange(() => front.screens.followScreens()),
    // Another model may answer now.
    ctx.on(PluginsChanged, () => front.findModel()),
    ctx.on(PluginsChanged, () => front.screens.followPlugins()),
    ctx.on(PluginsChanged, ({ names }) => sayReloaded(ctx, front, names)),
    ctx.on(PluginFailed, ({ plugin, message }) => void front.toast(`${plugin}: ${message}`, 'warning')),
    ...(language ? [language] : []),
    () => signal.removeEventListener('abort', leave),
  ]
}

/** Standard error is held while the screen is open; the author of a plugin under development waits for its reload. */
function sayReloaded(ctx: PluginContext<undefined>, front: Front, names: readonly string[]): void {
  for (const name of names) {
    const { origin, generation = 0 } = ctx.use(Plugins).info(name) ?? {}
    if (origin === 'command-line' && generation > 1) front.toast(`${name}: ${front.t('reloaded')} (${generation})`)
  }
}

/** The conversation as it was shown, for the scrollback of the terminal: its end, where it is long. */
function renderLastScreen(front: Front): string {
  const { columns } = front.screen
  front.transcript.follow()
  const { lines } = front.attempt(() => front.transcript.view({ width: columns, rows: MAX_LEFT })) ?? { lines: [] }
  const texts = lines.map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  )
  // The banner alone is no conversation.
  return front.conversation.sessionId && front.transcript.answers().length > 0 ? `${texts.join('\n').trim()}\n\n` : ''
}

function lastWords(ctx: PluginContext<undefined>, front: Front, temporary: boolean): string {
  // Not there any more when nothing was said in it.
  const session = front.attempt(() => ctx.use(Sessions).open(front.conversation.sessionId))
  const ms = ctx.use(Clock).now() - front.startedAt
  const words = ctx.use(Display).skin().branding.goodbye
  return goodbye(temporary ? undefined : session, { ms, words, t: front.t }, front.layout)
}
