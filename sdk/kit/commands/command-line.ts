/** A line as a shell would take it, for a command whose options are data. */
import type { CliArguments, CliCommand, CliOption } from '../../cli.ts'
import { SvcError } from '../../errors.ts'

/** Words, with quotes as in a shell. @since 0.2 */
export function splitWords(line: string): string[] {
  const words = line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)
  return [...words].map(([, double, single, bare]) => double ?? single ?? bare ?? '')
}

/**
 * Words as the arguments and options of a command. Throws `CLI_USAGE` for an option that it does not have, one without its value, and
 * too few arguments.
 * @since 0.2
 */
export function parseLine(command: CliCommand, words: readonly string[]): CliArguments {
  const args: string[] = []
  const options: Record<string, string | boolean | string[]> = {}
  const open = [...words]
  for (let word = open.shift(); word !== undefined; word = open.shift()) {
    if (!word.startsWith('--')) {
      args.push(word)
      continue
    }
    const { flags } = findOption(command, word)
    const name = word.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
    if (flags.includes('...'))
      options[name] = [...((options[name] as string[] | undefined) ?? []), takeValue(word, open)]
    else options[name] = flags.includes('<') ? takeValue(word, open) : true
  }
  const wanted = (command.arguments ?? '').match(/<[^>]+>/g) ?? []
  if (args.length < wanted.length) throw new SvcError('CLI_USAGE', `${command.name} takes ${command.arguments}.`)
  return { args, options }
}

function findOption(command: CliCommand, word: string): CliOption {
  const option = command.options?.find(({ flags }) => flags.split(' ')[0] === word)
  if (option) return option
  throw new SvcError('CLI_USAGE', `${command.name} has no option ${word}.`)
}

function takeValue(word: string, open: string[]): string {
  const value = open.shift()
  if (value !== undefined) return value
  throw new SvcError('CLI_USAGE', `${word} takes a value.`)
}
