/** The edits that bring a block of config.yaml to the form that its plugin expects. */
import { errorCode } from 'svc/sdk'
import { formatConfigPath, getAtPath, type YamlChange } from 'svc/sdk/host'
import { migrateSettings, SETTINGS_VERSION } from 'svc/sdk/kit/state'
import type { Block } from './config-blocks.ts'
import type { Path } from './json-schema.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * None for a block that has the form, or that its steps cannot bring there: a person must be able to mend that one. A block
 * that does not exist yet begins with the newest version. `values` are those of the file, with each `${NAME}` as it stands.
 */
export function migrationEdits(values: unknown, { path, steps = [] }: Block): YamlChange[] {
  if (steps.length === 0) return []
  const block = getAtPath(values, path)
  const version = { path: [...path, SETTINGS_VERSION], value: steps.length }
  if (getAtPath(block, [SETTINGS_VERSION]) === steps.length) return []
  try {
    return [...leafEdits(without(block), migrateSettings(block, formatConfigPath(path), steps).values, path), version]
  } catch (error) {
    if (errorCode(error) === 'SETTINGS_MIGRATION' || errorCode(error) === 'SETTINGS_TOO_NEW') return []
    throw error
  }
}

/** Mappings are compared key by key, so that what did not change, or was only renamed, keeps its place and comments. */
function leafEdits(before: unknown, after: unknown, path: Path): YamlChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (!isMapping(before) || !isMapping(after)) return [{ path, value: after }]
  const renamed = findRenames(before, after)
  const renames = [...renamed].map(([fresh, old]) => ({ path: [...path, old], rename: fresh }))
  const gone = new Set(renamed.values())
  const keys = new Set([...Object.keys(before).filter((key) => !gone.has(key)), ...Object.keys(after)])
  const edits = [...keys].flatMap((key) => leafEdits(before[renamed.get(key) ?? key], after[key], [...path, key]))
  return [...renames, ...edits]
}

/** Old keys by their new ones: those with the same value, and the only one that is gone where only one is new. */
function findRenames(before: Values, after: Values): Map<string, string> {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  const fresh = Object.keys(after).filter((key) => !Object.hasOwn(before, key))
  const [onlyFresh, onlyGone] = [fresh[0], gone[0]]
  if (fresh.length === 1 && gone.length === 1 && onlyFresh !== undefined && onlyGone !== undefined)
    return new Map([[onlyFresh, onlyGone]])
  const renames = new Map<string, string>()
  for (const key of fresh) {
    const taken = new Set(renames.values())
    const old = gone.find((name) => !taken.has(name) && JSON.stringify(before[name]) === JSON.stringify(after[key]))
    if (old !== undefined) renames.set(key, old)
  }
  return renames
}

function without(block: unknown): unknown {
  if (!isMapping(block)) return block
  const { [SETTINGS_VERSION]: _version, ...values } = block
  return values
}

function isMapping(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
