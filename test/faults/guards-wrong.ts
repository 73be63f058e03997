/** Values of the wrong type for every key of a plugin's config block, made from its schema. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { pluginFolder, root } from '../support/repository.ts'

/** A whole configuration with one wrong value. */
export interface WrongBlock {
  readonly path: string
  readonly config: Readonly<Record<string, unknown>>
}

interface JsonSchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

const schemas = new Map<string, JsonSchema>()

/** Reads the schema of a plugin; must have resolved before `wrongBlocks`. */
export async function readSchema(plugin: string): Promise<void> {
  const { default: it } = await import(pathToFileURL(join(root, pluginFolder(plugin), 'index.ts')).href)
  if (it.config) schemas.set(plugin, z.toJSONSchema(it.config, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
}

/** The whole block and each key in it, however deep; none for a plugin without a config block. */
export function wrongBlocks(plugin: string, block: string | undefined): readonly WrongBlock[] {
  const schema = schemas.get(plugin)
  if (!schema || block === undefined) return []
  const all = [...leaves(schema, []), [[], 'ten'] as const]
  return all.map(([keys, wrong]) => ({
    path: [block, ...keys].join('.'),
    config: [...block.split('.'), ...keys].reduceRight<unknown>(
      (value, key) => ({ [key]: value }),
      wrong,
    ) as object as never,
  }))
}

function leaves(schema: JsonSchema, at: readonly string[]): readonly (readonly [readonly string[], unknown])[] {
  const inside = Object.entries(schema.properties ?? {})
  if (inside.length === 0) return at.length ? [[at, wrongFor(schema)]] : []
  return inside.flatMap(([key, value]) => leaves(value, [...at, key]))
}

/** What people write by mistake: a word for a number or a list, and another word for one of several. */
function wrongFor({ type }: JsonSchema): unknown {
  return type === 'string' ? 'manuel' : 'ten'
}
