/** Writes settings that were migrated in memory to config.yaml, by the one writer. */
import { ConfigFile } from '../sdk/config.ts'
import { errorCode, errorMessage } from '../sdk/errors.ts'
import type { Booted } from './boot.ts'

/**
 * For processes in which a person works, `terminal` and `gateway`: a command that only reads, and what the agent started,
 * leave the file alone.
 * What the writer refuses is reported; the settings in memory are in force either way.
 */
export async function writeMigratedSettings(
  { kernel, config, settings }: Booted,
  isAgents: () => boolean,
): Promise<void> {
  const { role } = kernel
  if (!config.inFile || role === 'command' || role === 'embedded') return
  const late = kernel.generations.all().filter(({ failed, found, code }) => !failed && settings.isBehind(found, code))
  if (late.length === 0 || isAgents()) return
  for (const { name, found } of late) {
    try {
      const file = await kernel.plugins.bring(ConfigFile)
      const reason = `migrate the settings of ${name} for version ${found.manifest.version}`
      await file?.migrateSettings(name, { author: name, reason })
    } catch (error) {
      const message = `its migrated settings are not in config.yaml: ${errorMessage(error)}`
      kernel.report({ plugin: name, stage: 'settings', message, code: errorCode(error) }, error)
    }
  }
}
