/** Plugins that must run before anything is done: `plugins.required`. */
import type { ConfigStore } from '../home/config.ts'
import type { Unmet } from '../kernel/kernel-options.ts'
import { enableCommand, infoCommand } from '../sdk/advice.ts'
import { findPluginToEnable } from '../sdk/left-out.ts'
import type { PluginInfo } from '../sdk/plugins.ts'

const PATH = 'plugins.required'

/** What keeps turns from running now; empty when everything that is required runs. Cheap when nothing is required. */
export function findUnmet(config: ConfigStore, info: (name: string) => PluginInfo | undefined): readonly Unmet[] {
  const { machine } = config
  if (machine?.problem !== undefined)
    return [
      {
        plugin: '',
        reason: `${machine.file}, which holds the rules of this machine, cannot be used: ${machine.problem}`,
        fix: `ask the administrator of this machine to mend ${machine.file}`,
      },
    ]
  const required = config.get(PATH)
  if (required === undefined) return []
  const where = `${PATH} in ${config.fixes(PATH) ? machine?.file : config.file}`
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string'))
    return [{ plugin: '', reason: `${where} is not a list of plugin names`, fix: 'write it as [name, name]' }]
  return required.flatMap((name) => unmet(name, info(name), where) ?? [])
}

function unmet(plugin: string, info: PluginInfo | undefined, where: string): Unmet | undefined {
  if (info?.status === 'started') return undefined
  const why = info
    ? (info.reason ?? (info.status === 'available' ? 'it was not loaded' : `it is ${info.status}`))
    : 'there is no such plugin'
  return { plugin, reason: `${plugin} must run (${where}) and does not: ${why}`, fix: fixFor(plugin, info) }
}

function fixFor(plugin: string, info: PluginInfo | undefined): string {
  if (!info) return `svc plugins install ${plugin}`
  const off = findPluginToEnable(plugin, info.leftOut)
  return off === undefined ? infoCommand(plugin) : enableCommand(off)
}
