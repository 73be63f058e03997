/** What belongs to one project: the data and the settings of its own plugins. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toProjectKey } from '../home/state.ts'
import type { PluginRecord } from '../kernel/plugin-record.ts'
import { getAtPath } from '../sdk/config.ts'
import { parseYaml } from '../sdk/kit/text/yaml.ts'

/**
 * Gives the plugins of a project their settings: `plugins.entries.<name>` in the project's `.svc/config.yaml`. Nothing
 * else is read from that file, and `${NAME}` in it stays as written: the environment is the user's, not the project's.
 */
export function withProject(all: readonly PluginRecord[], projectDir: string): PluginRecord[] {
  const key = toProjectKey(projectDir)
  const { entries, problem } = readEntries(join(projectDir, '.svc', 'config.yaml'))
  return all.map((found) => {
    if (found.origin !== 'project') return found
    const settings = getAtPath(entries, [found.manifest.name])
    const project = { key, ...(settings === undefined ? {} : { settings }) }
    return { ...found, project, ...(problem && !found.problem ? { problem } : {}) }
  })
}

function readEntries(file: string): { readonly entries?: unknown; readonly problem?: string } {
  if (!existsSync(file)) return {}
  const parsed = parseYaml(readFileSync(file, 'utf8'))
  if ('values' in parsed) return { entries: getAtPath(parsed.values, ['plugins', 'entries']) }
  return { problem: `its settings cannot be read: ${file}: ${parsed.message}` }
}
