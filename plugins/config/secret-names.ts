/** Environment variables: which names stand for them, which hold secrets, and `${NAME}` in the texts of config.yaml. */
import type { EnvironmentVariable, Manifest, Secrets } from 'svc/sdk'

const secretVariable = /(_API_KEY|_KEY|_TOKEN|_SECRET|_PASSWORD)$|^(API_KEY|TOKEN|SECRET|PASSWORD)$|^TERMINAL_SSH/
const secretKey = /(^|_|-|[a-z](?=[A-Z]))(api[_-]?key|private[_-]?key|token|secret|password|passphrase)$/i

/** A name such as `OPENAI_API_KEY`. Keys of config.yaml are lower-case, so the two never meet. */
export function isVariableName(name: string): boolean {
  return /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(name)
}

/** The path is one environment variable, which is kept in `.env`. */
export function isVariable(path: readonly string[]): boolean {
  return path.length === 1 && isVariableName(path[0] as string)
}

/** A variable whose value must not be seen. */
export function isSecretVariable(name: string, declared: readonly EnvironmentVariable[]): boolean {
  return secretVariable.test(name) || declared.some((variable) => variable.name === name && variable.secret === true)
}

/** The last key of a path that is not a list index is named like a secret: `token`, `api_key`, `bot-password`. */
export function isSecretPath(path: readonly string[]): boolean {
  return secretKey.test(path.findLast((key) => !/^\d+$/.test(key)) ?? '')
}

/** The variable that a secret of config.yaml is kept in when its schema names none: `a.bot-token` -> `A_BOT_TOKEN`. */
export function variableFor(path: readonly string[]): string {
  const name = path.join('_').replace(/[^A-Za-z0-9]+/g, '_')
  return name
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, 'SVC_')
    .toUpperCase()
}

/** Every variable that some plugin declares. */
export function declaredVariables(manifests: readonly Manifest[]): EnvironmentVariable[] {
  return manifests.flatMap(({ env }) => env ?? [])
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** The value of a variable, or undefined when it is not set. */
export type Lookup = (name: string) => string | undefined

/** The process environment wins over `.env`, as it does when the kernel reads the files. */
export function lookupIn(secrets: Secrets, variables: Readonly<Record<string, string>>): Lookup {
  return (name) => (secrets.source(name) === 'environment' ? secrets.get(name) : variables[name])
}

/** The variables that a text refers to. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(reference)].map(([, name]) => name as string)
}

/** The name when the text is one reference and nothing else. */
export function soleReference(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1] : undefined
}

/** A value with all references replaced; one to an unset variable stays as it is written. */
export function expand(value: unknown, lookup: Lookup): unknown {
  if (typeof value === 'string') return value.replace(reference, (whole, name: string) => lookup(name) ?? whole)
  if (Array.isArray(value)) return value.map((item) => expand(item, lookup))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item, lookup)]))
}
