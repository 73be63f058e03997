/** What `svc --help` prints, and the help of a command whose code may not run for it: both are made from manifests alone. */
import type { PluginRecord } from '../kernel/plugin-record.ts'
import { infoCommand } from '../sdk/advice.ts'
import type { CliManifestEntry } from '../sdk/manifest.ts'
import { isAdded, listEntries } from './command-entry.ts'
import { say } from './stdout.ts'

const MORE = 'More'
/** Of each group: each command has more in its own help. */
const EXAMPLES = 2
/** How help orders the groups that manifests name. */
const GROUPS: readonly string[] = ['Conversations', 'Models and tools', 'Setup', 'Messaging', MORE]

const toGroupTitle = (group = MORE) => (GROUPS.includes(group) ? group : MORE)

/** Prints the list of all commands. */
export function programHelp(found: readonly PluginRecord[]): number {
  const rows = listEntries(found)
    .filter((entry) => !entry.hidden && !isAdded(entry))
    // Of two with one name the first found runs, unless it is disabled: the other one is not a second command.
    .filter(({ name }, at, all) => all.findIndex((other) => other.name === name) === at)
    .sort((one, two) => Number(two.default ?? false) - Number(one.default ?? false) || (one.name < two.name ? -1 : 1))
  const width = Math.max(0, ...rows.map(({ name }) => name.length)) + 2
  const groups = GROUPS.map((title) => [title, rows.filter(({ group }) => toGroupTitle(group) === title)] as const)
  const list = groups
    .filter(([, some]) => some.length > 0)
    .map(([title, some]) => {
      return [title, ...some.map(({ name, description }) => `  ${name.padEnd(width)}${description}`)].join('\n')
    })
    .join('\n\n')
  const examples = groups
    .flatMap(([, some]) => some.flatMap(({ example }) => example ?? []).slice(0, EXAMPLES))
    .map((example) => `  svc ${example}`)
    .join('\n')
  say(`svc: an AI agent runtime

Usage
  svc [command] [options]
  svc [options] ["question"]

${list}

Options
  -p, --profile <name>  Use a profile, which has its own home folder
  --plugin <folder>     Run a plugin from its folder, for this run; may be repeated
  -h, --help            Show this help; after a command, help for it
  -v, --version         Show the version
${examples ? `\nExamples\n${examples}\n` : ''}`)
  return 0
}

/** What is known of a command without its code. */
export function manifestHelp({
  name,
  description,
  example,
  of,
}: CliManifestEntry & { readonly of: PluginRecord }): number {
  const plugin = of.manifest.name
  const examples = example ? `\n\nExamples\n  svc ${example}` : ''
  const usage = `Usage\n  svc ${name} [options]`
  say(`${description}\n\n${usage}${examples}\n\nIt belongs to the plugin ${plugin}: ${infoCommand(plugin)}\n`)
  return 0
}
