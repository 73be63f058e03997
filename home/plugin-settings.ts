/** The settings of each plugin: its block of config.yaml, migrated to the form of its code and checked by its schema. */
import type { PluginRecord } from '../kernel/plugin-record.ts'
import { SvcError } from '../sdk/errors.ts'
import { type MigratedSettings, migrateSettings, refusedMigration } from '../sdk/kit/state/settings.ts'
import type { Plugin } from '../sdk/plugin.ts'
import { formatIssuePath, type SchemaResult } from '../sdk/schema.ts'
import type { ConfigStore } from './config.ts'

export class SettingsReader {
  readonly #config: Pick<ConfigStore, 'get'>

  constructor(config: Pick<ConfigStore, 'get'>) {
    this.#config = config
  }

  /** Throws `CONFIG_INVALID`, `SETTINGS_MIGRATION` or `SETTINGS_TOO_NEW`. */
  read(found: PluginRecord, code: Plugin): unknown {
    const migrated = this.#migrate(found, code)
    if (!code.config) return undefined
    const result = code.config['~standard'].validate(migrated.values ?? {})
    const accept = (checked: SchemaResult<unknown>) => this.#accept(found, migrated, checked)
    return 'then' in result ? Promise.resolve(result).then(accept) : accept(result)
  }

  #accept(found: PluginRecord, migrated: MigratedSettings, result: SchemaResult<unknown>): unknown {
    if (!result.issues) return result.value
    const { values: block, from, to } = migrated
    const path = blockPath(found)
    if (block !== undefined && (typeof block !== 'object' || block === null || Array.isArray(block)))
      throw new SvcError(
        'CONFIG_INVALID',
        `config.yaml: "${path}" is ${JSON.stringify(block)}, but must be a section with its settings indented below it. Edit it with: svc config edit`,
      )
    if (from < to) throw refusedMigration(path, migrated, result.issues)
    const said = result.issues.map((issue) => {
      const at = [path, formatIssuePath(issue)].filter(Boolean).join('.')
      return `config.yaml: ${at} is ${JSON.stringify(valueAt(block, formatIssuePath(issue)))}: ${issue.message}. Fix it with: svc config set ${at} <value>`
    })
    throw new SvcError('CONFIG_INVALID', said.join('; '))
  }

  /** One text to compare, of the values in the form of the code: the migration of the file changes nothing. */
  fingerprint(found: PluginRecord, code: Plugin | undefined): string {
    try {
      return JSON.stringify(this.#migrate(found, code).values ?? null)
    } catch {
      // The reload says what is wrong.
      return JSON.stringify(this.#block(found) ?? null)
    }
  }

  /** Whether config.yaml has the block in an earlier form. */
  isBehind(found: PluginRecord, code: Plugin | undefined): boolean {
    const { origin } = found
    // The file of a project is not the user's, and one run of a folder does not decide for those after it.
    if (!code?.configMigrations || origin === 'project' || origin === 'command-line') return false
    const { from, to } = this.#migrate(found, code)
    return from < to
  }

  #migrate(found: PluginRecord, code: Plugin | undefined): MigratedSettings {
    return migrateSettings(this.#block(found), blockPath(found), code?.configMigrations)
  }

  #block(found: PluginRecord): unknown {
    return found.origin === 'project' ? found.project?.settings : this.#config.get(blockPath(found))
  }
}

/** The config block of a plugin. That of a project's plugin is in the project's own file, whatever it would like to own. */
export function blockPath({ manifest, origin }: Pick<PluginRecord, 'manifest' | 'origin'>): string {
  if (origin === 'project') return `plugins.entries.${manifest.name}`
  return manifest.config ?? `plugins.entries.${manifest.name}`
}

function valueAt(block: unknown, path: string): unknown {
  let value: unknown = block
  for (const part of path.split('.').filter(Boolean)) value = (value as Record<string, unknown> | undefined)?.[part]
  return value ?? 'not set'
}
