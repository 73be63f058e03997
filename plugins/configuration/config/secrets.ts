/** Variables and secrets: their names, `${NAME}` in config.yaml, and what goes to `.env` instead. */
import { isDeepStrictEqual } from 'node:util'
import type { Secrets } from 'svc/sdk'
import { type EnvironmentVariable, getAtPath, type Plugins } from 'svc/sdk/host'
import type { EnvEdit } from './env-edit.ts'
import { isSecretAt, type JsonSchema, note, type Path, schemaAt } from './json-schema.ts'

const secretVariable = /(_API_KEY|_KEY|_TOKEN|_SECRET|_PASSWORD)$|^(API_KEY|TOKEN|SECRET|PASSWORD)$|^TERMINAL_SSH/
const secretKey = /(^|_|-|[a-z](?=[A-Z]))(api[_-]?key|private[_-]?key|token|secret|password|passphrase)$/i

/** The path is a variable of `.env` in capitals. Keys of config.yaml are lower-case: the two never meet. */
export function isVariable(path: Path): boolean {
  return path.length === 1 && /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(path[0] as string)
}

/** A variable whose value must not be seen. */
export function isSecretVariable(name: string, declared: readonly EnvironmentVariable[]): boolean {
  return secretVariable.test(name) || declared.some((variable) => variable.name === name && variable.secret === true)
}

/** The last key of a path that is not a list index is named like a secret: `token`, `api_key`, `bot-password`. */
export function isSecretPath(path: Path): boolean {
  return secretKey.test(path.findLast((key) => !/^\d+$/.test(key)) ?? '')
}

/** The variable that a secret of config.yaml is kept in when its schema names none: `a.bot-token` -> `A_BOT_TOKEN`. */
function variableFor(path: Path): string {
  const name = path.join('_').replace(/[^A-Za-z0-9]+/g, '_')
  return name
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, 'SVC_')
    .toUpperCase()
}

/** Every variable that some plugin declares. */
export function declaredVariables(plugins: Plugins): EnvironmentVariable[] {
  return plugins.list().flatMap(({ manifest }) => manifest.env ?? [])
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** The value of a variable, or undefined when it is not set. */
export type Lookup = (name: string) => string | undefined

/** The process environment wins over `.env`, as it does when the kernel reads the files. */
export function createLookup(secrets: Secrets, variables: Readonly<Record<string, string>>): Lookup {
  return (name) => (secrets.source(name) === 'environment' ? secrets.get(name) : variables[name])
}

/** The variables that a text refers to. */
export function listReferences(text: string): string[] {
  return [...text.matchAll(reference)].map(([, name]) => name as string)
}

/** The name when the text is one reference and nothing else. */
export function soleReference(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1] : undefined
}

/** A value with all references replaced; one to an unset variable stays as it is written. */
export function expand(value: unknown, lookup: Lookup): unknown {
  if (typeof value === 'string') return value.replace(reference, (whole, name: string) => lookup(name) ?? whole)
  return mapInside(value, (item) => expand(item, lookup))
}

/** A value for a path; undefined removes. */
export interface PathEdit {
  readonly path: Path
  readonly value: unknown
}

/**
 * Keeps secrets out of config.yaml: values that the schema marks go to `.env`, and the key refers to them. A key that
 * refers to a variable already keeps its variable.
 */
export function routeEdits(
  edits: readonly PathEdit[],
  values: unknown,
  whole: JsonSchema,
): { config: PathEdit[]; env: EnvEdit[] } {
  const env: EnvEdit[] = []
  const withoutSecrets = (path: Path, value: unknown): unknown => {
    if (typeof value === 'string' && value !== '' && isSecretAt(whole, path) && listReferences(value).length === 0) {
      const name = soleReference(getAtPath(values, path)) ?? note(schemaAt(whole, path), 'env') ?? variableFor(path)
      env.push({ name, value })
      return `\${${name}}`
    }
    return mapInside(value, (item, key) => withoutSecrets([...path, key], item))
  }
  return { config: edits.map(({ path, value }) => ({ path, value: withoutSecrets(path, value) })), env }
}

/** What is wanted, written as it stands now: where a reference gives the wanted value already, it stays. */
export function withReferences(current: unknown, wanted: unknown, lookup: Lookup): unknown {
  const fits = (written: unknown, value: unknown) => isDeepStrictEqual(expand(written, lookup), value)
  if (fits(current, wanted)) return current
  const old = Array.isArray(current) && Array.isArray(wanted) ? current : []
  return mapInside(wanted, (item, key) => {
    const same = getAtPath(current, [key])
    const kept = [same, ...old].find((written) => fits(written, item))
    return kept ?? withReferences(same, item, lookup)
  })
}

/** A list or mapping with each of its values replaced; anything else as it is. */
export function mapInside(value: unknown, change: (item: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item, at) => change(item, String(at)))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item, key)]))
}
