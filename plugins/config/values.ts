/** `svc config get`, `set`, `unset`, `show` and `diff`: single values and what differs from the defaults. */
import { type CliInput, type CliIo, type PluginContext, Secrets } from 'svc/sdk'
import { Document, isMap, isScalar, type Scalar, visit } from 'yaml'
import { unknownKey } from './blocks.ts'
import { formatPath, parsePath, valueAt } from './config-path.ts'
import { defaultOf, isSecretSchema, note, schemaAt } from './json-schema.ts'
import { isSecretVariable, isVariable } from './secret-names.ts'
import { typedValue } from './typed-value.ts'
import { differingPaths } from './undo.ts'
import { readView, type View } from './view.ts'
import type { ConfigWriter } from './writer.ts'
import type { Path } from './yaml-steps.ts'

type Context = PluginContext<unknown>

/** Prints one value; exit code 1 when it is not set. */
export async function get(ctx: Context, { args, options }: CliInput, io: CliIo): Promise<number> {
  const path = parsePath(args[0] as string)
  const view = await readView(ctx, [path])
  const value = isVariable(path) ? view.lookup(path[0] as string) : valueAt(view.effective, path)
  if (value !== undefined) {
    const shown = view.shown(path, value)
    io.out(options['json'] === true ? toJson(shown) : `${typeof shown === 'object' ? toYaml(shown) : String(shown)}\n`)
    return 0
  }
  const schema = schemaAt(view.whole, path)
  const fallback = view.shown(path, schema && defaultOf(schema))
  io.err(`${formatPath(path)} is not set${fallback === undefined ? '.' : `; the default is ${oneLine(fallback)}.`}\n`)
  warn(io, await unknownWarning(ctx, view, path))
  return 1
}

/** Writes one value after its owner accepted it. */
export async function set(ctx: Context, writer: ConfigWriter, { args, options }: CliInput, io: CliIo): Promise<number> {
  const path = parsePath(args[0] as string)
  const view = await readView(ctx, [path])
  const schema = schemaAt(view.whole, path)
  const variable = isVariable(path) ? (path[0] as string) : undefined
  const isSecret = variable ? isSecretVariable(variable, view.declared) : isSecretSchema(schema)
  const text = args[1] ?? (await asked(path, isSecret, io))
  if (text === undefined) {
    io.err(`svc: a value is missing: svc config set ${formatPath(path)} <value>\n`)
    return 2
  }
  const value = variable || isSecret ? text : typedValue(text, schema)
  const key = formatPath(path)
  const change = await writer.write([{ path: key, value }], { author: 'svc config set', reason: `set ${key}` })
  const warning = variable ? shadowed(ctx, variable) : await unknownWarning(ctx, view, path)
  const file = variable ? view.envFile : view.file
  const shown = isSecret ? '***' : view.shown(path, value)
  if (options['json'] === true)
    io.out(toJson({ path: key, value: shown, file, changed: change !== undefined, change: change?.id, warning }))
  else if (change) io.out(`${key} = ${oneLine(shown)} (${file})\n`)
  else io.out(`${key} is ${oneLine(shown)} already; nothing was written.\n`)
  warn(io, warning)
  return 0
}

/** Removes one value. */
export async function unset(
  ctx: Context,
  writer: ConfigWriter,
  { args, options }: CliInput,
  io: CliIo,
): Promise<number> {
  const path = parsePath(args[0] as string)
  const key = formatPath(path)
  const view = await readView(ctx, [path])
  const change = await writer.write([{ path: key, value: undefined }], {
    author: 'svc config unset',
    reason: `unset ${key}`,
  })
  const schema = schemaAt(view.whole, path)
  const fallback = schema && defaultOf(schema)
  if (options['json'] === true)
    io.out(toJson({ path: key, changed: change !== undefined, change: change?.id, default: fallback }))
  else if (!change) io.out(`${key} was not set; nothing was written.\n`)
  else io.out(`${key} is unset${fallback === undefined ? '' : `; the default is ${oneLine(fallback)}`}.\n`)
  if (!change) warn(io, await unknownWarning(ctx, view, path))
  return 0
}

