/** The configuration as front ends see it: keys with their values, defaults and owners; no secret can be read. */
import { Config, Home, type PluginContext, Secrets } from 'svc/sdk'
import {
  applyFixed,
  type ConfigEntry,
  type ConfigLayer,
  type EnvironmentVariable,
  formatConfigPath,
  getAtPath,
  isFixedAt,
  type ParsedYaml,
  Plugins,
} from 'svc/sdk/host'
import { readText } from './atomic-write.ts'
import { type Block, loadBlocks, unknownKey, wholeSchema } from './config-blocks.ts'
import { configText, parseKeys } from './config-text.ts'
import { readEnv } from './env-edit.ts'
import {
  childSchema,
  findDefault,
  isSecretAt,
  type JsonSchema,
  namedKeys,
  note,
  open,
  type Path,
  schemaAt,
} from './json-schema.ts'
import {
  createLookup,
  declaredVariables,
  expand,
  isSecretPath,
  isSecretVariable,
  isVariable,
  type Lookup,
  mapInside,
} from './secrets.ts'
import { type Names, namesFrom } from './validate.ts'

type Context = PluginContext<unknown>

/** One reading of both files. */
export interface View {
  readonly file: string
  readonly envFile: string
  /** The text of config.yaml; undefined when there is none. */
  readonly text: string | undefined
  readonly envText: string
  readonly yaml: ParsedYaml
  /** What the machine decides, over everything that the home says. */
  readonly machine: ConfigLayer | undefined
  /** With `${NAME}` expanded, and with the layer of the machine. */
  readonly effective: unknown
  readonly defaults: unknown
  readonly lookup: Lookup
  readonly declared: readonly EnvironmentVariable[]
  readonly blocks: readonly Block[]
  readonly whole: JsonSchema
  readonly names: Names
  /** A value as it may be shown: secrets are stars. */
  shown(path: Path, value: unknown): unknown
}

/** What a view is about. Only plugins that own a part of it are asked for their schemas. */
interface Scope {
  /** Paths; left out: everything. `set` is all that is set. */
  readonly paths?: readonly Path[] | 'set'
  /** Stands in for config.yaml. */
  readonly text?: string | undefined
}

/** Reads both files. Throws `CONFIG_UNREADABLE`. */
export async function readView(ctx: Context, { paths, text }: Scope = {}): Promise<View> {
  const [plugins, secrets] = [ctx.use(Plugins), ctx.use(Secrets)]
  const { file } = ctx.use(Config)
  const envFile = ctx.use(Home).path('.env')
  const [config, { text: envText = '' }] = await Promise.all([text ?? readText(file), readText(envFile)])
  const yamlText = typeof config === 'string' ? config : config.text
  // A variable does not depend on config.yaml, which may be broken.
  const isAboutVariable = paths !== 'set' && (paths?.some(isVariable) ?? false)
  const yaml = await configText(ctx).read(isAboutVariable ? '' : (yamlText ?? ''))
  const { machine } = ctx.use(Config)
  const values = applyFixed(yaml.values, machine?.values ?? {})
  const blocks = await loadBlocks(ctx, values, paths === 'set' ? listLeaves(values) : paths)
  const whole = wholeSchema(blocks)
  const declared = declaredVariables(plugins)
  const lookup = createLookup(secrets, readEnv(envText))
  const shown = (path: Path, value: unknown): unknown => {
    if (typeof value === 'object') return mapInside(value, (item, key) => shown([...path, key], item))
    const isSecret = isVariable(path) ? isSecretVariable(path[0] as string, declared) : isSecretPath(path)
    const isHidden = isSecret || isSecretAt(whole, path)
    if (isHidden && value !== '' && (typeof value === 'string' || typeof value === 'number')) return '***'
    return typeof value === 'string' ? secrets.mask(value) : value
  }
  const effective = applyFixed(expand(yaml.values, lookup), machine?.values ?? {})
  const defaults = findDefault(whole)
  return {
    file,
    envFile,
    text: yamlText,
    envText,
    yaml,
    machine,
    effective,
    defaults,
    lookup,
    declared,
    blocks,
    whole,
    names: namesFrom(plugins),
    shown,
  }
}

/** One key, block, or variable. */
export async function readKey(ctx: Context, dotted: string): Promise<ConfigEntry> {
  const path = dotted === '' ? [] : parseKeys(dotted)
  const view = await readView(ctx, { paths: path.length === 0 ? 'set' : [path] })
  if (isVariable(path)) return toVariable(view, path)
  const key = toKey(view, path)
  // A misspelt key may be meant for any plugin.
  return key.unknown ? { ...key, ...unknownAt(await readView(ctx), path) } : key
}

/** Every key that is set or known, each block before its keys. */
export async function listKeys(ctx: Context): Promise<ConfigEntry[]> {
  const view = await readView(ctx)
  const pathsUnder = (path: Path, schema: JsonSchema): Path[] => {
    const names = [
      ...listNames(getAtPath(view.effective, path)),
      ...namedKeys(schema),
      ...listNames(getAtPath(view.defaults, path)),
    ]
    return [...new Set(names)].flatMap((name) => {
      const here = [...path, name]
      return [here, ...pathsUnder(here, childSchema(schema, name) ?? open)]
    })
  }
  return pathsUnder([], view.whole).map((path) => toKey(view, path))
}

/** The paths of all values that hold no others. */
export function listLeaves(value: unknown, path: Path = []): Path[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0) return path.length > 0 ? [path] : []
  return entries.flatMap(([key, item]) => listLeaves(item, [...path, key]))
}

function toKey(view: View, path: Path): ConfigEntry {
  const description = note(schemaAt(view.whole, path), 'description')
  return {
    path: formatConfigPath(path),
    value: view.shown(path, getAtPath(view.effective, path)),
    written: view.shown(path, getAtPath(view.yaml.values, path)),
    default: view.shown(path, getAtPath(view.defaults, path)),
    secret: isSecretAt(view.whole, path),
    file: view.file,
    ...(isFixedAt(view.machine?.values, path) && view.machine ? { fixed: view.machine.file } : {}),
    ...(description === undefined ? {} : { description }),
    ...unknownAt(view, path),
  }
}

function toVariable(view: View, path: Path): ConfigEntry {
  const [name = ''] = path
  const description = view.declared.find((variable) => variable.name === name)?.description
  return {
    path: name,
    value: view.shown(path, view.lookup(name)),
    written: view.shown(path, readEnv(view.envText)[name]),
    default: undefined,
    secret: isSecretVariable(name, view.declared),
    file: view.envFile,
    ...(description === undefined ? {} : { description }),
  }
}

function unknownAt(view: View, path: Path): Pick<ConfigEntry, 'unknown'> {
  const found = unknownKey(view.whole, path)
  if (!found) return {}
  return {
    unknown: {
      path: formatConfigPath(found.path),
      ...(found.nearest ? { nearest: formatConfigPath(found.nearest) } : {}),
    },
  }
}

function listNames(value: unknown): string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
}
