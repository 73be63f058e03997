/** `svc plugins info NAME`: all that is known of one plugin, and what to do next. */
import { dirname, join } from 'node:path'
import { type CliArguments, type CliContext, Config, type PluginContext, Secrets } from 'svc/sdk'
import { listServices, listWanted, type Manifest, type PluginInfo, type PluginProblem, Plugins } from 'svc/sdk/host'
import { formatColumns, formatMoment, hasFlag, paint, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { wordFor } from './list.ts'
import type { OldName } from './migrate/files.ts'
import { describeOldName, findUsedOldNames } from './old-names.ts'
import { explainNeverLoaded, findPlugin, missingServices, obstacle } from './plugin-relations.ts'
import { findPlaces, type LivePlugin, liveProcesses } from './running-processes.ts'
import { getBlockPath, settingsProblems } from './settings.ts'
import { isOn, readSwitches } from './switches.ts'

const SHOWN_PROBLEMS = 5

interface Variable {
  readonly name: string
  readonly description: string
  /** Where its value comes from; the value itself is never shown. */
  readonly source: 'environment' | '.env' | undefined
  readonly secret: boolean
}

interface Portrait extends PluginInfo {
  readonly dataDir: string
  readonly config: { readonly path: string; readonly keys: readonly string[] }
  readonly env: readonly Variable[]
  readonly missing: readonly string[]
  readonly running: readonly LivePlugin[]
  readonly problems: readonly PluginProblem[]
  /** What it does not accept of its settings. */
  readonly settings?: readonly string[]
  /** Names of earlier SDKs that its code uses. */
  readonly oldNames?: readonly OldName[]
  /** What other plugins that are on put in the place of something of it. */
  readonly replacedBy: readonly string[]
  readonly next: string
}

export async function info(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const found = await portrait(ctx, await findPlugin(ctx, input.args[0] as string))
  if (hasFlag(input, 'json')) printJson(io, found)
  else printPortrait(io, found)
  return 0
}

async function portrait(ctx: PluginContext<undefined>, found: PluginInfo): Promise<Portrait> {
  const { manifest } = found
  const { name } = manifest
  const [processes, invalid] = await Promise.all([liveProcesses(ctx), settingsProblems(ctx)])
  const switches = readSwitches(ctx)
  const missing = missingServices(ctx, found, switches)
  const env = variables(ctx, manifest)
  const running = findPlaces(found, processes)
  const everywhere = [...ctx.use(Plugins).problems(), ...processes.flatMap(({ problems }) => problems)]
  const problems = everywhere.filter(({ plugin }) => plugin === name).slice(-SHOWN_PROBLEMS)
  const settings = invalid.get(name)
  const oldNames = await findUsedOldNames(ctx, found)
  const failing = problems.length > 0
  const next = nextStep(found, {
    on: isOn(found, switches),
    missing,
    env,
    failing,
    settings,
    oldNames,
    unloaded: explainNeverLoaded(ctx, found),
  })
  const path = getBlockPath(found)
  const { dataDir = join(dirname(ctx.dataDir), name) } = found
  const keys = found.origin === 'project' ? [] : keysAt(ctx, path)
  const replacedBy = findReplacing(found, ctx.use(Plugins).list(), (other) => isOn(other, switches))
  const basics = { ...found, dataDir, replacedBy, config: { path, keys }, env, missing, running, problems, next }
  return { ...basics, ...(settings && { settings }), ...(oldNames.length > 0 && { oldNames }) }
}

/** By their manifests. */
function findReplacing(
  { manifest: { name, contributes = {}, provides = [] } }: PluginInfo,
  all: readonly PluginInfo[],
  isUsed: (other: PluginInfo) => boolean,
): string[] {
  return all.flatMap((other) => {
    const { replaces = {}, wraps = [] } = other.manifest
    if (other.manifest.name === name || !isUsed(other)) return []
    const items = Object.entries(replaces).flatMap(([point, keys]) =>
      keys.filter((key) => contributes[point]?.includes(key)).map((key) => `${point}: ${key}`),
    )
    const services = wraps.filter((id) => provides.includes(id)).map((id) => `service ${id}`)
    return [...items, ...services].map((what) => `${other.manifest.name} (${what})`)
  })
}

function variables(ctx: PluginContext<undefined>, { env = [] }: Manifest): Variable[] {
  const secrets = ctx.use(Secrets)
  return env.map(({ name, description, secret = false }) => ({
    name,
    description,
    secret,
    source: secrets.source(name),
  }))
}

/** Which keys of its block are set; values may be secret. */
function keysAt(ctx: PluginContext<undefined>, path: string): string[] {
  const block = ctx.use(Config).get(path)
  return typeof block === 'object' && block !== null ? Object.keys(block) : []
}

interface Facts {
  readonly on: boolean
  readonly missing: readonly string[]
  readonly env: readonly Variable[]
  readonly failing: boolean
  readonly settings: readonly string[] | undefined
  readonly oldNames: readonly OldName[]
  /** Why nothing loads it. */
  readonly unloaded: string | undefined
}

function nextStep(found: PluginInfo, { on, missing, env, failing, settings, oldNames, unloaded }: Facts): string {
  const { name } = found.manifest
  const problem = obstacle(found)
  if (problem) return `mend ${found.dir}: ${problem}`
  if (!on) return `svc plugins enable ${name}`
  if (settings) return `mend its settings, with svc config edit or as said above`
  if (missing.length) return `install or enable a plugin that provides ${missing.map((id) => `"${id}"`).join(', ')}`
  if (failing || found.status === 'failed') return `mend what went wrong, then: svc plugins reload ${name}`
  const unset = env.find(({ source, secret }) => secret && source === undefined)
  if (unset) return `if you want to use it: svc config set ${unset.name} <value>`
  if (unloaded) return `mend plugin.json in ${found.dir}: ${unloaded}`
  if (oldNames.length) return `svc plugins migrate ${name}`
  return 'nothing; it runs when something needs it'
}

function printPortrait(io: CliContext, found: Portrait): void {
  const { manifest, origin, dir, dataDir, config, env, missing, running, problems } = found
  io.out(`${paint(io, 'bold', manifest.name)} ${safeLine(`${manifest.version}, ${manifest.kind}`)}\n`)
  io.out(`${safeLine(manifest.description)}\n\n`)
  const contributes = Object.entries(manifest.contributes ?? {}).map(([point, keys]) => `${point}: ${keys.join(', ')}`)
  const rows: [string, readonly string[]][] = [
    ['from', [`${origin}${dir ? `, ${dir}` : ''}`]],
    ['sdk', [manifest.sdk]],
    ['status', [[wordFor(found), found.reason].filter(Boolean).join(': ')]],
    ['running in', running.map((place) => `${place.command} (process ${place.pid}): ${describePlace(place)}`)],
    ['provides', manifest.provides ?? []],
    ['requires', (manifest.requires ?? []).map((id) => (missing.includes(id) ? `${id} (nothing provides it)` : id))],
    ['wants', listWanted(manifest)],
    ['uses if there', listServices(manifest.uses)],
    ['replaces', Object.entries(manifest.replaces ?? {}).map(([point, keys]) => `${point}: ${keys.join(', ')}`)],
    ['wraps', manifest.wraps ?? []],
    ['replaced by', found.replacedBy],
    ['comes with', manifest.with ?? []],
    ['contributes', contributes],
    ['commands', (manifest.cli ?? []).map((entry) => `svc ${entry.name}`)],
    [
      'config block',
      [
        origin === 'project'
          ? `${config.path} of .svc/config.yaml in the project`
          : config.keys.length
            ? `${config.path} (set: ${config.keys.join(', ')})`
            : `${config.path} (nothing set)`,
      ],
    ],
    ['settings', found.settings ?? []],
    ['environment', env.map(({ name, source, description }) => `${name}: ${sourceText(source)}; ${description}`)],
    ['old names', (found.oldNames ?? []).map((each) => describeOldName(each))],
    ['data', [dataDir]],
    ['holds', formatHolds(found.holds)],
    [
      'problems',
      problems.map(({ at, stage, message, code }) => `${formatMoment(at, 'seconds')} ${stage}: ${message} (${code})`),
    ],
    ['next', [found.next]],
  ]
  const lines = rows.flatMap(([label, values]) => values.map((value, at) => [at === 0 ? label : '', value]))
  for (const line of formatColumns(lines)) io.out(`${line}\n`)
}

function describePlace({ status, generation, reason, holds }: LivePlugin): string {
  const held = formatHolds(holds)
  const parts = [`${status}, generation ${generation}`, held.length ? `holds ${held.join(', ')}` : '', reason ?? '']
  return parts.filter(Boolean).join('; ')
}

function formatHolds(holds: PluginInfo['holds']): string[] {
  return Object.entries(holds).map(([what, count]) => `${what}: ${count}`)
}

function sourceText(source: Variable['source']): string {
  if (source === undefined) return 'not set'
  return source === '.env' ? 'set in .env' : 'set in the environment'
}
