/** The keys of a config block, as its schema has them. */
import type { Schema } from 'svc/sdk'
import { code, table } from './markdown.ts'

/** One key that a user may set. */
export interface ConfigKey {
  /** Dotted, below the block; `*` stands for any name. */
  readonly path: string
  readonly type: string
  /** As JSON; undefined when there is none. */
  readonly fallback: string | undefined
  readonly required: boolean
  readonly description: string
}

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly description?: string
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
}

const words: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: '`true` or `false`',
  object: 'names and values',
  null: '`null`',
}

/** Every key, groups before what is in them. */
export function configKeys(schema: Schema<unknown>): ConfigKey[] {
  const { jsonSchema } = schema['~standard']
  if (!jsonSchema) throw new Error('the schema of a config block must have a JSON Schema, as those of zod do')
  return listKeys(jsonSchema.input({ target: 'draft-2020-12' }) as JsonSchema, '')
}

function listKeys(schema: JsonSchema, above: string): ConfigKey[] {
  const named = Object.entries(schema.properties ?? {})
  const any = typeof schema.additionalProperties === 'object' ? [['*', schema.additionalProperties] as const] : []
  return [...named, ...any].flatMap(([name, inner]) => {
    const path = above ? `${above}.${name}` : name
    const below = listKeys(inner, path)
    if (name === '*' && below.length) return below
    const key: ConfigKey = {
      path,
      type: formatType(inner),
      fallback: inner.default === undefined ? undefined : JSON.stringify(inner.default),
      required: schema.required?.includes(name) ?? false,
      description: inner.description ?? '',
    }
    return [key, ...below]
  })
}

function formatType(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => code(String(value))).join(', ')
  if (schema.const !== undefined) return code(String(schema.const))
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return variants.map(formatType).join(' or ')
  if (schema.type === 'array') return `list of ${formatType(schema.items ?? {})}`
  const types = [schema.type ?? 'anything'].flat().map((type) => words[type] ?? type)
  return [types.join(' or '), formatRange(schema)].filter(Boolean).join(', ')
}

function formatRange({ minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const most = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum
  const least = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? undefined : minimum
  const parts = [
    least === undefined ? '' : `at least ${least}`,
    exclusiveMinimum === undefined ? '' : `more than ${exclusiveMinimum}`,
    most === undefined ? '' : `at most ${most}`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** The table of a plugin's README. `block` is the dotted path of the block. */
export function configTable(block: string, schema: Schema<unknown> | undefined): string {
  const keys = schema ? configKeys(schema) : []
  if (!keys.length) return 'Nothing to configure.'
  const rows = keys.map((key) => [
    code(`${block}.${key.path}`),
    key.type,
    key.required ? 'must be set' : key.fallback === undefined || key.fallback === '""' ? 'not set' : code(key.fallback),
    key.description,
  ])
  return table(['Key in config.yaml', 'Value', 'Default', 'What it does'], rows)
}
