/** argv -> the plugin that owns the command -> run. Help comes from manifests alone: no plugin is loaded for it. */
import { locateHome } from '../home/home.ts'
import type { PluginRecord } from '../kernel/plugin-record.ts'
import { builtIns, foreign, projectPluginsEnabled } from '../loader/discover.ts'
import type { NamedFolders } from '../loader/named-folders.ts'
import { infoCommand } from '../sdk/advice.ts'
import { SvcError } from '../sdk/errors.ts'
import type { CliManifestEntry } from '../sdk/manifest.ts'
import type { ProcessRole } from '../sdk/plugin.ts'
import { findEntry, isAdded, listEntries } from './command-entry.ts'
import { isStartedByAgent, refusedOption, refusedToAgent } from './leash.ts'
import { say } from './stdout.ts'

/** Options that every command takes; they are removed before the command sees the rest. */
interface Globals {
  readonly profile: string | undefined
  /** Of each `--plugin`. */
  readonly folders: readonly string[]
  readonly argv: readonly string[]
}

/** Runs what was typed after `svc`. Returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  // Each look into the environment itself asks the system. On Windows only that one knows `Path` for `PATH`.
  const env = process.platform === 'win32' ? process.env : { ...process.env }
  try {
    const globals = takeGlobals(argv)
    const project = projectPluginsEnabled(env['SVC_ENABLE_PROJECT_PLUGINS']).on ? process.cwd() : undefined
    const installed = [...builtIns(), ...(await foreign(locateHome(env, globals.profile).dir, project))]
    const named = await takeFolders(globals.folders, installed, env)
    const { found } = named
    const [first, ...rest] = globals.argv
    if (first === '--help' || first === '-h' || first === 'help') return await help(found, rest)
    const entries = listEntries(found)
    const byName = findEntry(entries, globals.argv)
    const usual = entries.find((entry) => entry.default)
    const entry = byName?.entry ?? (first === undefined || NO_COMMAND.test(first) ? usual : undefined)
    if (!entry) return await unknown(globals.argv, entries, usual)
    const typedAfter = byName?.after ?? globals.argv
    leash(entry, globals, typedAfter, env)
    // Help runs no code of a user's plugin: neither that of the command, nor what would come along with it.
    const part = asksForHelp(typedAfter) ? found.filter(({ origin }) => origin === 'built-in') : found
    const owners = entries.filter(({ name, of }) => name === entry.name && part.includes(of))
    if (owners.length === 0) return manifestHelp(entry)
    const plugins = owners.map(({ of }) => of.manifest.name)
    const { run } = await import('./run.ts')
    const typed = { command: entry.name, plugins, argv: typedAfter, ...(!byName && { path: 'svc' }) }
    const options = {
      ...{ env, cwd: process.cwd(), found: part, repair: entry.repairs === true },
      role: findRole(entry, typedAfter),
      ...asProfile(globals),
    }
    if (part !== found) return await run(typed, options)
    return await run({ ...typed, named: named.plugins }, { ...options, folders: named.dirs })
  } catch (error) {
    const { failure } = await import('./cli.ts')
    const { text, code } = failure(error)
    process.stderr.write(text)
    return code
  }
}

function asProfile({ profile }: Globals): { readonly profile?: string } {
  return profile === undefined ? {} : { profile }
}

/** An option, or what cannot be the name of a command or a path: a sentence. It is for the default command. */
const NO_COMMAND = /^-|[^\w./~-]/u

/** The role of a process that runs this command. */
function findRole({ role = 'command' }: CliManifestEntry, [first]: readonly string[]): ProcessRole {
  return typeof role === 'string'
    ? role
    : (first !== undefined && Object.hasOwn(role, first) && role[first]) || 'command'
}

/** What the agent starts may not change svc, nor step into another profile. Throws `CLI_IN_AGENT`. */
function leash(entry: CliManifestEntry, { profile }: Globals, argv: readonly string[], env: NodeJS.ProcessEnv): void {
  if (!isStartedByAgent(env)) return
  const refusal = refusedToAgent(profile === undefined ? entry : { ...entry, agent: [] }, argv)
  if (refusal !== undefined) throw new SvcError('CLI_IN_AGENT', refusal)
}

/** Throws `CLI_IN_AGENT`: the agent may not bring code into svc. */
async function takeFolders(
  typed: readonly string[],
  found: readonly PluginRecord[],
  env: NodeJS.ProcessEnv,
): Promise<NamedFolders> {
  if (typed.length === 0) return { dirs: [], plugins: [], found, notices: [] }
  if (isStartedByAgent(env)) throw new SvcError('CLI_IN_AGENT', refusedOption('--plugin'))
  const { readNamedFolders } = await import('../loader/named-folders.ts')
  const named = await readNamedFolders(typed, found, process.cwd())
  for (const notice of named.notices) process.stderr.write(`svc: ${notice}\n`)
  return named
}

function takeGlobals(argv: readonly string[]): Globals {
  let profile: string | undefined
  const folders: string[] = []
  const rest: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string
    if (word === '--') {
      rest.push(...argv.slice(at))
      break
    }
    const { 1: name = word, 2: inline } = /^(--profile|--plugin)=(.*)$/.exec(word) ?? []
    const option = name === '-p' ? '--profile' : name
    if (option === '--profile') profile = inline ?? argv[++at] ?? ''
    else if (option === '--plugin') folders.push(requireFolder(inline ?? argv[++at]))
    else rest.push(word)
  }
  return { profile, folders, argv: rest }
}

function requireFolder(typed: string | undefined): string {
  if (typed) return typed
  throw new SvcError('CLI_USAGE', '--plugin needs the folder of a plugin. Try: svc --help', { status: 400 })
}

const MORE = 'More'
/** Of each group: each command has more in its own help. */
const EXAMPLES = 2
/** How help orders the groups that manifests name. */
const GROUPS: readonly string[] = ['Conversations', 'Models and tools', 'Setup', 'Messaging', MORE]

const toGroupTitle = (group = MORE) => (GROUPS.includes(group) ? group : MORE)

async function help(found: readonly PluginRecord[], command: readonly string[]): Promise<number> {
  if (command.length > 0) return main([...command, '--help'])
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

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h')
}

/** What is known of a command without its code. */
function manifestHelp({ name, description, example, of }: CliManifestEntry & { readonly of: PluginRecord }): number {
  const plugin = of.manifest.name
  const examples = example ? `\n\nExamples\n  svc ${example}` : ''
  const usage = `Usage\n  svc ${name} [options]`
  say(`${description}\n\n${usage}${examples}\n\nIt belongs to the plugin ${plugin}: ${infoCommand(plugin)}\n`)
  return 0
}

/** Words without a command may be meant for the default command, which is suggested: a typo must not become a message. */
async function unknown(
  argv: readonly string[],
  entries: readonly CliManifestEntry[],
  usual?: CliManifestEntry,
): Promise<number> {
  const { findNearest } = await import('../sdk/kit/text/nearest.ts')
  const [typed = ''] = argv
  const close = findNearest(
    typed,
    entries.map(({ name }) => name),
  )
  const meant = close ? ` Did you mean: svc ${close}?` : ''
  const other = usual && !close ? ` As words for svc ${usual.name}: svc ${usual.name} ${argv.join(' ')}.` : ''
  process.stderr.write(`svc: "${typed}" is not a command.${meant}${other} Try: svc --help\n`)
  return 2
}
