/** Reads JSON Schema as far as a person needs it: which keys there are, of what kind, with which defaults. */
import { distance } from 'fastest-levenshtein'

/** Keys and list indexes from the root. */
export type Path = readonly string[]

export type JsonSchema = { readonly [keyword: string]: unknown }

/** Anything goes. */
export const open: JsonSchema = {}

/** The schema of a key or list item; undefined when the schema says that there is no such key. */
export function childSchema(schema: JsonSchema, key: string): JsonSchema | undefined {
  const children = branches(schema).flatMap((branch): JsonSchema[] => {
    const child = findChildSchema(branch, key)
    return child ? [child] : []
  })
  return children.length > 1 ? { anyOf: children } : children[0]
}

/** The schema at a path; undefined when the path is not known. */
export function schemaAt(root: JsonSchema, path: Path): JsonSchema | undefined {
  let schema: JsonSchema | undefined = root
  for (const key of path) schema = schema && childSchema(schema, key)
  return schema
}

/** The keys that a schema names. */
export function namedKeys(schema: JsonSchema): string[] {
  return [...new Set(branches(schema).flatMap((branch) => Object.keys(getProperties(branch))))]
}

/** `string`, `number`, ...; empty when anything goes. */
export function listTypes(schema: JsonSchema): Set<string> {
  const types = branches(schema).flatMap((branch): string[] => {
    if (typeof branch['type'] === 'string') return [branch['type']]
    if (Array.isArray(branch['type'])) return branch['type'] as string[]
    const values = 'const' in branch ? [branch['const']] : ((branch['enum'] as unknown[] | undefined) ?? [])
    return values.map((value) => (value === null ? 'null' : typeof value))
  })
  return new Set(types)
}

/** A text is wanted and nothing else. */
export function wantsText(schema: JsonSchema): boolean {
  const types = listTypes(schema)
  types.delete('null')
  return types.size === 1 && types.has('string')
}

/** The default that a schema declares, those of its keys filled in. Undefined when there is none. */
export function findDefault(schema: JsonSchema): unknown {
  const own = branches(schema).find((branch) => 'default' in branch)?.['default']
  const properties = branches(schema).flatMap((branch) => Object.entries(getProperties(branch)))
  if (properties.length === 0 || (own !== undefined && !isMapping(own))) return own
  const inner = properties.flatMap(([key, child]) => {
    const value = findDefault(child)
    return value === undefined ? [] : [[key, value] as const]
  })
  const filled = { ...Object.fromEntries(inner), ...own }
  return Object.keys(filled).length > 0 || own ? filled : undefined
}

/** A text that a schema carries: `description`, `env`. */
export function note(schema: JsonSchema | undefined, keyword: string): string | undefined {
  return (schema ? branches(schema) : []).map((branch) => branch[keyword]).find((value) => typeof value === 'string')
}

/** Marked with `.meta({ secret: true })`. */
export function isSecretSchema(schema: JsonSchema | undefined): boolean {
  return schema !== undefined && branches(schema).some((branch) => branch['secret'] === true)
}

/** Marked so, or inside of what is. */
export function isSecretAt(root: JsonSchema, path: Path): boolean {
  return path.some((_, at) => isSecretSchema(schemaAt(root, path.slice(0, at + 1))))
}

/** "Did you mean": the nearest name, when it is near enough that a slip is likely. */
export function findNearest(typed: string, names: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(typed.length / 3))
  const ranked = names.map((name) => ({ name, steps: distance(typed.toLowerCase(), name.toLowerCase()) }))
  return ranked.filter(({ steps }) => steps <= limit).toSorted((a, b) => a.steps - b.steps)[0]?.name
}

function branches(schema: JsonSchema): JsonSchema[] {
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => (schema[keyword] as JsonSchema[] | undefined) ?? [])
  return [schema, ...inner.flatMap(branches)]
}

function getProperties(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema['properties'] as Record<string, JsonSchema> | undefined) ?? {}
}

function findChildSchema(schema: JsonSchema, key: string): JsonSchema | undefined {
  const properties = getProperties(schema)
  if (Object.hasOwn(properties, key)) return properties[key]
  if (/^\d+$/.test(key) && isMapping(schema['items'])) return schema['items']
  const more = schema['additionalProperties']
  if (isMapping(more)) return more
  // What is told by reference, or not told at all, may hold anything.
  const saysNothing = !['type', 'enum', 'const', 'properties', 'anyOf', 'oneOf', 'allOf'].some((word) => word in schema)
  return more === true || saysNothing ? open : undefined
}

function isMapping(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
