/** What plugins do not accept of what is set for them, also of those that this process does not load. */
import { Config, errorCode, type PluginContext } from 'svc/sdk'
import { ConfigFile, type ConfigProblem, type PluginInfo, Plugins } from 'svc/sdk/host'

/** By plugin, one sentence for each value: where it stands, what is wrong and what to type. */
export type SettingsProblems = ReadonlyMap<string, readonly string[]>

/** Asks those plugins that have something set. A file that cannot be read is the start's to report. */
export async function settingsProblems(ctx: PluginContext<undefined>): Promise<SettingsProblems> {
  const config = ctx.use(Config)
  const isAnySet = ctx
    .use(Plugins)
    .list()
    .some((info) => config.get(getBlockPath(info)) !== undefined)
  const found = new Map<string, string[]>()
  if (!isAnySet) return found
  try {
    for (const { plugin, ...problem } of await ctx.use(ConfigFile).refused())
      found.set(plugin, [...(found.get(plugin) ?? []), sentence(problem)])
  } catch (error) {
    if (errorCode(error) !== 'CONFIG_UNREADABLE') throw error
  }
  return found
}

/** Where in config.yaml a plugin's settings are; those of a project's plugin are in the project's own file. */
export function getBlockPath({ manifest, origin }: Pick<PluginInfo, 'manifest' | 'origin'>): string {
  return origin === 'project'
    ? `plugins.entries.${manifest.name}`
    : (manifest.config ?? `plugins.entries.${manifest.name}`)
}

function sentence({ path, message, hint, line }: ConfigProblem): string {
  const place = line === undefined ? 'config.yaml' : `config.yaml, line ${line}`
  return `${place}: ${path} ${message}${hint ? ` (${hint})` : ''}. Fix it with: svc config set ${path} <value>`
}
