/** `svc config show` and `svc config diff`: what is set, what could be, and what differs from the defaults. */
import { isDeepStrictEqual } from 'node:util'
import { type CliArguments, type CliContext, Config, type PluginContext } from 'svc/sdk'
import { type ConfigEntry, ConfigFile, formatConfigPath, getAtPath, parseConfigPath } from 'svc/sdk/host'
import { Document, isScalar, isSeq, type Scalar, stringify, visit } from 'yaml'
import { oneLine, toJson } from './output.ts'

type Context = PluginContext<undefined>
type Values = Record<string, unknown>

/** Prints what is in force, with `--defaults` also what is not set, each with its description. */
export async function show(ctx: Context, { options }: CliArguments, io: CliContext): Promise<number> {
  const file = ctx.use(ConfigFile)
  if (options['origin'] === true) return origins(await file.keys(), options, io)
  const keys = options['defaults'] === true ? await file.keys() : undefined
  const values = keys ? collectValues(keys) : ((await file.read('')).value as Values)
  if (options['json'] === true) io.out(toJson(values))
  else if (keys) io.out(formatWithDescriptions(values, keys))
  else if (Object.keys(values).length > 0) io.out(stringify(values, { lineWidth: 0 }))
  else io.err(`Nothing is set in ${ctx.use(Config).file}; defaults apply: svc config show --defaults\n`)
  return 0
}

/** One line a value. The layer of the machine wins over config.yaml, which wins over the default. */
function origins(all: readonly ConfigEntry[], options: CliArguments['options'], io: CliContext): number {
  const rows = all.flatMap(({ path, value, default: fallback, file, fixed }) => {
    const [shown, origin] = value === undefined ? [fallback, 'default'] : [value, fixed ?? file]
    if (shown === undefined || isBlock(shown) || (origin === 'default' && options['defaults'] !== true)) return []
    return [{ path, value: shown, origin, ...(fixed === undefined ? {} : { fixed: true }) }]
  })
  if (options['json'] === true) io.out(toJson(rows))
  else
    for (const { path, value, origin, fixed } of rows)
      io.out(`${path}: ${oneLine(value)} (${origin}${fixed ? ', fixed for this machine' : ''})\n`)
  return 0
}

/** Prints what differs from the defaults. */
export async function diffFromDefaults(ctx: Context, { options }: CliArguments, io: CliContext): Promise<number> {
  const keys = await ctx.use(ConfigFile).keys()
  const different = keys.filter((key) => {
    const isSet = key.value !== undefined && !isBlock(key.value) && key.path !== 'config_version'
    return isSet && !isDeepStrictEqual(key.value, key.default)
  })
  if (options['json'] === true) {
    const rows = different.map(({ path, value, default: fallback, unknown }) => {
      return { path, value, default: fallback, ...(unknown ? { unknown: true } : {}) }
    })
    io.out(toJson(rows))
    return 0
  }
  for (const { path, value, default: fallback, unknown } of different) {
    const was = fallback === undefined ? '' : ` (default ${oneLine(fallback)})`
    io.out(`${path}: ${oneLine(value)}${unknown ? ' (unknown setting)' : was}\n`)
  }
  if (different.length === 0) io.out('Everything is at its default.\n')
  return 0
}

/** All values in one: what is set, else the default. */
function collectValues(keys: readonly ConfigEntry[]): Values {
  const all: Values = {}
  for (const key of keys) {
    const value = key.value ?? key.default
    const path = parseConfigPath(key.path) ?? []
    const block = getAtPath(all, path.slice(0, -1))
    if (value !== undefined && isMapping(block)) block[path.at(-1) as string] = isBlock(value) ? {} : value
  }
  return all
}

/** YAML with the description of each key above it, and a mark at what is not set. */
function formatWithDescriptions(values: Values, keys: readonly ConfigEntry[]): string {
  const known = new Map(keys.map((key) => [key.path, key]))
  const document = new Document(values)
  visit(document, {
    Pair(_key, { key }, ancestors) {
      if (ancestors.some(isSeq)) return
      const outer = ancestors.flatMap((node) => ('key' in node && isScalar(node.key) ? [String(node.key.value)] : []))
      const found = known.get(formatConfigPath([...outer, String((key as Scalar).value)]))
      const isDefault = found?.value === undefined && !isBlock(found?.default)
      const text = [found?.description, isDefault ? '(default)' : undefined].filter(Boolean)
      if (text.length > 0) (key as Scalar).commentBefore = ` ${text.join(' ')}`
    },
  })
  return document.toString({ lineWidth: 0 })
}

/** A mapping that holds something: its keys say all there is to say. */
function isBlock(value: unknown): boolean {
  return isMapping(value) && Object.keys(value).length > 0
}

function isMapping(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
