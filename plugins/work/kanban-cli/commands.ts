/** `/kanban`: the commands of `svc kanban` that need no terminal, in a conversation. */
import { type CliArguments, type CliCommand, type CliContext, errorMessage, type SlashCommand, SvcError } from 'svc/sdk'
import { parseLine, splitWords } from './command-line.ts'

/** Those that end by themselves, read no file of this machine and destroy nothing. */
const ALLOWED = [
  ...['list', 'show', 'context', 'runs', 'stats', 'create', 'edit', 'assign', 'link', 'unlink', 'comment'],
  ...['complete', 'block', 'unblock', 'schedule', 'promote', 'reclaim', 'archive', 'boards', 'notify', 'doctor'],
]
/** Chats take about 4,000 characters in one message. */
const MAX_REPLY = 3800

export function kanbanSlashCommand(command: CliCommand): SlashCommand {
  const known = (command.subcommands ?? []).filter(({ name }) => ALLOWED.includes(name))
  return {
    name: 'kanban',
    description: 'Show and change the tasks of the board',
    category: 'Tools & Skills',
    argsHint: '[list|show|create|...]',
    subcommands: known.map(({ name }) => name),
    isImmediate: true,
    async run(args, { cwd, signal, by }) {
      const [name = 'list', ...words] = splitWords(args)
      const found = known.find((one) => one.name === name)
      if (!found?.run)
        return `/kanban knows: ${known.map((one) => one.name).join(', ')}. The rest is in a shell: svc kanban --help`
      const output: string[] = []
      try {
        const input = parseLine(found, words)
        const author = by?.userId
        const options = { ...(author !== undefined && { by: author }), ...input.options }
        await found.run({ ...input, options }, createOutput(output, cwd, signal))
      } catch (error) {
        if (!(error instanceof SvcError)) throw error
        output.push(errorMessage(error))
      }
      const text = output.join('').trim()
      const cut = text.length > MAX_REPLY ? `${text.slice(0, MAX_REPLY)}\n...` : text
      return `\`\`\`\n${cut.replaceAll('```', "'''")}\n\`\`\``
    },
  }
}

/** Nothing can be asked or read, so what would have to be confirmed is refused. */
function createOutput(output: string[], cwd: string, signal: AbortSignal): CliContext {
  return {
    ...{ out: (text) => void output.push(text), err: (text) => void output.push(text), drained: async () => {} },
    ...{ stdin: async () => undefined, ask: async () => undefined, interactive: false, color: false, columns: 80 },
    ...{ cwd, signal, onInterrupt: () => ({ dispose: () => {}, [Symbol.dispose]: () => {} }) as never },
    async *lines() {},
  }
}

export type { CliArguments }
