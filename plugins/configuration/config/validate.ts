/** Checks values against the schemas of the plugins that own them. */
import type { SchemaIssue } from 'svc/sdk'
import { formatConfigPath, getAtPath, type Plugins } from 'svc/sdk/host'
import type { Block } from './config-blocks.ts'
import { findNearest, type JsonSchema, namedKeys, note, type Path, schemaAt } from './json-schema.ts'
import { isSecretPath } from './secrets.ts'

/** A value that its owner does not accept. */
export interface Finding {
  readonly path: Path
  readonly message: string
  readonly hint?: string
}

/** What zod adds to an issue. */
type Issue = SchemaIssue & { readonly keys?: readonly string[]; readonly values?: readonly unknown[] }

/** Names of the items that plugins contribute to a point, as manifests have them. */
export type Names = (point: string) => readonly string[]

export function namesFrom(plugins: Pick<Plugins, 'list'>): Names {
  return (point) => plugins.list().flatMap(({ manifest }) => manifest.contributes?.[point] ?? [])
}

/**
 * What the owners of blocks do not accept, and names that are misspelt. Values have their `${NAME}` expanded; `whole` is the
 * schema of the file.
 */
export async function findFindings(
  values: unknown,
  blocks: readonly Block[],
  whole: JsonSchema,
  names: Names,
): Promise<Finding[]> {
  const all = await Promise.all(
    blocks.map(async ({ path, schema }) => {
      const result = await schema?.['~standard'].validate(getAtPath(values, path) ?? {})
      return (result?.issues ?? []).map((issue) => toFinding(values, path, issue, whole))
    }),
  )
  return [...all.flat(), ...misspelt(values, blocks, whole, names)]
}

/**
 * A key marked with `.meta({ point })` names an item of a contribution point. Only what is nearly the name of one is wrong:
 * items may have other names too, and plugins may add some that their manifests do not tell.
 */
function misspelt(values: unknown, blocks: readonly Block[], whole: JsonSchema, names: Names): Finding[] {
  return blocks.flatMap(({ path: block }) => {
    const schema = schemaAt(whole, block) ?? {}
    return namedKeys(schema).flatMap((key) => {
      const path = [...block, key]
      const value = getAtPath(values, path)
      const point = note(schemaAt(whole, path), 'point')
      if (point === undefined || typeof value !== 'string') return []
      const known = [...names(point), String(note(schemaAt(whole, path), 'default') ?? '')]
      const close = known.includes(value) ? undefined : findNearest(value, known)
      return close ? [{ path, message: `is ${formatValue(path, value)}`, hint: `did you mean ${close}?` }] : []
    })
  })
}

/** A finding as one sentence for people, with path, value and hint. */
export function sentence({ path, message, hint }: Finding): string {
  return `${formatConfigPath(path)} ${message}${hint ? ` (${hint})` : ''}`
}

function toFinding(values: unknown, block: Path, issue: Issue, whole: JsonSchema): Finding {
  const inside = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
  const path = [...block, ...inside]
  const value = getAtPath(values, path)
  const [extra] = issue.keys ?? []
  if (extra !== undefined) {
    const close = findNearest(extra, namedKeys(schemaAt(whole, path) ?? {}))
    return {
      path: [...path, extra],
      message: 'is not a key of this block',
      ...(close ? { hint: `did you mean ${close}?` } : {}),
    }
  }
  const said = value === undefined ? 'is missing' : `is ${formatValue(path, value)}`
  const close = typeof value === 'string' ? findNearest(value, (issue.values ?? []).map(String)) : undefined
  const hint = close ? `did you mean ${close}?` : note(schemaAt(whole, path), 'description')
  return { path, message: `${said}: ${issue.message}`, ...(hint ? { hint } : {}) }
}

function formatValue(path: Path, value: unknown): string {
  if (isSecretPath(path)) return '***'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
