/** The version of a plugin's settings block: how many steps of its `configMigrations` the block has seen. */
import { errorMessage, SvcError } from '../../errors.ts'
import type { ConfigMigrationStep } from '../../plugin.ts'
import { formatIssuePath, type SchemaIssue } from '../../schema.ts'

/**
 * The key of a block that holds its version. Absent: no step was taken. The schema of the plugin never sees it.
 * @since 0.2
 */
export const SETTINGS_VERSION = 'settings_version'

/** A block in the form that the code of its plugin expects. @since 0.2 */
export interface MigratedSettings {
  /** Without the version. */
  readonly values: unknown
  readonly from: number
  /** How many steps the plugin has. */
  readonly to: number
}

/**
 * Takes the steps that a block lacks; the block stays as it is. A block that is absent, empty or not a mapping has nothing to
 * migrate. `path` is for messages. Throws `CONFIG_INVALID` for a version that is not a whole number, `SETTINGS_TOO_NEW`, and
 * `SETTINGS_MIGRATION` when a step throws or returns something else than a mapping.
 * @since 0.2
 */
export function migrateSettings(
  block: unknown,
  path: string,
  steps: readonly ConfigMigrationStep[] = [],
): MigratedSettings {
  const to = steps.length
  if (!isMapping(block)) return { values: block, from: to, to }
  const { [SETTINGS_VERSION]: version, ...values } = block
  const from = readVersion(version, path)
  if (from > to) {
    const known = `${path} has ${SETTINGS_VERSION} ${from}, and this version of the plugin knows ${to}`
    throw new SvcError(
      'SETTINGS_TOO_NEW',
      `config.yaml: ${known}. Nothing was changed. Install the later version of the plugin again, or take the change back with: svc config undo`,
      { status: 409 },
    )
  }
  if (Object.keys(values).length === 0) return { values, from: to, to }
  let now = values
  for (const [at, step] of steps.entries()) if (at >= from) now = take(step, now, `${path}, step ${at + 1} of ${to}`)
  return { values: now, from, to }
}

function take(step: ConfigMigrationStep, old: Record<string, unknown>, where: string): Record<string, unknown> {
  const refuse = (why: string, cause?: unknown) => {
    const advice = 'Nothing was changed. Edit the settings with: svc config edit, or install the earlier version again'
    const options = cause === undefined ? {} : { cause }
    return new SvcError(
      'SETTINGS_MIGRATION',
      `config.yaml: ${where} of the migration failed: ${why}. ${advice}`,
      options,
    )
  }
  let result: unknown
  try {
    result = step(structuredClone(old))
  } catch (error) {
    throw refuse(errorMessage(error), error)
  }
  if (!isMapping(result) || result instanceof Promise) throw refuse('it did not return a mapping')
  return { ...result }
}

function readVersion(version: unknown, path: string): number {
  if (version === undefined) return 0
  if (typeof version === 'number' && Number.isInteger(version) && version >= 0) return version
  const is = `${path}.${SETTINGS_VERSION} is ${JSON.stringify(version)}, and must be a whole number`
  throw new SvcError('CONFIG_INVALID', `config.yaml: ${is}. Fix it with: svc config edit`, { status: 400 })
}

/** The schema of the plugin does not take what its steps made. */
export function refusedMigration(
  path: string,
  { from, to }: MigratedSettings,
  issues: readonly SchemaIssue[],
): SvcError {
  const found = issues.map((issue) => `${formatIssuePath(issue) || 'the whole'}: ${issue.message}`).join('; ')
  const what = `config.yaml: ${path} was migrated from ${SETTINGS_VERSION} ${from} to ${to}, and the plugin refuses the result (${found})`
  const advice = 'The file is as it was. Edit the settings with: svc config edit, or install the earlier version again'
  return new SvcError('SETTINGS_MIGRATION', `${what}. ${advice}`)
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
