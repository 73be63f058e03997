/** `svc chat`: options, and which of the three ways to talk they mean. */
import { type CliCommand, type CliInput, type CliIo, Config, type PluginContext, Sessions, SvcError } from 'svc/sdk'

/** What was asked for on the command line. */
export interface ChatOptions {
  readonly json: boolean
  /** The answer of `-q` as the model wrote it, with its control characters. */
  readonly raw: boolean
  readonly provider?: string
  readonly model?: string
  readonly maxIterations?: number
  /** Dangerous commands run unasked. */
  readonly yolo: boolean
}

export function chatCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'chat',
    description: 'Talk with the agent. The answer goes to standard output, everything else to standard error.',
    options: [
      { flags: '-q, --query <text>', description: 'Ask one question and leave' },
      { flags: '--json', description: 'One event a line on standard output' },
      { flags: '--raw', description: 'With -q: leave control characters in the answer; a terminal obeys them' },
      { flags: '-c, --continue', description: 'Go on with the last conversation of this folder' },
      { flags: '-r, --resume <id>', description: 'Go on with this session' },
      { flags: '-m, --model <id>', description: 'Use this model' },
      { flags: '--provider <name>', description: 'Use this provider' },
      { flags: '--max-turns <count>', description: 'Most model calls for one question' },
      { flags: '--plain', description: 'A line in, an answer out, also where a full screen could be shown' },
      { flags: '--yolo', description: 'Run dangerous commands unasked; what destroys the machine is still never run' },
    ],
    examples: [
      'chat',
      'chat --plain',
      'chat -q "what does this project do?"',
      'chat -c -q "and its tests?"',
      'chat --json -q "hi" | jq .type',
    ],
    run: (input, io) => run(ctx, input, io),
  }
}

async function run(ctx: PluginContext<undefined>, input: CliInput, io: CliIo): Promise<number> {
  const { options } = input
  const chat = chatOptions(input)
  const sessionId = sessionOf(ctx, input, io)
  if (options['query'] === undefined && io.interactive && !chat.json) {
    const { converse } = await import('./converse.ts')
    return converse(ctx, io, { ...chat, plain: isPlain(ctx, options['plain'] === true) }, sessionId)
  }
  const { question } = await import('./question.ts')
  const { askOnce } = await import('./ask-once.ts')
  return askOnce(ctx, io, { ...chat, sessionId, text: await question(text(options['query']), io) })
}

function isPlain(ctx: PluginContext<undefined>, asked: boolean): boolean {
  return asked || ctx.use(Config).get('display.interface') === 'cli'
}

function chatOptions({ options }: CliInput): ChatOptions {
  const provider = text(options['provider'])
  const model = text(options['model'])
  const turns = text(options['maxTurns'])
  if (turns !== undefined && !/^[1-9]\d{0,5}$/.test(turns))
    throw new SvcError('CLI_USAGE', `--max-turns is "${turns}"; it must be a whole number above 0.`)
  return {
    json: options['json'] === true,
    raw: options['raw'] === true,
    yolo: options['yolo'] === true,
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(turns === undefined ? {} : { maxIterations: Number(turns) }),
  }
}

/** The session to go on with, if one was asked for. */
function sessionOf(ctx: PluginContext<undefined>, { options }: CliInput, io: CliIo): string | undefined {
  const id = text(options['resume'])
  if (id !== undefined) return ctx.use(Sessions).open(id).id
  if (options['continue'] !== true) return undefined
  const last = ctx.use(Sessions).latest({ cwd: io.cwd })
  if (last) return last.id
  throw new SvcError('CHAT_NO_SESSION', `No conversation was held in ${io.cwd} yet. Leave out --continue to begin one.`)
}

function text(option: CliInput['options'][string]): string | undefined {
  return typeof option === 'string' ? option : undefined
}
