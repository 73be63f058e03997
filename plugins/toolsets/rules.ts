/** Whether a tool is on for a surface. Pure, and made so that it cannot fail: a failing listener would switch all on. */
import type { Tool, ToolOffer } from 'svc/sdk'
import type { Config } from './config.ts'
import { OFF_UNLESS_NAMED, SURFACES } from './surfaces.ts'

type Named = Pick<Tool, 'name' | 'toolset'>
type Lists = Pick<Config, 'enabled' | 'disabled'>

const NO_LISTS: Lists = { enabled: [], disabled: [] }

/** The lists of one surface. */
export function listsOf(surface: string, config: Config): Lists {
  return Object.hasOwn(config.surfaces, surface) ? (config.surfaces[surface] ?? NO_LISTS) : NO_LISTS
}

/**
 * Why a tool is off, as the end of a sentence; undefined when it is on. The surface's own `disabled` and then the general
 * one switch off for good; the surface's `enabled` lifts what holds before anybody configures, and so does the general
 * one, except for the limits of surfaces: what strangers reach is opened by name only.
 */
export function offReason(tool: Named, surface: string, config: Config): string | undefined {
  const local = verdict(tool, listsOf(surface, config))
  if (local === 'off') return `tools.surfaces.${surface}.disabled names it`
  const general = verdict(tool, config)
  if (general === 'off') return 'tools.disabled names it'
  if (local === 'on') return undefined
  if (!permits(tool, surface)) return `the surface ${surface} goes without it`
  if (general === 'on' || !OFF_UNLESS_NAMED.includes(tool.toolset)) return undefined
  return 'it is off unless tools.enabled names it'
}

/** The offer, less what is off. A name that no tool answers to is left out. */
export function keepOn(
  offer: ToolOffer,
  find: (name: string) => Named | undefined,
  surface: string,
  config: Config,
): ToolOffer {
  const isOn = (name: string) => {
    const tool = find(name)
    return tool !== undefined && offReason(tool, surface, config) === undefined
  }
  return { offered: offer.offered.filter(isOn), deferred: offer.deferred.filter(isOn) }
}

/** A tool's own name outweighs that of its toolset; named in both lists, it is off. */
function verdict({ name, toolset }: Named, { enabled, disabled }: Lists): 'on' | 'off' | undefined {
  for (const each of [name, toolset]) {
    if (disabled.includes(each)) return 'off'
    if (enabled.includes(each)) return 'on'
  }
  return undefined
}

function permits({ name, toolset }: Named, surface: string): boolean {
  const limit = Object.hasOwn(SURFACES, surface) ? SURFACES[surface] : undefined
  const isIn = (list: readonly string[]) => list.includes(name) || list.includes(toolset)
  return !limit || ((!limit.only || isIn(limit.only)) && !(limit.without && isIn(limit.without)))
}
