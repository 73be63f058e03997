/**
 * The layer over cac: levels of subcommands, nothing coerced to numbers, unknown words and options refused with the
 * nearest name, help at every level, exit codes 0, 1 and 2.
 */
import { cac } from 'cac'
import type { CliArguments, CliCommand, CliContext, CliOption } from '../sdk/cli.ts'
import { errorCode, SvcError } from '../sdk/errors.ts'
import { findNearest } from '../sdk/kit/text/nearest.ts'
import { readStack } from './stacks.ts'

/** Put before every value so that cac takes it as the text it is. */
const MARK = '\u0001'

/** Runs what was typed after `svc <command>`. `path` is what was typed so far, for help. Returns the exit code. */
export async function runCommand(
  command: CliCommand,
  argv: readonly string[],
  io: CliContext,
  path: string,
): Promise<number> {
  const [first, ...rest] = argv
  const sub = command.subcommands?.find((candidate) => candidate.name === first)
  if (sub) return runCommand(sub, rest, io, `${path} ${sub.name}`)
  const end = argv.indexOf('--')
  if (argv.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h')) {
    io.out(commandHelp(command, path))
    return 0
  }
  refuseUnknownSubcommand(command, first, path)
  if (!command.run) {
    io.err(commandHelp(command, path))
    return 2
  }
  const result = await command.run(parse(command, argv, path), io)
  if (typeof result !== 'string') return result ?? 0
  io.out(result.endsWith('\n') ? result : `${result}\n`)
  return 0
}

/** Formats an error and chooses the exit code. A user error never shows a stack trace. */
export function failure(error: unknown, plugin?: string): { text: string; code: number } {
  if (error instanceof Error && error.name === 'AbortError') return { text: 'svc: interrupted\n', code: 130 }
  const code = errorCode(error)
  if (code === 'INTERNAL') {
    const detail = error instanceof Error ? (readStack(error) ?? error.message) : String(error)
    const what = plugin ? `the plugin ${plugin} has a fault` : 'an unexpected error (INTERNAL); please report it'
    return { text: `svc: ${what}:\n${detail}\n`, code: 1 }
  }
  return { text: `svc: ${(error as Error).message} (${code})\n`, code: code === 'CLI_USAGE' ? 2 : 1 }
}

/** What `--help` prints. */
export function commandHelp(command: CliCommand, path: string): string {
  const parts = [path, command.subcommands ? '<command>' : '', command.arguments ?? '', '[options]']
  const sections = [`${command.description}\n\nUsage\n  ${parts.filter(Boolean).join(' ')}`]
  const subcommands = command.subcommands?.map((sub) => [`${sub.name} ${sub.arguments ?? ''}`.trim(), sub.description])
  if (subcommands) sections.push(`Commands\n${columns(subcommands)}`)
  const options = (command.options ?? []).map((option) => [option.flags, option.description])
  sections.push(`Options\n${columns([...options, ['-h, --help', 'Show this help']])}`)
  const examples = command.examples ?? command.subcommands?.flatMap((sub) => sub.examples?.slice(0, 1) ?? [])
  if (examples?.length) sections.push(`Examples\n${examples.map((example) => `  svc ${example}`).join('\n')}`)
  return `${sections.join('\n\n')}\n`
}

/** Two columns of text, indented. */
export function columns(rows: readonly (readonly string[])[]): string {
  const width = Math.min(34, Math.max(...rows.map(([left = '']) => left.length)))
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n')
}

function usage(message: string, path: string): SvcError {
  return new SvcError('CLI_USAGE', `${message} Try: ${path} --help`, { status: 400 })
}

function refuseUnknownSubcommand(command: CliCommand, first: string | undefined, path: string): void {
  if (!command.subcommands || first === undefined || first.startsWith('-') || command.arguments) return
  const close = findNearest(
    first,
    command.subcommands.map((sub) => sub.name),
  )
  throw usage(`"${path} ${first}" is not a command.${close ? ` Did you mean "${path} ${close}"?` : ''}`, path)
}

