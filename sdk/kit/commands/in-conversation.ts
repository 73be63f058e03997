/** Runs a subcommand of a shell command in a conversation, without a terminal. */
import type { CliArguments, CliCommand, CliContext } from '../../cli.ts'
import type { CommandContext } from '../../commands.ts'
import { errorMessage, SvcError } from '../../errors.ts'
import { toRegistration } from '../async/registration.ts'
import { parseLine, splitWords } from './command-line.ts'

/** Chats take about 4,000 characters in one message. */
const MAX_REPLY = 3800

/** @since 0.2 */
export interface ConversationCommandOptions {
  /** The subcommands that there are: those that end by themselves and need no terminal. */
  readonly only: readonly string[]
  /** Without a word. */
  readonly initial: string
  /** Other names of subcommands. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Changes what was typed before the subcommand gets it. */
  prepare?(name: string, input: CliArguments): CliArguments | Promise<CliArguments>
}

/**
 * Runs the subcommand that a line names (`create "Write it" --assignee ada`) and returns what it printed, as Markdown. What it asks for
 * with `confirmCommand` is asked of the person of the conversation, if one can be reached; what it printed before is in the question.
 * Errors are texts.
 * @since 0.2
 */
export async function runInConversation(
  command: CliCommand,
  line: string,
  at: CommandContext,
  { only, initial, aliases = {}, prepare }: ConversationCommandOptions,
): Promise<string> {
  const [typed = initial, ...words] = splitWords(line)
  const name = Object.hasOwn(aliases, typed) ? aliases[typed] : typed
  const known = (command.subcommands ?? []).filter((one) => only.includes(one.name))
  const found = known.find((one) => one.name === name)
  if (!found?.run) {
    const names = known.map((one) => one.name).join(', ')
    return `/${command.name} knows: ${names}. The rest is in a shell: svc ${command.name} --help`
  }
  const output: string[] = []
  try {
    const input = parseLine(found, words)
    const said = await found.run(prepare ? await prepare(found.name, input) : input, createContext(output, at))
    if (typeof said === 'string') output.push(`${said}\n`)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    output.push(errorMessage(error))
  }
  return toMarkdown(output.join(''))
}

/** Nothing can be read, and nothing asked but a yes or a no. */
function createContext(output: string[], { cwd, signal, person }: CommandContext): CliContext {
  const write = (text: string) => void output.push(text)
  const confirm = async (question: string) => {
    const before = toMarkdown(output.splice(0).join(''))
    return person.confirm(before === '' ? question : `${before}\n\n${question}`, { signal })
  }
  return {
    ...{ out: write, err: write, drained: async () => {} },
    ...{ stdin: async () => undefined, ask: async () => undefined, interactive: false, color: false, columns: 80 },
    ...(person?.isReachable && { confirm }),
    ...{ cwd, signal, onInterrupt: () => toRegistration(() => {}) },
    async *lines() {},
  }
}

/** Lines keep their columns. */
function toMarkdown(text: string): string {
  const lines = text.trim()
  const cut = lines.length > MAX_REPLY ? `${lines.slice(0, MAX_REPLY)}\n...` : lines
  return cut.includes('\n') ? `\`\`\`\n${cut.replaceAll('```', "'''")}\n\`\`\`` : cut
}
