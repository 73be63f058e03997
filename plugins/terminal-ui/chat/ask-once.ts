/** One question, one answer: the answer alone on standard output. */
import {
  Agent,
  type CliContext,
  Clock,
  createTranslator,
  type PluginContext,
  Sessions,
  type Translate,
  type TurnEvent,
} from 'svc/sdk'
import { Language, Plugins } from 'svc/sdk/host'
import { safeJson, safePiece } from 'svc/sdk/kit/terminal'
import type { ChatOptions } from './cli.ts'
import { type FindView, progressLine, toolViews } from './progress.ts'
import { connectTerminal, LineReader } from './terminal-approvals.ts'
import { connectQuestions } from './terminal-questions.ts'
import { Patience } from './waiting-notice.ts'

/** Returns the exit code: 0 with an answer, 1 without, 130 when interrupted. */
export async function askOnce(
  ctx: PluginContext<undefined>,
  io: CliContext,
  asked: ChatOptions & { readonly sessionId: string | undefined; readonly text: string; readonly begun: () => void },
): Promise<number> {
  const { json, raw, yolo, temporary, sessionId, settings, text, begun } = asked
  const t = await speech(ctx, io)
  const session = sessionId ?? ctx.use(Sessions).create({ surface: 'cli', cwd: io.cwd }).id
  // A script would take the text of the demo for an answer; a person recognises it.
  const where = { sessionId: session, surface: 'cli', signal: io.signal }
  const events = ctx.use(Agent).run({ ...settings, text, ...where, allowDemo: io.interactive })
  const printer = json ? new JsonPrinter(io) : new AnswerPrinter(io, { t, view: toolViews(ctx), raw })
  const deps = { lines: new LineReader(io), io, t, clock: () => ctx.use(Clock) }
  const reaches = (id: string) => id === session
  const disconnect = connectTerminal(ctx, deps, { yolo, reaches })
  const hangUp = connectQuestions(ctx, deps, reaches)
  const patience = new Patience(io, ctx.use(Clock), t)
  let code = 1
  try {
    for await (const event of events) {
      begun()
      patience.see(event)
      printer.print(event)
      if (event.type === 'turn.end') code = exitCode(event.reason)
    }
  } finally {
    patience.close()
    await hangUp()
    await disconnect()
    const isEmpty = sessionId === undefined && ctx.use(Sessions).summary(session).messageCount === 0
    if (temporary || isEmpty) await ctx.use(Sessions).remove([session], { copy: false })
  }
  return code
}

/** Scripts get English, and do not wait for more plugins. */
async function speech(ctx: PluginContext<undefined>, io: CliContext): Promise<Translate> {
  if (!io.interactive) return createTranslator({ find: () => undefined })
  await ctx.use(Plugins).bring(Language)
  return createTranslator(ctx)
}

function exitCode(reason: Extract<TurnEvent, { type: 'turn.end' }>['reason']): number {
  if (reason === 'interrupted') return 130
  return reason === 'completed' || reason === 'max-iterations' ? 0 : 1
}

class JsonPrinter {
  #io: CliContext
  constructor(io: CliContext) {
    this.#io = io
  }

  print(event: TurnEvent): void {
    this.#io.out(`${safeJson(event)}\n`)
  }
}

/** Text before a tool call is not the answer: it is held until it is known which of the two it is. */
class AnswerPrinter {
  #io: CliContext
  #t: Translate
  #view: FindView
  #raw: boolean
  #held: string[] = []

  constructor(
    io: CliContext,
    { t, view, raw }: { readonly t: Translate; readonly view: FindView; readonly raw: boolean },
  ) {
    this.#io = io
    this.#t = t
    this.#view = view
    this.#raw = raw
  }

  print(event: TurnEvent): void {
    if (event.type === 'message.delta') this.#held.push(event.text)
    if (event.type === 'tool.start') this.#flush((text) => this.#io.err(safePiece(text)))
    if (event.type === 'turn.end') this.#flush(this.#answer)
    const line = progressLine(event, this.#t, this.#view)
    if (line !== undefined) this.#io.err(`${line}\n`)
  }

  /** What is piped ends on a terminal, too: only who asks for it gets what could steer one. */
  #answer = (text: string): void => this.#io.out(this.#raw ? text : safePiece(text))

  #flush(write: (text: string) => void): void {
    const text = this.#held.join('')
    this.#held = []
    if (text) write(text.endsWith('\n') ? text : `${text}\n`)
  }
}
