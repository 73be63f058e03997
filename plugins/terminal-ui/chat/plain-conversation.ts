/** The plain conversation on a terminal: a line in, an answer out, slash commands in between. */
import {
  Approvals,
  type CliContext,
  Clock,
  type Conversation,
  Conversations,
  createTranslator,
  type Dispose,
  errorMessage,
  logFault,
  type PluginContext,
  Sessions,
  SvcError,
  type Translate,
} from 'svc/sdk'
import { Control, Language, Plugins } from 'svc/sdk/host'
import { safePiece } from 'svc/sdk/kit/terminal'
import { Display, Tui } from 'svc/sdk/terminal'
import type { ChatOptions } from './cli.ts'
import { LineFront } from './line-front.ts'
import { toolViews } from './progress.ts'
import { recap } from './session-recap.ts'
import { LineReader } from './terminal-approvals.ts'
import { TurnLines } from './turn-lines.ts'

/** Runs until the user leaves: on the full screen where that is wanted and possible, else line by line. */
export async function converse(
  ctx: PluginContext<undefined>,
  io: CliContext,
  options: ChatOptions & { readonly plain: boolean; readonly first: string | undefined },
  sessionId: string | undefined,
): Promise<number> {
  const { yolo, plain, settings, first, temporary } = options
  const unreachable = await reachable(ctx, io)
  try {
    const screen = plain ? undefined : await ctx.use(Plugins).bring(Tui)
    const why = screen?.missing(io)
    const typed = first === undefined ? {} : { first }
    const from = sessionId === undefined ? {} : { sessionId }
    if (screen && why === undefined) return await screen.run(io, { ...from, ...typed, settings, yolo, temporary })
    return await lineByLine(ctx, io, { yolo, settings, sessionId, why, temporary, ...typed })
  } finally {
    await unreachable()
  }
}

async function lineByLine(
  ctx: PluginContext<undefined>,
  io: CliContext,
  given: {
    readonly yolo: boolean
    readonly settings: ChatOptions['settings']
    readonly temporary: boolean
    readonly first?: string
    readonly sessionId: string | undefined
    readonly why: string | undefined
  },
): Promise<number> {
  const conversations = await ctx.use(Plugins).bring(Conversations)
  if (!conversations)
    throw new SvcError('CHAT_NO_CONVERSATION', 'The plugin conversation is off. Switch it on, or ask with -q.')
  const { yolo, settings, sessionId, why, temporary, first } = given
  const t = createTranslator(ctx)
  const lines = new LineReader(io)
  // Not loaded before it is needed: most runs of the command are one question.
  const display = await ctx.use(Plugins).bring(Display)
  const shown = new TurnLines({
    settings: () => display?.settings('cli'),
    now: () => ctx.use(Clock).now(),
    view: toolViews(ctx),
    t,
  })
  const front = new LineFront({ lines, io, t, clock: () => ctx.use(Clock) }, shown)
  const ask = yolo ? ctx.find(Approvals)?.askNothing() : undefined
  const hello = t('svc. Ask something; /help shows the commands, Ctrl-D leaves.')
  io.out(`${why === undefined ? '' : `${why}\n`}${hello}${sessionId ? ` ${sessionId}` : ''}\n`)
  if (!sessionId) printUnfinished(ctx, io, t)
  else if (display?.settings('cli').resume_display !== 'none')
    io.out(`${recap(ctx.use(Sessions).open(sessionId), t)}\n`)
  const from = sessionId === undefined ? {} : { sessionId }
  const conversation = conversations.start(front, { cwd: io.cwd, settings, temporary, ...from })
  try {
    await conversation.idle()
    if (first !== undefined) await answer(io, conversation, first)
    while (!front.closed && !io.signal.aborted) {
      const line = await lines.prompt('> ')
      if (line === undefined) break
      if (line.trim()) await answer(io, conversation, line)
    }
    return 0
  } finally {
    await conversation.close()
    await ask?.()
  }
}

/** Ctrl-C stops the answer, not the conversation. */
async function answer(io: CliContext, conversation: Conversation, line: string): Promise<void> {
  const off = io.onInterrupt(() => void conversation.stop())
  try {
    await conversation.type(line)
    await conversation.idle()
  } finally {
    off()
  }
}

/** A turn that a crash interrupted is not dropped when the user begins a new one. */
function printUnfinished(ctx: PluginContext<undefined>, io: CliContext, t: Translate): void {
  for (const { id, title = id, cwd } of ctx.use(Sessions).unfinished({ surface: 'cli' }))
    if (cwd === io.cwd)
      io.out(
        `${safePiece(t('svc stopped in the middle of "{title}". Continue: svc chat --resume {id}', { title, id }))}\n`,
      )
}

/** Lets `svc plugins reload` in another window reach this process; a conversation works without it. */
async function reachable(ctx: PluginContext<undefined>, io: CliContext): Promise<Dispose> {
  try {
    return (await ctx.find(Control)?.serve('chat')) ?? (() => {})
  } catch (error) {
    logFault(ctx.log, 'the control socket of the conversation could not be opened', error)
    await ctx.use(Plugins).bring(Language)
    const t = createTranslator(ctx)
    io.err(`${t('Other svc commands cannot reach this conversation: {reason}', { reason: errorMessage(error) })}\n`)
    return () => {}
  }
}
