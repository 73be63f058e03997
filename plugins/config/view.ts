/** The configuration as the commands look at it: values, who owns them, and what may be shown. */
import { Config, type EnvironmentVariable, Home, type PluginContext, Plugins, Secrets } from 'svc/sdk'
import { readText } from './atomic-write.ts'
import { type Block, loadBlocks, wholeSchema } from './blocks.ts'
import { valueAt } from './config-path.ts'
import { readEnv } from './env-edit.ts'
import { isSecretSchema, type JsonSchema, schemaAt } from './json-schema.ts'
import {
  declaredVariables,
  expand,
  isSecretPath,
  isSecretVariable,
  isVariable,
  type Lookup,
  lookupIn,
} from './secret-names.ts'
import { readSource, type Values, type YamlSource } from './yaml-source.ts'
import type { Path } from './yaml-steps.ts'

/** One reading of both files. */
export interface View {
  readonly file: string
  readonly envFile: string
  readonly source: YamlSource
  /** There is a config.yaml. */
  readonly exists: boolean
  /** With `${NAME}` expanded. */
  readonly effective: Values
  readonly lookup: Lookup
  readonly declared: readonly EnvironmentVariable[]
  readonly blocks: readonly Block[]
  readonly whole: JsonSchema
  /** A value as it may be shown: secrets are stars. */
  shown(path: Path, value: unknown): unknown
}

/** Reads both files and asks plugins for their schemas: all, or those that a path touches. Throws `CONFIG_UNREADABLE`. */
export async function readView(ctx: PluginContext<unknown>, paths?: readonly Path[]): Promise<View> {
  const [plugins, secrets] = [ctx.use(Plugins), ctx.use(Secrets)]
  const { file } = ctx.use(Config)
  const envFile = ctx.use(Home).path('.env')
  const [config, env] = await Promise.all([readText(file), readText(envFile)])
  // A variable is none of config.yaml's business, which may be broken.
  const isAboutVariables = paths?.some(isVariable) ?? false
  const source = readSource(isAboutVariables ? '' : (config.text ?? ''), file)
  const disabled = valueAt(source.values, ['plugins', 'disabled'])
  const blocks = await loadBlocks(plugins, Array.isArray(disabled) ? disabled.map(String) : [], paths)
  const whole = wholeSchema(blocks)
  const declared = declaredVariables(plugins.list().map(({ manifest }) => manifest))
  const lookup = lookupIn(secrets, readEnv(env.text ?? ''))
  const shown = (path: Path, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item, at) => shown([...path, String(at)], item))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown([...path, key], item)]))
    const isSecret = isVariable(path) ? isSecretVariable(path[0] as string, declared) : isSecretPath(path)
    const isHidden = isSecret || isSecretSchema(schemaAt(whole, path))
    if (isHidden && value !== '' && (typeof value === 'string' || typeof value === 'number')) return '***'
    return typeof value === 'string' ? secrets.mask(value) : value
  }
  return {
    file,
    envFile,
    source,
    exists: config.text !== undefined,
    effective: expand(source.values, lookup) as Values,
    lookup,
    declared,
    blocks,
    whole,
    shown,
  }
}
