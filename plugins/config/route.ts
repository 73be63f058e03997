/** Keeps secrets out of config.yaml: their values go to `.env`, and the key refers to them. */
import { valueAt } from './config-path.ts'
import type { EnvEdit } from './env-edit.ts'
import { isSecretSchema, type JsonSchema, note, schemaAt } from './json-schema.ts'
import { referencesIn, soleReference, variableFor } from './secret-names.ts'
import type { YamlEdit } from './yaml-edit.ts'
import type { Values } from './yaml-source.ts'
import type { Path } from './yaml-steps.ts'

/** The edits of config.yaml, and those of `.env` that its secrets became. */
export interface Routed {
  readonly config: readonly YamlEdit[]
  readonly env: readonly EnvEdit[]
}

/** Takes the values out that the schema marks as secret. A key that refers to a variable already keeps its variable. */
export function routed(edits: readonly YamlEdit[], values: Values, whole: JsonSchema): Routed {
  const env: EnvEdit[] = []
  const withoutSecrets = (path: Path, value: unknown): unknown => {
    const schema = schemaAt(whole, path)
    if (typeof value === 'string' && value !== '' && isSecretSchema(schema) && referencesIn(value).length === 0) {
      const name = soleReference(valueAt(values, path)) ?? note(schema, 'env') ?? variableFor(path)
      env.push({ name, value })
      return `\${${name}}`
    }
    if (Array.isArray(value)) return value.map((item, at) => withoutSecrets([...path, String(at)], item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets([...path, key], item)]))
  }
  const config = edits.map(({ path, value }) => ({ path, value: withoutSecrets(path, value) }))
  return { config, env }
}
