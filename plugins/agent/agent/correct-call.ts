/** What a model meant where it did not quite say it: the name of a tool, the type of an argument. */
import { distance } from 'fastest-levenshtein'

/** The least likeness, 0 to 1, at which a name counts as a slip of the pen. */
const LIKENESS = 0.7

/** The name of a tool there is, or undefined. `OpenPage`, `open-page` and `open_page_tool` all mean `open_page`. */
export function findToolByName(typed: string, names: readonly string[]): string | undefined {
  const plain = snake(typed)
  const exact = names.find((name) => name === plain) ?? names.find((name) => name === plain.replace(/_?tool$/, ''))
  if (exact) return exact
  const scored = names.map((name) => ({
    name,
    likeness: 1 - distance(plain, name) / Math.max(plain.length, name.length),
  }))
  const [best, second] = scored.sort((a, b) => b.likeness - a.likeness)
  return best && best.likeness >= LIKENESS && best.likeness > (second?.likeness ?? 0) ? best.name : undefined
}

function snake(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
}

type JsonSchema = Readonly<Record<string, unknown>>

/**
 * A copy of the arguments with values brought to the types their JSON Schema names. Only what is unmistakable is
 * changed; everything else stays for the tool's own schema to judge.
 */
export function coerce(value: unknown, schema: JsonSchema): unknown {
  const { type } = schema
  if (type === 'object') return coerceObject(parseJsonArgument(value, 'object'), schema)
  if (type === 'array') return coerceList(value, schema)
  if (typeof value !== 'string') return type === 'string' && isScalar(value) ? String(value) : value
  const text = value.trim()
  if (type === 'boolean') return /^(true|yes|on)$/i.test(text) || (/^(false|no|off)$/i.test(text) ? false : value)
  const numeric = type === 'integer' ? /^[+-]?\d{1,15}$/ : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
  return (type === 'number' || type === 'integer') && numeric.test(text) ? Number(text) : value
}

function coerceObject(value: unknown, { properties }: JsonSchema): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const known = (properties ?? {}) as Readonly<Record<string, JsonSchema>>
  const entries = Object.entries(value).map(([key, item]) => {
    const schema = Object.hasOwn(known, key) ? known[key] : undefined
    return [key, schema ? coerce(item, schema) : item] as const
  })
  // Most models send null for "omitted".
  return Object.fromEntries(entries.filter(([, item]) => item !== null))
}

function coerceList(value: unknown, { items }: JsonSchema): unknown {
  const list = parseJsonArgument(value, 'array')
  const all = Array.isArray(list) ? list : [value]
  return all.map((item) => (typeof items === 'object' && items ? coerce(item, items as JsonSchema) : item))
}

/** JSON that was sent as text. */
function parseJsonArgument(value: unknown, kind: 'object' | 'array'): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    const inner: unknown = JSON.parse(value)
    return Array.isArray(inner) === (kind === 'array') ? inner : value
  } catch {
    return value
  }
}

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}
