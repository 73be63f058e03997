/** Reads JSON Schema as far as a person needs it: which keys there are, of what kind, with which defaults. */
import { isIndex } from './config-path.ts'

export type JsonSchema = { readonly [keyword: string]: unknown }

/** Anything goes. */
export const open: JsonSchema = {}

/** The schema of a key or list item; undefined when the schema says that there is no such key. */
export function childSchema(schema: JsonSchema, key: string): JsonSchema | undefined {
  const children = branches(schema).flatMap((branch) => childOf(branch, key) ?? [])
  return children.length > 1 ? { anyOf: children } : children[0]
}

/** The schema at a path, or how far the path is known. */
export function schemaAt(root: JsonSchema, path: readonly string[]): JsonSchema | undefined {
  let schema: JsonSchema | undefined = root
  for (const key of path) schema = schema && childSchema(schema, key)
  return schema
}

/** The keys that a schema names. */
export function namedKeys(schema: JsonSchema): string[] {
  return [...new Set(branches(schema).flatMap((branch) => Object.keys(propertiesOf(branch))))]
}

/** `string`, `number`, ...; empty when anything goes. */
export function typesOf(schema: JsonSchema): Set<string> {
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
  const types = typesOf(schema)
  types.delete('null')
  return types.size === 1 && types.has('string')
}

/** The values a schema lists, when it lists them all. */
export function allowedValues(schema: JsonSchema): readonly unknown[] {
  const leaves = branches(schema).filter((branch) => !('anyOf' in branch || 'oneOf' in branch || 'allOf' in branch))
  const lists = leaves.map((branch) =>
    'const' in branch ? [branch['const']] : (branch['enum'] as unknown[] | undefined),
  )
  return lists.every((list) => list !== undefined) ? lists.flat() : []
}

/** What a schema wants, for people: `a number from 1 to 600`. Undefined when anything goes. */
export function wanted(schema: JsonSchema): string | undefined {
  const values = allowedValues(schema)
  if (values.length > 0) return `one of ${values.map((value) => String(value)).join(', ')}`
  const kinds = [...new Set(branches(schema).flatMap((branch) => kindOf(branch) ?? []))]
  return kinds.length > 0 ? kinds.join(' or ') : undefined
}

/** The default that a schema declares, those of its keys filled in. Undefined when there is none. */
export function defaultOf(schema: JsonSchema): unknown {
  const own = branches(schema).find((branch) => 'default' in branch)?.['default']
  const properties = branches(schema).flatMap((branch) => Object.entries(propertiesOf(branch)))
  if (properties.length === 0 || (own !== undefined && !isMapping(own))) return own
  const inner = properties.flatMap(([key, child]) => {
    const value = defaultOf(child)
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

/** The schema without `$ref`, so that parts of it can stand elsewhere. What refers to itself becomes open. */
export function withoutReferences(schema: JsonSchema, definitions: JsonSchema = schema, depth = 0): JsonSchema {
  const target = schema['$ref']
  if (typeof target === 'string') {
    const found = target
      .replace(/^#\/?/, '')
      .split('/')
      .reduce<unknown>((at, key) => (isMapping(at) && key ? at[key] : at), definitions)
    return depth > 8 || !isMapping(found) || target === '#' ? open : withoutReferences(found, definitions, depth + 1)
  }
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline)
    return isMapping(value) ? withoutReferences(value, definitions, depth) : value
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'default' ? value : inline(value)]),
  )
}

function branches(schema: JsonSchema): JsonSchema[] {
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => (schema[keyword] as JsonSchema[] | undefined) ?? [])
  return [schema, ...inner.flatMap(branches)]
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema['properties'] as Record<string, JsonSchema> | undefined) ?? {}
}

function childOf(schema: JsonSchema, key: string): JsonSchema | undefined {
  const properties = propertiesOf(schema)
  if (Object.hasOwn(properties, key)) return properties[key]
  if (isIndex(key) && isMapping(schema['items'])) return schema['items']
  const more = schema['additionalProperties']
  if (isMapping(more)) return more
  const saysNothing = !['type', 'enum', 'const', 'properties', 'anyOf', 'oneOf', 'allOf'].some(
    (keyword) => keyword in schema,
  )
  return more === true || saysNothing ? open : undefined
}

function kindOf(branch: JsonSchema): string | undefined {
  const { type, minimum, maximum, exclusiveMinimum, items } = branch
  const low = minimum ?? exclusiveMinimum
  const bound = (value: unknown) =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined
  const limits = [
    bound(low) === undefined ? '' : ` from ${low}`,
    bound(maximum) === undefined ? '' : ` to ${maximum}`,
  ].join('')
  const inner = isMapping(items) ? wanted(items) : undefined
  const kinds: Readonly<Record<string, string>> = {
    string: 'a text',
    number: `a number${exclusiveMinimum === undefined ? limits : limits.replace('from', 'above')}`,
    integer: `a whole number${exclusiveMinimum === undefined ? limits : limits.replace('from', 'above')}`,
    boolean: 'true or false',
    array: inner ? `a list [..] with each ${inner}` : 'a list [a, b]',
    object: 'a block of keys',
    null: 'null',
  }
  return typeof type === 'string' ? kinds[type] : undefined
}

function isMapping(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
