/** What goes into a bundle: each part is collected alone, so that one that is broken is no reason to have none of the others. */
import { release, totalmem } from 'node:os'
import { Clock, errorCode, errorMessage, Home, logFault, type PluginContext, Secrets } from 'svc/sdk'
import { ConfigFile, Health, Plugins } from 'svc/sdk/host'
import { Logs } from 'svc/sdk/operations'
import { stringify } from 'yaml'
import { listPersonal, listSpoken } from './conversations.ts'
import { listDatabases } from './databases.ts'
import { createRedact, mapTexts } from './redact.ts'
import { hideSpoken } from './spoken-text.ts'

type Context = PluginContext<undefined>

export interface CollectOptions {
  /** Entries of each log. */
  readonly lines: number
  readonly signal: AbortSignal
}

export interface Contents {
  /** Texts by the names of files. */
  readonly files: ReadonlyMap<string, string>
  /** Parts that could not be collected, with the reasons. */
  readonly missing: readonly { readonly name: string; readonly reason: string }[]
}

/** What stands under these names are words of svc itself. */
const OWN_WORDS: ReadonlySet<string> = new Set(
  'plugin version sdk origin status state stage level check gates'.split(' '),
)

export async function collect(ctx: Context, options: CollectOptions): Promise<Contents> {
  const missing: { name: string; reason: string }[] = []
  const attempt = async <T>(name: string, work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      options.signal.throwIfAborted()
      logFault(ctx.log, `${name} could not be collected for a bundle`, error)
      missing.push({ name, reason: `${errorMessage(error)} (${errorCode(error) ?? 'unknown'})` })
      return undefined
    }
  }
  const settings = await attempt('config.yaml', () => readSettings(ctx))
  const found: Record<string, unknown> = {
    'doctor.json': await attempt('doctor.json', () => runChecks(ctx, options.signal)),
    'plugins.json': describePlugins(ctx),
    ...((await attempt('logs', () => readLogs(ctx, options.lines))) ?? {}),
  }
  // Without them the texts of the log could not be told from those of conversations: no log is better than that.
  const spoken = await attempt('logs', async () => [
    ...(await listSpoken(ctx, findOldest(found))),
    ...listPersonal(ctx),
  ])
  if (!spoken) for (const name of Object.keys(found)) if (name.startsWith('logs/')) delete found[name]
  const databases = await attempt('databases.json', () => listDatabases(ctx.use(Home).dir))
  const redact = createRedact(ctx, settings)
  const { missing: reasons, ...shown } = hideAll({ ...found, missing }, spoken ?? []) as typeof found
  const parts = { 'system.json': describeSystem(ctx), ...shown, 'databases.json': databases }
  const files = new Map<string, string>()
  for (const [name, value] of Object.entries(parts))
    if (value !== undefined) files.set(name, render(name, mapTexts(value, redact)))
  if (settings !== undefined) files.set('config.yaml', stringify(mapTexts(settings, redact), { lineWidth: 0 }))
  // Names of fields are not looked at above.
  for (const [name, text] of files) files.set(name, ctx.use(Secrets).mask(text))
  return { files, missing: mapTexts(reasons, redact) as typeof missing }
}

/** Logs have a line for each entry. */
function render(name: string, value: unknown): string {
  if (!name.endsWith('.jsonl')) return `${JSON.stringify(value, undefined, 2)}\n`
  return (value as readonly unknown[]).map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

/** Nothing that names the machine or its user. */
function describeSystem(ctx: Context) {
  const { profile } = ctx.use(Home)
  return {
    created: new Date(ctx.use(Clock).now()).toISOString(),
    svc: ctx.use(Plugins).info(ctx.name)?.manifest.version,
    node: process.version,
    versions: process.versions,
    platform: process.platform,
    release: release(),
    architecture: process.arch,
    memoryMegabytes: Math.round(totalmem() / 1e6),
    locale: Intl.DateTimeFormat().resolvedOptions().locale,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    isProfile: profile !== undefined,
  }
}

function describePlugins(ctx: Context) {
  const plugins = ctx
    .use(Plugins)
    .list()
    .map(({ manifest, origin, status, generation, reason, leftOut, holds }) => {
      const { name: plugin, version, sdk } = manifest
      return { plugin, version, sdk, origin, status, generation, reason, leftOut, holds }
    })
  return { plugins, problems: ctx.use(Plugins).problems(), guards: ctx.use(Plugins).guards() }
}

/** As written, with `${NAME}` for variables; stars for secrets. Comments are not in it: they may hold anything. */
async function readSettings(ctx: Context): Promise<unknown> {
  const file = await ctx.use(Plugins).bring(ConfigFile)
  return file ? ((await file.read('')).written ?? {}) : undefined
}

async function runChecks(ctx: Context, signal: AbortSignal) {
  const health = await ctx.use(Plugins).bring(Health)
  const reports = (await health?.run(signal)) ?? []
  return reports.map(({ check, title, findings }) => {
    return { check, title, findings: findings.map(({ state, text, fix }) => ({ state, text, fix })) }
  })
}

async function readLogs(ctx: Context, lines: number): Promise<Record<string, unknown>> {
  const logs = await ctx.use(Plugins).bring(Logs)
  const read: Record<string, unknown> = {}
  for (const { name, size } of logs?.files() ?? []) {
    const entries = size === 0 ? [] : ((await logs?.read({ file: name }, lines)) ?? [])
    // A line that is not one of svc may hold anything.
    const own = entries.filter(({ level }) => level !== undefined).map(({ file, ...entry }) => entry)
    if (own.length > 0) read[`logs/${name}.jsonl`] = own
  }
  return read
}

function findOldest(found: Readonly<Record<string, unknown>>): number {
  const times = Object.entries(found)
    .filter(([name]) => name.startsWith('logs/'))
    .flatMap(([, entries]) => (entries as readonly { readonly at?: number }[]).map(({ at }) => at ?? 0))
  return times.length === 0 ? Number.POSITIVE_INFINITY : times.reduce((one, two) => Math.min(one, two))
}

/** Plain data, without what was said. */
function hideAll(data: unknown, spoken: readonly string[]): unknown {
  const texts: string[] = []
  const collectText = (text: string, key: string) => {
    if (!OWN_WORDS.has(key)) texts.push(text)
    return text
  }
  mapTexts(data, collectText)
  const shown = hideSpoken(texts, spoken)
  let at = 0
  return mapTexts(data, (text, key) => (OWN_WORDS.has(key) ? text : (shown[at++] ?? '')))
}