function parse(command: CliCommand, argv: readonly string[], path: string): CliArguments {
  const options = command.options ?? []
  const program = cac(path)
  const definition = program.command(placeholders(command.arguments), command.description)
  for (const { flags, description } of options) definition.option(flags.replace('...', ''), description)
  const parsed = program.parse(['node', path, ...protect(argv, options, path)], { run: false })
  checkCount(command.arguments, parsed.args.map(unmark), path)
  return { args: parsed.args.map(unmark), options: tidy(parsed.options, options) }
}

/** cac writes rest arguments `[...name]`; we write `[name...]` as everybody does. */
function placeholders(text = ''): string {
  return text.replace(/([[<])([\w-]+)\.\.\.([\]>])/g, '$1...$2$3')
}

interface Known {
  readonly takesValue: boolean
  readonly names: readonly string[]
}

function listKnownOptions(options: readonly CliOption[]): Known[] {
  return options.map(({ flags }) => {
    return { takesValue: /[<[]/.test(flags), names: flags.match(/(?<![\w-])--?[\w-]+/g) ?? [] }
  })
}

/** Marks values and refuses unknown options, before cac can guess. */
function protect(argv: readonly string[], options: readonly CliOption[], path: string): string[] {
  const list = listKnownOptions(options)
  const result: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string
    if (word === '--') return [...result, ...argv.slice(at + 1).map((rest) => MARK + rest)]
    if (!word.startsWith('-') || word === '-') {
      result.push(MARK + word)
      continue
    }
    const { name, inline, takesValue } = recognise(word, list, path)
    if (!takesValue) result.push(name)
    else result.push(`${name}=${MARK}${requireArgument(inline ?? argv[++at], name, path)}`)
  }
  return result
}

/** The last name of an option represents all: cac would lose values of an option that is typed under two names. */
function recognise(word: string, list: readonly Known[], path: string) {
  const [, name = word, inline] = /^(--?[^=]+)=([\s\S]*)$/.exec(word) ?? []
  const option = list.find((candidate) => candidate.names.includes(name))
  if (!option) throw unknownOption(name, list, path)
  if (inline !== undefined && !option.takesValue) throw usage(`${name} takes no value.`, path)
  return { name: option.names.at(-1) ?? name, inline, takesValue: option.takesValue }
}

function requireArgument(value: string | undefined, name: string, path: string): string {
  if (value === undefined) throw usage(`${name} needs a value.`, path)
  return value
}

function unknownOption(name: string, list: readonly Known[], path: string): SvcError {
  const close = findNearest(name, [...list.flatMap((option) => option.names), '--help'])
  return usage(`${path} has no option ${name}.${close ? ` Did you mean ${close}?` : ''}`, path)
}

function tidy(parsed: Readonly<Record<string, unknown>>, options: readonly CliOption[]): CliArguments['options'] {
  const result: Record<string, string | boolean | string[]> = {}
  for (const { flags } of options) {
    const long = /--(?:no-)?([\w-]+)/.exec(flags)?.[1] ?? /-(\w)/.exec(flags)?.[1] ?? ''
    const key = long.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    const value = parsed[key]
    if (value === undefined) continue
    const values = [value].flat().map((item) => (typeof item === 'string' ? unmark(item) : item))
    if (flags.includes('...')) result[key] = values.map(String)
    else result[key] = values.at(-1) as string | boolean
  }
  return result
}

function unmark(text: string): string {
  return text.startsWith(MARK) ? text.slice(1) : text
}

/** Throws `CLI_USAGE` that names what is missing, or what nothing takes. */
function checkCount(declared = '', args: readonly string[], path: string): void {
  const places = declared.match(/[[<][\w-]+(?:\.\.\.)?[\]>]/g) ?? []
  const missing = places.slice(args.length).find((place) => place.startsWith('<'))
  if (missing !== undefined) throw usage(`${path} needs ${missing.replace('...', '')}.`, path)
  if (places.some((place) => place.includes('...'))) return
  const extra = args.slice(places.length)
  if (extra.length > 0) throw usage(`${path} does not take "${extra.join(' ')}".`, path)
}
