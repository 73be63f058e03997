/** Which plugin owns which part of config.yaml, and what it expects there. */
import { errorMessage, logFault, type Plugin, type PluginContext, type Schema } from 'svc/sdk'
import { formatConfigPath, getAtPath, Plugins } from 'svc/sdk/host'
import { migrateSettings, SETTINGS_VERSION } from 'svc/sdk/kit/state'
import { z } from 'zod'
import { childSchema, findNearest, type JsonSchema, namedKeys, open, type Path } from './json-schema.ts'

/** The part of one plugin. */
export interface Block {
  readonly plugin: string
  readonly path: Path
  readonly schema?: Schema<unknown>
  readonly json: JsonSchema
  /** Its `configMigrations`. */
  readonly steps?: Plugin['configMigrations']
  /** Why its schema could not be had. */
  readonly problem?: string
}

/** A path that nothing reads. */
export interface UnknownKey {
  /** Up to and with the first key that is not known. */
  readonly path: Path
  /** A known path that may have been meant. */
  readonly nearest?: Path
}

const versionSchema: JsonSchema = {
  type: 'integer',
  description: 'The number of migrations that this block has seen. svc writes it.',
}
const noKeys: JsonSchema = { type: 'object', properties: {} }

/** What the kernel itself reads. */
const kernelSchema = z.object({
  config_version: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'The version this file was written for; svc config migrate raises it.' }),
  plugins: z
    .object({
      enabled: z.array(z.string()).nullish().meta({ description: 'A list of plugins that are off until named here.' }),
      required: z
        .array(z.string())
        .nullish()
        .meta({ description: 'A list of plugins without which no turn runs; see also the file of the machine.' }),
      disabled: z.array(z.string()).nullish().meta({ description: 'A list of plugins that are switched off.' }),
      entries: z.object({}).nullish().meta({ description: 'Settings of plugins without a block of their own.' }),
    })
    .nullish(),
})
const kernelBlock: Block = { plugin: 'kernel', path: [], schema: kernelSchema, json: toJsonSchema(kernelSchema) }

/** The kernel's block and those of all plugins, or of those that touch some paths. Imports their modules, runs no setup. */
export async function loadBlocks(
  ctx: Pick<PluginContext<undefined>, 'use' | 'log'>,
  values: unknown,
  paths?: readonly Path[],
): Promise<Block[]> {
  const plugins = ctx.use(Plugins)
  const disabled = getAtPath(values, ['plugins', 'disabled'])
  const enabled = getAtPath(values, ['plugins', 'enabled'])
  const wanted = plugins.list().flatMap(({ manifest, origin, status }) => {
    // A project's plugin reads its settings from the project's own file.
    if (origin === 'project') return []
    const path = manifest.config?.split('.') ?? ['plugins', 'entries', manifest.name]
    const isForeign = origin !== 'built-in' && origin !== 'embedded'
    const mayRun = status !== 'left-out' && isListed(enabled, manifest.name) && !isListed(disabled, manifest.name)
    const touches = paths?.some((other) => isUnder(other, path) || isUnder(path, other)) ?? true
    return touches ? [{ plugin: manifest.name, path, isOff: isForeign && !mayRun }] : []
  })
  const owned = await Promise.all(
    wanted.map(async ({ plugin, path, isOff }): Promise<Block> => {
      // Foreign code that may not run is not run for its schema either.
      if (isOff) return { plugin, path, json: open }
      try {
        const { config, configMigrations: steps = [] } = await plugins.module(plugin)
        if (!config) return { plugin, path, json: noKeys }
        const json = toJsonSchema(config)
        if (steps.length === 0) return { plugin, path, schema: config, json }
        const report = (error: unknown) =>
          logFault(ctx.log, `the settings of ${plugin} cannot be migrated`, error, plugin)
        const schema = migratingSchema(config, path, steps, report)
        return { plugin, path, schema, json: graftSchema(json, [SETTINGS_VERSION], versionSchema), steps }
      } catch (error) {
        logFault(ctx.log, `the settings of ${plugin} are not known`, error, plugin)
        return { plugin, path, json: open, problem: errorMessage(error) }
      }
    }),
  )
  return [kernelBlock, ...owned]
}

/** The schema of a block in any form that its steps can bring to the present one. */
function migratingSchema(
  inner: Schema<unknown>,
  path: Path,
  steps: Plugin['configMigrations'],
  report: (error: unknown) => void,
): Schema<unknown> {
  const standard = inner['~standard']
  const validate = (block: unknown) => {
    try {
      return standard.validate(migrateSettings(block, formatConfigPath(path), steps).values)
    } catch (error) {
      report(error)
      return { issues: [{ message: errorMessage(error) }] }
    }
  }
  return { '~standard': { ...standard, validate } }
}

function isListed(list: unknown, name: string): boolean {
  return Array.isArray(list) && list.map(String).includes(name)
}

/** One schema of the whole file. */
export function wholeSchema(blocks: readonly Block[]): JsonSchema {
  const outerFirst = blocks.toSorted((a, b) => a.path.length - b.path.length)
  return outerFirst.reduce((whole, { path, json }) => {
    const isPlatform = path[0] === 'platforms' && path.length === 2
    return graftSchema(isPlatform ? graftSchema(whole, [...path, 'enabled'], { type: 'boolean' }) : whole, path, json)
  }, noKeys)
}

/** The first key of a path that nothing reads, with the path that may have been meant. */
export function unknownKey(whole: JsonSchema, path: Path): UnknownKey | undefined {
  let schema = whole
  for (const [at, key] of path.entries()) {
    const next = childSchema(schema, key)
    if (next) {
      schema = next
      continue
    }
    const close = findNearest(key, namedKeys(schema))
    const sibling = close === undefined ? undefined : [...path.slice(0, at), close, ...path.slice(at + 1)]
    const meant = path.length === 1 ? (elsewhere(whole, path) ?? sibling) : (sibling ?? elsewhere(whole, path))
    return { path: path.slice(0, at + 1), ...(meant ? { nearest: meant } : {}) }
  }
  return undefined
}

/** Whether `path` is `start` or lies under it. */
export function isUnder(path: Path, start: Path): boolean {
  return start.every((key, at) => path[at] === key)
}

/** Every path that a schema names, those of blocks included. */
function knownPaths(schema: JsonSchema, path: Path = []): Path[] {
  return namedKeys(schema).flatMap((key) => {
    const here = [...path, key]
    return [here, ...knownPaths(childSchema(schema, key) ?? open, here)]
  })
}

/** `provider` typed alone was likely meant to be `model.provider`. */
function elsewhere(whole: JsonSchema, path: Path): Path | undefined {
  const last = path.at(-1)
  const same = knownPaths(whole).filter((known) => known.length > 1 && known.at(-1) === last)
  return same.length === 1 ? same[0] : undefined
}

function graftSchema(schema: JsonSchema, path: Path, json: JsonSchema): JsonSchema {
  const [key, ...rest] = path
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>
  if (key === undefined) {
    const own = json === open ? { additionalProperties: open } : json
    return { ...schema, ...own, properties: { ...properties, ...(json['properties'] as object | undefined) } }
  }
  const inner = graftSchema(properties[key] ?? noKeys, rest, json)
  return { ...schema, properties: { ...properties, [key]: inner } }
}

function toJsonSchema(schema: Schema<unknown>): JsonSchema {
  const { jsonSchema } = schema['~standard']
  try {
    return jsonSchema ? jsonSchema.input({ target: 'draft-2020-12' }) : open
  } catch {
    // Some schemas, such as those with transforms, cannot be told as JSON Schema; they still check values.
    return open
  }
}
