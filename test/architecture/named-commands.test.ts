/** Commands that documents name within a sentence exist, with the options that they are given. */
import { type CliCommand, CliCommands, SlashCommands } from 'svc/sdk'
import { expect, test } from 'vitest'
import { collectItems } from '../support/docs/documents.ts'
import { commandsInText, documentsWithCommands } from '../support/readme/blocks.ts'
import { read } from '../support/repository.ts'

/** Taken by the program itself, before any command. */
const OF_PROGRAM = ['-h', '--help', '-v', '--version', '-p', '--profile', '--plugin', '--plain']
/** Folders of a machine. */
const FOLDERS = new Set(['bin', 'boot', 'dev', 'etc', 'proc', 'run', 'sbin', 'sys', 'tmp', 'usr', 'workspace'])
/** Commands and addresses of the services that these documents describe. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  'plugins/messaging/platforms/platform-irc/README.md': ['msg', 'whois'],
  'examples/screen-plugin/README.md': ['mood'],
  'plugins/messaging/platforms/platform-matrix/README.md': ['sync'],
  'plugins/messaging/platforms/platform-mattermost/README.md': ['invite'],
  'plugins/messaging/platforms/platform-slack/README.md': ['invite', 'svc'],
  'plugins/messaging/platforms/platform-telegram/README.md': ['newbot', 'setprivacy', 'command'],
}

test('a shell command that a document names exists, and has the options that it is given', async () => {
  const commands = await collectItems(CliCommands)
  const wrong = commandsInText().flatMap(({ path, words }) => {
    const problem = findProblem(commands, words)
    return problem ? [`${path}: svc ${words.join(' ')}: ${problem}`] : []
  })
  expect(wrong).toEqual([])
})

test('a slash command that a document names exists', async () => {
  const commands = await collectItems(SlashCommands)
  const known = new Set(commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  const wrong = documentsWithCommands().flatMap((path) =>
    [...read(path).matchAll(/`\/([a-z][a-z-]*)(?: [^`\n]*)?`/g)].flatMap(([all, name = '']) =>
      known.has(name) || FOLDERS.has(name) || FOREIGN[path]?.includes(name) ? [] : [`${path}: ${all}`],
    ),
  )
  expect(wrong).toEqual([])
})

/** The first word that is no command or option; undefined when all are known. */
function findProblem(commands: readonly CliCommand[], words: readonly string[]): string | undefined {
  const [first = ''] = words
  if (OF_PROGRAM.includes(first) || /^["'@.]/.test(first)) return undefined
  const own = commands.find(({ name }) => name === first)
  // What another plugin adds to the command.
  const added = commands.find(({ name }) => name === `${first} ${words[1]}`)
  const found = own?.subcommands?.some(({ name }) => name === words[1]) ? own : (added ?? own)
  if (!found) return `there is no command ${first}`
  // The first word behind its own name, which has two words where another plugin added it.
  const at = found === added ? 2 : 1
  const second = words[at] ?? ''
  const subcommands = found.subcommands ?? []
  const sub = subcommands.find(({ name }) => name === second)
  if (!sub && found !== added && isName(second) && subcommands.length > 0 && !found.arguments)
    return `there is no ${first} ${second}`
  const third = sub?.subcommands?.find(({ name }) => name === words[at + 1])
  const options = [found, sub, third].flatMap((command) => command?.options ?? [])
  const flags = new Set([
    ...OF_PROGRAM,
    ...options.flatMap(({ flags: text }) => text.match(/(?<![\w-])--?[\w-]+/g) ?? []),
  ])
  const strange = words.find((word) => /^--?[a-z]/i.test(word) && !flags.has(word.replace(/=.*/, '')))
  return strange === undefined ? undefined : `there is no option ${strange}`
}

const isName = (word: string) => /^[a-z][a-z-]*$/.test(word)
