/**
 * From JSON Schema to the part of it that function declarations may use: the `Schema` object of
 * https://ai.google.dev/api/caching#Schema. What it cannot say is said more loosely, never more strictly.
 */

type JsonSchema = Readonly<Record<string, unknown>>

/** Kept as they are. */
const PLAIN = [
  'title',
  'description',
  'maxItems',
  'minItems',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
]
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}
/** Deeper than people nest. */
const MAX_DEPTH = 12
/** References inside of references that are followed; one to itself never is. */
const MAX_REFERENCES = 4

/** Where in a schema the conversion is. */
interface SchemaPosition {
  readonly root: JsonSchema
  readonly depth: number
  /** The references that led here. */
  readonly references: readonly string[]
}

/** The parameters of a tool, or undefined when it takes none: an object without properties is refused. */
export function geminiParameters(parameters: JsonSchema): JsonSchema | undefined {
  const schema = convert(parameters, { root: parameters, depth: 0, references: [] })
  return Object.keys((schema['properties'] as object | undefined) ?? {}).length > 0 ? schema : undefined
}

function convert(given: unknown, place: SchemaPosition): JsonSchema {
  if (!isMapping(given) || place.depth > MAX_DEPTH) return {}
  const reference = given['$ref']
  const references = typeof reference === 'string' ? [...place.references, reference] : place.references
  const schema = mergeParts(resolveReference(given, place), { ...place, references })
  const inner = (value: unknown) => convert(value, { ...place, depth: place.depth + 1, references })
  const { types, nullable } = readTypes(schema)
  const variants = [...list(schema['anyOf']), ...list(schema['oneOf'])].map((each) => inner(each))
  const notNull = variants.filter((each) => each['type'] !== 'null')
  const mayBeNull = nullable || notNull.length < variants.length
  const choices = types.length > 1 ? types.map((type) => convertType(type, schema, inner)) : notNull
  const [only] = choices
  const shape =
    choices.length === 1 && only ? only : choices.length > 1 ? { anyOf: choices } : convertType(types[0], schema, inner)
  return { ...pick(schema, types), ...shape, ...(mayBeNull ? { nullable: true } : {}) }
}

/** What belongs to one type. */
function convertType(type: string | undefined, schema: JsonSchema, inner: (value: unknown) => JsonSchema): JsonSchema {
  if (type === undefined) return {}
  const { properties, items, required } = schema
  if (type === 'object' && isMapping(properties)) {
    const names = Object.keys(properties)
    const needed = list(required).filter((name) => names.includes(String(name)))
    return {
      type,
      properties: Object.fromEntries(names.map((name) => [name, inner(properties[name])])),
      ...(needed.length > 0 ? { required: needed } : {}),
    }
  }
  if (type === 'array') return { type, items: inner(Array.isArray(items) ? items[0] : items) }
  const values = type === 'string' ? listValues(schema).filter((value) => typeof value === 'string') : []
  return values.length > 0 ? { type, enum: values } : { type }
}

function pick(schema: JsonSchema, types: readonly string[]): JsonSchema {
  const format = types.some((type) => FORMATS[type]?.includes(String(schema['format'])))
  return Object.fromEntries(
    [...PLAIN, ...(format ? ['format'] : [])].flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])),
  )
}

/** The types a value may have; without `type` those of the values that are listed. */
function readTypes(schema: JsonSchema): { readonly types: readonly string[]; readonly nullable: boolean } {
  const said = list(schema['type']).map(String)
  const listed = said.length > 0 ? said : listValues(schema).map((value) => (value === null ? 'null' : typeof value))
  const known = listed.length > 0 ? listed : isMapping(schema['properties']) ? ['object'] : []
  const types = [...new Set(known)].filter((type) => type !== 'null')
  // A null alone stays what it is, so that the choice around it can see it.
  return types.length === 0 && known.length > 0
    ? { types: ['null'], nullable: false }
    : { types, nullable: types.length < new Set(known).size || schema['nullable'] === true }
}

function listValues(schema: JsonSchema): readonly unknown[] {
  return 'const' in schema ? [schema['const']] : list(schema['enum'])
}

/** `#/$defs/...` and the like, in the same schema only. */
function resolveReference(schema: JsonSchema, { root, references }: SchemaPosition): JsonSchema {
  const { $ref: reference, ...rest } = schema
  if (typeof reference !== 'string') return schema
  if (references.includes(reference) || references.length >= MAX_REFERENCES) return rest
  let target: unknown = root
  for (const key of reference.replace(/^#\/?/, '').split('/').filter(Boolean))
    target = isMapping(target) ? target[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  return isMapping(target) ? { ...target, ...rest } : rest
}

/** All that must hold at a time, as one. */
function mergeParts(schema: JsonSchema, place: SchemaPosition): JsonSchema {
  const parts = list(schema['allOf'])
    .filter(isMapping)
    .map((part) => resolveReference(part, place))
  if (parts.length === 0) return schema
  const all = [...parts, schema]
  const properties = Object.assign({}, ...all.map((part) => part['properties']))
  const required = [...new Set(all.flatMap((part) => list(part['required'])))]
  return {
    ...Object.assign({}, ...all),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  }
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined ? [] : [value]
}

function isMapping(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
