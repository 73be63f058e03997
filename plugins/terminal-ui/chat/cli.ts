/** `svc chat`: options, and which of the three ways to talk they mean. */
import {
  type CliArguments,
  type CliCommand,
  type CliContext,
  Config,
  type ConversationSettings,
  type PluginContext,
  Sessions,
  SvcError,
} from 'svc/sdk'
import { limitedTools, type ReasoningLevel, reasoningLevel } from './limit-options.ts'
import { joinArguments } from './question.ts'

/** What was asked for on the command line. */
export interface ChatOptions {
  readonly json: boolean
  /** The answer of `-q` as the model wrote it, with its control characters. */
  readonly raw: boolean
  /** Dangerous commands run without a question. */
  readonly yolo: boolean
  /** The session is removed at the end, and no copy is left. */
  readonly temporary: boolean
  /** What holds for each turn. */
  readonly settings: ConversationSettings & { readonly reasoning?: ReasoningLevel }
}

export function chatCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'chat',
    description: 'Talk with the agent. The answer goes to standard output, everything else to standard error.',
    arguments: '[question...]',
    options: [
      { flags: '-q, --query <text>', description: 'Ask one question and exit' },
      { flags: '--json', description: 'Print one JSON event per line to standard output' },
      { flags: '--raw', description: 'With -q: leave control characters in the answer; a terminal obeys them' },
      { flags: '-c, --continue', description: 'Continue the most recent conversation in this folder' },
      { flags: '-r, --resume <id>', description: 'Resume this session' },
      { flags: '--no-session', description: 'Remove the conversation when it ends, without a copy' },
      { flags: '-m, --model <id>', description: 'Use this model' },
      { flags: '--provider <name>', description: 'Use this provider' },
      { flags: '--thinking <level>', description: 'Reasoning effort: none, low, medium, high or xhigh' },
      { flags: '--tools <names>', description: 'Offer only these toolsets and tools (names separated by commas)' },
      { flags: '--no-tools', description: 'Offer no tools' },
      { flags: '--system-prompt <text>', description: 'Replace the system prompt' },
      { flags: '--max-turns <count>', description: 'Maximum model calls per question' },
      {
        flags: '--plain',
        description: 'Use the line-by-line interface even on a terminal that could show the full screen',
      },
      {
        flags: '--yolo',
        description: 'Run dangerous commands without asking. Commands that would destroy the machine stay blocked.',
      },
    ],
    examples: [
      'chat',
      'chat "what does this project do?"',
      'chat @README.md "is this still true?"',
      'chat -q "what does this project do?"',
      'chat -c -q "and its tests?"',
      'chat --no-tools --no-session -q "a regular expression for dates"',
      'chat --json -q "hi" | jq .type',
    ],
    run: (input, io) => run(ctx, input, io),
  }
}

async function run(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  let hasBegun = false
  const begun = () => {
    hasBegun = true
  }
  try {
    return await talk(ctx, { input, begun }, io)
  } catch (error) {
    // Nothing is shown and no model asked yet: the question is not lost to a damage that a start repairs.
    if (!hasBegun && error instanceof SvcError && error.repairedAtStart) io.restart?.(error)
    throw error
  }
}

/** `begun` is called before anything is shown or paid. */
async function talk(
  ctx: PluginContext<undefined>,
  { input, begun }: { readonly input: CliArguments; readonly begun: () => void },
  io: CliContext,
): Promise<number> {
  const { options } = input
  const chat = chatOptions(ctx, input)
  const sessionId = findSessionToResume(ctx, input, io)
  if (sessionId !== undefined) replacePrompt(ctx, sessionId, chat.settings.systemPrompt)
  const typed = joinArguments(input.args, io.cwd)
  if (options['query'] === undefined && io.interactive && !chat.json) {
    const { converse } = await import('./plain-conversation.ts')
    const plain = isPlain(ctx, options['plain'] === true)
    begun()
    return converse(ctx, io, { ...chat, plain, first: typed }, sessionId)
  }
  const { question } = await import('./question.ts')
  const { askOnce } = await import('./ask-once.ts')
  const asked = [text(options['query']), typed].filter((part) => part !== undefined).join(' ')
  return askOnce(ctx, io, { ...chat, sessionId, text: await question(asked, io), begun })
}

function isPlain(ctx: PluginContext<undefined>, asked: boolean): boolean {
  return asked || ctx.use(Config).get('display.interface') === 'cli'
}

function chatOptions(ctx: PluginContext<undefined>, { options }: CliArguments): ChatOptions {
  const temporary = options['session'] === false
  if (temporary && (options['continue'] === true || options['resume'] !== undefined))
    throw new SvcError('CLI_USAGE', '--no-session begins a new conversation. Leave out --continue and --resume.')
  return {
    json: options['json'] === true,
    raw: options['raw'] === true,
    yolo: options['yolo'] === true,
    temporary,
    settings: readSettings(ctx, options),
  }
}

function readSettings(ctx: PluginContext<undefined>, options: CliArguments['options']): ChatOptions['settings'] {
  const given = {
    provider: text(options['provider']),
    model: text(options['model']),
    maxIterations: maxIterations(text(options['maxTurns'])),
    reasoning: reasoningLevel(text(options['thinking'])),
    toolsets: limitedTools(ctx, options['tools']),
    systemPrompt: text(options['systemPrompt']),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function maxIterations(turns: string | undefined): number | undefined {
  if (turns !== undefined && !/^[1-9]\d{0,5}$/.test(turns))
    throw new SvcError('CLI_USAGE', `--max-turns is "${turns}"; it must be a whole number above 0.`)
  return turns === undefined ? undefined : Number(turns)
}

/** The session to continue, if one was asked for. */
function findSessionToResume(
  ctx: PluginContext<undefined>,
  { options }: CliArguments,
  io: CliContext,
): string | undefined {
  const id = text(options['resume'])
  if (id !== undefined) return ctx.use(Sessions).open(id).id
  if (options['continue'] !== true) return undefined
  const last = ctx.use(Sessions).latest({ cwd: io.cwd })
  if (last) return last.id
  throw new SvcError('CHAT_NO_SESSION', `No conversation was held in ${io.cwd} yet. Leave out --continue to begin one.`)
}

/** A session keeps the prompt of its first turn; one that is given for it now holds from the next turn on. */
function replacePrompt(ctx: PluginContext<undefined>, sessionId: string, prompt: string | undefined): void {
  const session = ctx.use(Sessions).open(sessionId)
  if (prompt !== undefined && session.systemPrompt() !== prompt) session.renewSystemPrompt()
}

function text(option: CliArguments['options'][string]): string | undefined {
  return typeof option === 'string' ? option : undefined
}
