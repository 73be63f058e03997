/** The plain conversation on a terminal: a line in, an answer out, slash commands in between. */
import {
  Agent,
  type CliIo,
  CommandCalling,
  Commands,
  Control,
  type Disposer,
  errorMessage,
  type ParsedCommand,
  type PluginContext,
  type ProcessNotice,
  ProcessNoticed,
  Sessions,
  type TurnEvent,
} from 'svc/sdk'
import { connectTerminal, LineReader } from './approver.ts'
import type { ChatOptions } from './cli.ts'
import { leave, type Talk, talks } from './commands.ts'
import { progressLine } from './progress.ts'
import { recap } from './recap.ts'
import { connectQuestions } from './respondent.ts'
import { terminalText } from './terminal-text.ts'

/** Runs until /quit, Ctrl-D, or Ctrl-C at an empty prompt. */
export async function converse(
  ctx: PluginContext<undefined>,
  io: CliIo,
  options: ChatOptions,
  resumed: string | undefined,
): Promise<number> {
  const start = resumed ?? ctx.use(Sessions).create({ surface: 'cli', cwd: io.cwd }).id
  const talk: Talk = { sessionId: start, open: true }
  talks.add(talk)
  const lines = new LineReader(io)
  const reaches = (sessionId: string) => sessionId === talk.sessionId
  const disconnect = connectTerminal(ctx, lines, io, { yolo: options.yolo, reaches })
  const hangUp = connectQuestions(ctx, lines, io, reaches)
  const unreachable = await reachable(ctx, io)
  const unheard = ctx.on(ProcessNoticed, (notice) => hear(ctx, io, options, talk, notice))
  io.out(`svc. Ask something; /help shows the commands, Ctrl-D leaves.${resumed ? ` Session ${resumed}.` : ''}\n`)
  if (resumed) io.out(`${recap(ctx.use(Sessions).open(resumed))}\n`)
  else sayUnfinished(ctx, io)
  try {
    if (resumed) await goOn(ctx, io, resumed)
    while (talk.open && !io.signal.aborted) {
      const line = await lines.ask('> ')
      if (line === undefined) break
      if (line.trim()) await handle(ctx, io, options, talk, line)
    }
    return 0
  } finally {
    talks.delete(talk)
    await hangUp()
    await disconnect()
    await unheard()
    await unreachable()
  }
}

/** A turn that a crash cut off is not forgotten because somebody begins something new. */
function sayUnfinished(ctx: PluginContext<undefined>, io: CliIo): void {
  const left = ctx.use(Sessions).unfinished({ surface: 'cli' })
  for (const { id, title, cwd } of left)
    if (cwd === io.cwd)
      io.out(`svc stopped in the middle of "${terminalText(title ?? id)}". Go on: \`svc chat --resume ${id}\`\n`)
}

/** Finishes the turn that a crash cut off, as far as that can be done. */
async function goOn(ctx: PluginContext<undefined>, io: CliIo, sessionId: string): Promise<void> {
  try {
    await show(io, (signal) => ctx.use(Agent).resume(sessionId, { signal }))
  } catch (error) {
    io.err(`error: ${errorMessage(error)}\n`)
  }
}

/** Lets `svc plugins reload` in another window reach this process; a conversation goes on without it. */
async function reachable(ctx: PluginContext<undefined>, io: CliIo): Promise<Disposer> {
  try {
    return (await ctx.find(Control)?.serve('chat')) ?? (() => {})
  } catch (error) {
    io.err(`Other svc commands cannot reach this conversation: ${errorMessage(error)}\n`)
    return () => {}
  }
}

async function handle(
  ctx: PluginContext<undefined>,
  io: CliIo,
  options: ChatOptions,
  talk: Talk,
  line: string,
): Promise<void> {
  const parsed = ctx.use(Commands).parse(line, 'cli')
  try {
    if (!parsed) await answer(ctx, io, options, talk, line)
    else if ('unknown' in parsed) {
      const hint = parsed.nearest ? ` Did you mean /${parsed.nearest}?` : ''
      io.out(`There is no command /${parsed.unknown}.${hint} /help lists them.\n`)
    } else await command(ctx, io, talk, parsed)
  } catch (error) {
    io.err(`error: ${errorMessage(error)}\n`)
  }
}

async function command(ctx: PluginContext<undefined>, io: CliIo, talk: Talk, parsed: ParsedCommand): Promise<void> {
  const at = { sessionId: talk.sessionId, surface: 'cli', cwd: io.cwd, signal: io.signal } as const
  const verdict = await ctx.call(CommandCalling, { ...parsed, at })
  if (verdict?.allow === false) return io.out(`Not run: ${verdict.reason ?? 'denied'}.\n`)
  const said = await parsed.command.run(parsed.args, at)
  if (said) io.out(`${said}\n`)
}

async function answer(
  ctx: PluginContext<undefined>,
  io: CliIo,
  options: ChatOptions,
  talk: Talk,
  text: string,
): Promise<void> {
  const { json: _, yolo: __, ...wanted } = options
  const request = { ...wanted, sessionId: talk.sessionId, text, surface: 'cli', whenBusy: 'queue' } as const
  await show(io, (signal) => ctx.use(Agent).run({ ...request, signal }))
}

/** A process that the model asked to be told of: a word to the turn under way, else a turn of its own. */
function hear(
  ctx: PluginContext<undefined>,
  io: CliIo,
  options: ChatOptions,
  talk: Talk,
  { sessionId, text }: ProcessNotice,
): void {
  if (sessionId !== talk.sessionId || ctx.use(Agent).steer(sessionId, text)) return
  io.out(`\n${terminalText(text.split('\n')[0] ?? '')}\n`)
  answer(ctx, io, options, talk, text)
    .catch((error: unknown) => io.err(`error: ${errorMessage(error)}\n`))
    .finally(() => io.out('> '))
}

/** Shows a turn as it goes. Ctrl-C stops the answer, not the conversation. */
async function show(io: CliIo, turn: (signal: AbortSignal) => AsyncIterable<TurnEvent>): Promise<void> {
  const abort = new AbortController()
  const off = io.onInterrupt(() => abort.abort(leave))
  let column = 'start'
  const line = (words: string) => {
    io.out(`${column === 'middle' ? '\n' : ''}${words}\n`)
    column = 'start'
  }
  const print = (event: TurnEvent) => {
    const words = progressLine(event)
    if (words !== undefined) return line(words)
    if (event.type === 'turn.end' && event.reason === 'interrupted') return line('(stopped)')
    if (event.type !== 'message.delta') return
    io.out(terminalText(event.text))
    column = event.text.endsWith('\n') ? 'start' : 'middle'
  }
  try {
    for await (const event of turn(AbortSignal.any([abort.signal, io.signal]))) print(event)
    if (column === 'middle') io.out('\n')
  } finally {
    off()
  }
}
