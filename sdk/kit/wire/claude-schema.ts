/**
 * A JSON Schema in the subset to which Claude models can be constrained
 * (https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations"): objects are closed,
 * and limits of numbers, lengths and lists become descriptions, as in the official SDKs.
 */

import type { JsonSchema } from '../../model-schema.ts'

/** Kept as they are. */
const PLAIN: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'const',
  'enum',
  'default',
  'required',
  '$ref',
])
/** Schemas by name. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'allOf'])
const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])
/** Say nothing of a value. */
const SILENT: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', 'examples', 'additionalProperties'])

/** Undefined for a schema that refers to itself: the service refuses it. @since 0.2 */
export function anthropicSchema(schema: JsonSchema): Record<string, unknown> | undefined {
  return refersToItself(schema, schema, []) ? undefined : narrowed(schema)
}

function narrowed(schema: JsonSchema): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  const said: string[] = []
  for (const [key, value] of Object.entries(schema)) {
    const member = narrowedMember(key, value)
    if (member) kept[member[0]] = member[1]
    else if (!SILENT.has(key)) said.push(`${key}: ${JSON.stringify(value)}`)
  }
  if (kept['type'] === 'object' || kept['properties'] !== undefined) kept['additionalProperties'] = false
  if (said.length === 0) return kept
  const description = [kept['description'], `{${said.join(', ')}}`].filter(Boolean).join('\n\n')
  return { ...kept, description }
}

/** A keyword as it is sent; undefined when it is not. */
function narrowedMember(key: string, value: unknown): readonly [name: string, value: unknown] | undefined {
  if (PLAIN.has(key) || isKept(key, value)) return [key, value]
  if (NAMED.has(key)) return [key, mapped(value)]
  if (key === 'items' && isMapping(value)) return [key, narrowed(value)]
  const name = key === 'oneOf' ? 'anyOf' : key
  return LISTS.has(name) && Array.isArray(value) ? [name, value.map((each) => narrowed(each as JsonSchema))] : undefined
}

function isKept(key: string, value: unknown): boolean {
  if (key === 'format') return FORMATS.has(value)
  return key === 'minItems' && (value === 0 || value === 1)
}

function mapped(value: unknown): Record<string, unknown> {
  const entries = isMapping(value) ? Object.entries(value) : []
  return Object.fromEntries(entries.map(([name, each]) => [name, isMapping(each) ? narrowed(each) : each]))
}

/** Whether the schema contains a reference to itself. */
function refersToItself(schema: unknown, root: JsonSchema, path: readonly string[]): boolean {
  if (Array.isArray(schema)) return schema.some((each) => refersToItself(each, root, path))
  if (!isMapping(schema)) return false
  const reference = schema['$ref']
  if (typeof reference === 'string') {
    if (reference === '#' || path.includes(reference)) return true
    if (refersToItself(target(reference, root), root, [...path, reference])) return true
  }
  return Object.entries(schema).some(
    ([key, each]) =>
      !(path.length === 0 && (key === '$defs' || key === 'definitions')) && refersToItself(each, root, path),
  )
}

function target(reference: string, root: JsonSchema): unknown {
  let value: unknown = root
  for (const key of reference.replace(/^#\/?/, '').split('/').filter(Boolean))
    value = isMapping(value) ? value[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  return value
}

function isMapping(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
