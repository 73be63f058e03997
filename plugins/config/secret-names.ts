/** Which names stand for environment variables, and which hold secrets that belong into `.env`. */
import type { EnvironmentVariable, Manifest } from 'svc/sdk'

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
