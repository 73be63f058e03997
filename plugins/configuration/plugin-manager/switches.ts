/** Which plugins may run: `plugins.enabled` and `plugins.disabled` in config.yaml. */
import { existsSync, readFileSync } from 'node:fs'
import { Config, errorMessage, type PluginContext, SvcError } from 'svc/sdk'
import { applyFixed, type ConfigChange, type ConfigEdit, ConfigFile, type PluginInfo } from 'svc/sdk/host'
import { parse } from 'yaml'

/** As they are in the file. The layer of the machine is over it. */
export interface Switches {
  readonly enabled: readonly string[]
  readonly disabled: readonly string[]
}

/** What becomes of a plugin's name: it is switched on or off, or both lists forget it. */
export type SwitchState = 'on' | 'off' | 'forgotten'

/** Whether a plugin runs only once it is named in `plugins.enabled`. */
export function needsEnabling({ origin, manifest }: Pick<PluginInfo, 'origin' | 'manifest'>): boolean {
  return isForeign(origin) || manifest.optIn === true
}

/** Brought by a user, not by the program. */
export function isForeign(origin: PluginInfo['origin']): boolean {
  return origin !== 'built-in' && origin !== 'embedded'
}

export function isOn(info: Pick<PluginInfo, 'origin' | 'manifest'>, { enabled, disabled }: Switches): boolean {
  const { name } = info.manifest
  return !disabled.includes(name) && (!needsEnabling(info) || enabled.includes(name))
}

/** Reads the file itself: this process may have read it before the last change. Throws `PLUGIN_SWITCHES`. */
export function readSwitches(ctx: PluginContext<undefined>): Switches {
  const config = ctx.use(Config)
  const written = existsSync(config.file) ? readYaml(config.file) : { plugins: config.get('plugins') }
  const values = applyFixed(written, config.machine?.values ?? {})
  return { enabled: names(values, 'enabled', config.file), disabled: names(values, 'disabled', config.file) }
}

/** Writes what differs; undefined when nothing does. Throws what `ConfigFile.write` throws. */
export async function writeSwitch(
  ctx: PluginContext<undefined>,
  info: Pick<PluginInfo, 'origin' | 'manifest'>,
  wanted: SwitchState,
): Promise<ConfigChange | undefined> {
  const { name } = info.manifest
  const now = readSwitches(ctx)
  const named = wanted === 'on' ? now.enabled.includes(name) || needsEnabling(info) : now.enabled.includes(name)
  const edits = [
    ...edit('plugins.enabled', now.enabled, name, wanted !== 'forgotten' && named),
    ...edit('plugins.disabled', now.disabled, name, wanted === 'off'),
  ]
  if (!edits.length) return undefined
  const what = { on: 'enable', off: 'disable', forgotten: 'remove' }[wanted]
  return ctx.use(ConfigFile).write(edits, { author: 'svc plugins', reason: `${what} the plugin ${name}` })
}

function edit(path: string, list: readonly string[], name: string, listed: unknown): ConfigEdit[] {
  if (list.includes(name) === listed) return []
  const value = listed ? [...list, name] : list.filter((other) => other !== name)
  return [{ path, value: value.length ? value : undefined }]
}

function readYaml(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new SvcError('PLUGIN_SWITCHES', `${file} cannot be read: ${errorMessage(cause)}`, { cause })
  }
}

function names(values: unknown, key: keyof Switches, file: string): string[] {
  const list = (values as { plugins?: Record<string, unknown> } | null)?.plugins?.[key] ?? []
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list
  throw new SvcError('PLUGIN_SWITCHES', `plugins.${key} in ${file} must be a list of plugin names. Mend it by hand.`)
}
