/** The versions of config.yaml: what each step changes, and which environment variables it introduces. */
import { SvcError } from 'svc/sdk'
import { valueAt } from './config-path.ts'
import { editYaml, renameInYaml } from './yaml-edit.ts'
import { parseSource, readSource, type Values } from './yaml-source.ts'
import type { Path } from './yaml-steps.ts'

/** The file as a step sees it. A step renames, removes or writes values that are no defaults. */
export interface ConfigView {
  get(path: Path): unknown
  set(path: Path, value: unknown): void
  remove(path: Path): void
  /** Gives a key another name in its place, comments and all. */
  rename(path: Path, key: string): void
}

/** From the version before to `to`. */
export interface Migration {
  readonly to: number
  readonly description: string
  /** Variables that are asked for once. Every variable of a built-in plugin is introduced by exactly one step. */
  readonly env: readonly string[]
  edit?(view: ConfigView): void
}

export const migrations: readonly Migration[] = [
  {
    to: 1,
    description: 'Model servers read their keys from .env',
    env: ['OPENAI_API_KEY', 'CUSTOM_API_KEY', 'LM_API_KEY', 'LLAMA_API_KEY', 'VLLM_API_KEY', 'SVC_MAX_ITERATIONS'],
  },
]

/** The version that this program writes. */
export const CONFIG_VERSION: number = migrations.at(-1)?.to ?? 0

/** The version of a file's values: that of its key, 0 without one. No file at all is current. */
export function versionOf(values: Values | undefined): number {
  if (!values) return CONFIG_VERSION
  const version = values['config_version'] ?? 0
  if (typeof version === 'number' && Number.isInteger(version) && version >= 0) return version
  const message = `config_version is ${JSON.stringify(version)}, and must be a whole number. To mend it: svc config edit`
  throw new SvcError('CONFIG_INVALID', message, { status: 400 })
}

/** Refuses a text of a newer program: nobody here knows what its keys mean. Throws `CONFIG_TOO_NEW`. */
export function refuseNewer(text: string | undefined, file: string): void {
  const source = parseSource(text ?? '')
  const version = 'values' in source && text !== undefined ? source.values['config_version'] : undefined
  if (typeof version !== 'number' || version <= CONFIG_VERSION) return
  const message = `${file} has config_version ${version}; this svc knows ${CONFIG_VERSION}. Update svc to change it. Nothing was written.`
  throw new SvcError('CONFIG_TOO_NEW', message, { status: 409 })
}

/** The steps that a version still lacks. */
export function stepsAfter(version: number, steps: readonly Migration[] = migrations): Migration[] {
  return steps.filter(({ to }) => to > version)
}

/** The text with the steps taken and their version written. Throws what `editYaml` throws. */
export function migrated(text: string, steps: readonly Migration[], file: string): string {
  let now = text
  const set = (path: Path, value: unknown) => {
    now = editYaml(now, [{ path, value }], { file })
  }
  for (const step of steps) {
    step.edit?.({
      get: (path) => valueAt(readSource(now, file).values, path),
      set,
      remove: (path) => set(path, undefined),
      rename: (path, key) => {
        now = renameInYaml(now, path, key, file)
      },
    })
    set(['config_version'], step.to)
  }
  return now
}
