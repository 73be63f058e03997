/** argv -> the plugin that owns the command -> run. Help comes from manifests alone: no plugin is loaded for it. */
import { locateHome, readActiveProfile, readInheritedProfile } from '../home/home-folder.ts'
import type { PluginRecord } from '../kernel/plugin-record.ts'
import { builtIns, foreign, projectPluginsEnabled } from '../loader/discover.ts'
import type { NamedFolders } from '../loader/named-folders.ts'
import { SvcError } from '../sdk/errors.ts'
import type { CliManifestEntry } from '../sdk/manifest.ts'
import type { ProcessRole } from '../sdk/plugin.ts'
import { findEntry, listEntries } from './command-entry.ts'
import { manifestHelp, programHelp } from './help.ts'
import { isStartedByAgent, refusedOption, refusedToAgent } from './leash.ts'

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
    const chosen = findProfile(globals, env)
    const project = projectPluginsEnabled(env['SVC_ENABLE_PROJECT_PLUGINS']).on ? process.cwd() : undefined
    const installed = [...builtIns(), ...(await foreign(locateHome(env, chosen.profile).dir, project))]
    const named = await takeFolders(globals.folders, installed, env)
    const { found } = named
    const [first] = globals.argv
    if (first === '--help' || first === '-h' || first === 'help') return await help(globals.argv, found)
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
      ...chosen,
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

/** `svc --help`, or `svc help COMMAND`. */
async function help([, ...command]: readonly string[], found: readonly PluginRecord[]): Promise<number> {
  return command.length > 0 ? main([...command, '--help']) : programHelp(found)
}

/** The profile that was typed, that of the svc that started this one, or the active one. */
function findProfile({ profile }: Globals, env: NodeJS.ProcessEnv): { readonly profile?: string } {
  const chosen = profile ?? readInheritedProfile(env) ?? readActiveProfile(env)
  return chosen === undefined ? {} : { profile: chosen }
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

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h')
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
