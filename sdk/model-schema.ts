/** The schema of a tool's input as wires want it: an object whose properties stand at the top. */

/** A JSON Schema, or a part of one. @since 0.2 */
export type JsonSchema = Readonly<Record<string, unknown>>

/** What OpenAI, Anthropic and Bedrock refuse beside the `type` of the whole. */
const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const
const REFUSED: ReadonlySet<string> = new Set(['$schema', '$ref', 'enum', 'const', 'not', ...CHOICES])
/** References that lead to references. */
const MAX_REFERENCES = 4

/**
 * A schema with a top-level choice or reference resolved, more loosely: the properties of all
 * alternatives, of which only those are required that all of them require. Any other schema stays as it is.
 * @since 0.2
 */
export function toObjectSchema(parameters: JsonSchema): Record<string, unknown> & { type: 'object' } {
  const { $schema: _, ...given } = parameters
  const isPlain = Object.keys(given).every((key) => !REFUSED.has(key))
  // A schema with another top-level type accepts its input as an object nevertheless.
  if (isPlain) return { ...{ type: 'object' }, ...given, type: 'object' }
  const whole = resolved(given, given)
  const alternatives = [...list(whole['anyOf']), ...list(whole['oneOf'])].map((each) => resolved(each, given))
  const together = [whole, ...list(whole['allOf']).map((each) => resolved(each, given))]
  const rest = Object.fromEntries(Object.entries(whole).filter(([key]) => !REFUSED.has(key)))
  const required = [...together.flatMap(listRequired), ...requiredByAll(alternatives)]
  return {
    ...rest,
    type: 'object',
    properties: joined([...together, ...alternatives]),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  }
}

/** A property that alternatives describe differently may be any of these. */
function joined(schemas: readonly JsonSchema[]): Record<string, unknown> {
  const all = new Map<string, unknown[]>()
  for (const { properties } of schemas)
    for (const [name, schema] of Object.entries((properties ?? {}) as JsonSchema)) {
      const known = all.get(name) ?? []
      const isNew = known.every((each) => JSON.stringify(each) !== JSON.stringify(schema))
      all.set(name, isNew ? [...known, schema] : known)
    }
  return Object.fromEntries(
    [...all].map(([name, [first, ...more]]) => [name, more.length === 0 ? first : { anyOf: [first, ...more] }]),
  )
}

function requiredByAll(schemas: readonly JsonSchema[]): string[] {
  const [first, ...rest] = schemas.map(listRequired)
  return (first ?? []).filter((name) => rest.every((names) => names.includes(name)))
}

function listRequired({ required }: JsonSchema): string[] {
  return Array.isArray(required) ? required.map(String) : []
}

/** `#/$defs/...` and the like, in the same schema only. */
function resolved(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const { $ref: reference, ...rest } = schema
  if (typeof reference !== 'string' || depth > MAX_REFERENCES) return rest
  let target: unknown = root
  for (const key of reference.replace(/^#\/?/, '').split('/').filter(Boolean))
    target = isMapping(target) ? target[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  return isMapping(target) ? resolved({ ...target, ...rest }, root, depth + 1) : rest
}

function list(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isMapping) : []
}

function isMapping(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