/** Prints what is in force, with `--defaults` also what is not set, each with its description. */
export async function show(ctx: Context, { options }: CliInput, io: CliIo): Promise<number> {
  const view = await readView(ctx, options['defaults'] === true ? undefined : [])
  const values = options['defaults'] === true ? layered(defaultOf(view.whole), view.effective) : view.effective
  const shown = view.shown([], values)
  if (options['json'] === true) io.out(toJson(shown))
  else if (options['defaults'] === true) io.out(`${described(view, shown)}\n`)
  else if (Object.keys(values as object).length > 0) io.out(`${toYaml(shown)}\n`)
  else io.err(`Nothing is set in ${view.file}; defaults apply: svc config show --defaults\n`)
  return 0
}

/** Prints what differs from the defaults. */
export async function diffFromDefaults(ctx: Context, { options }: CliInput, io: CliIo): Promise<number> {
  const view = await readView(ctx)
  const defaults = defaultOf(view.whole) ?? {}
  const rows = differingPaths(defaults, layered(defaults, view.effective)).flatMap((path) => {
    if (path[0] === 'config_version') return []
    const isUnknown = unknownKey(view.whole, path) !== undefined
    const value = view.shown(path, valueAt(view.effective, path))
    return [
      { path: formatPath(path), value, default: valueAt(defaults, path), ...(isUnknown ? { unknown: true } : {}) },
    ]
  })
  if (options['json'] === true) io.out(toJson(rows))
  else if (rows.length === 0) io.out('Everything is at its default.\n')
  for (const row of options['json'] === true ? [] : rows) {
    const was = row.default === undefined ? '' : ` (default ${oneLine(row.default)})`
    io.out(`${row.path}: ${oneLine(row.value)}${row.unknown ? ' (nothing reads this)' : was}\n`)
  }
  return 0
}

/** JSON for programs. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value ?? null, undefined, 2)}\n`
}

/** A path that nothing reads, with what may have been meant among the keys of all plugins. */
async function unknownWarning(ctx: Context, view: View, path: Path): Promise<string | undefined> {
  if (isVariable(path) || !unknownKey(view.whole, path)) return undefined
  const unknown = unknownKey((await readView(ctx)).whole, path)
  const meant = unknown?.nearest ? ` Did you mean ${formatPath(unknown.nearest)}?` : ''
  return unknown && `nothing reads ${formatPath(unknown.path)}.${meant}`
}

/** A value that was not typed beside its key: from a pipe, or asked for, so that a secret stays out of the history. */
async function asked(path: Path, isSecret: boolean, io: CliIo): Promise<string | undefined> {
  const piped = io.interactive ? undefined : await io.stdin(1024 * 1024)
  const text = piped ? new TextDecoder().decode(piped).replace(/\r?\n$/, '') : undefined
  const answer = io.interactive ? await io.ask(`${formatPath(path)}: `, { secret: isSecret }) : text
  return answer === '' ? undefined : answer
}

function shadowed(ctx: Context, name: string): string | undefined {
  const isShadowed = ctx.use(Secrets).source(name) === 'environment'
  return isShadowed ? `${name} is also set in the environment, which wins over .env.` : undefined
}

function warn(io: CliIo, warning: string | undefined): void {
  if (warning) io.err(`svc: ${warning}\n`)
}

function layered(under: unknown, over: unknown): unknown {
  const isMapping = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isMapping(under) || !isMapping(over)) return over ?? under
  const keys = [...new Set([...Object.keys(over), ...Object.keys(under)])]
  return Object.fromEntries(keys.map((key) => [key, layered(valueAt(under, [key]), valueAt(over, [key]))]))
}

/** YAML with the description of each key above it, and a mark at what is not set. */
function described(view: View, values: unknown): string {
  const document = new Document(values)
  visit(document, {
    Pair(_key, pair, ancestors) {
      const outer = ancestors.flatMap((node) => ('key' in node && isScalar(node.key) ? [String(node.key.value)] : []))
      const path = [...outer, String((pair.key as Scalar).value)]
      const isDefault = valueAt(view.effective, path) === undefined && !isMap(pair.value)
      const text = [note(schemaAt(view.whole, path), 'description'), isDefault ? '(default)' : undefined].filter(
        Boolean,
      )
      if (text.length > 0) (pair.key as Scalar).commentBefore = ` ${text.join(' ')}`
    },
  })
  return document.toString({ lineWidth: 0 }).trimEnd()
}

function toYaml(value: unknown): string {
  return new Document(value).toString({ lineWidth: 0 }).trimEnd()
}

function oneLine(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}
