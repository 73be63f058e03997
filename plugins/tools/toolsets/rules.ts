/** Whether a tool is on for a surface. Pure, and made so that it cannot fail: a failing listener would switch all on. */
import type { ToolScope, ToolSelection } from 'svc/sdk'
import type { RegisteredTool } from 'svc/sdk/host'
import type { Config } from './config.ts'

/** What the rules read of a tool. */
export type Named = Pick<RegisteredTool, 'name' | 'toolset' | 'scope'>
/** Who writes what comes in on a surface. */
export type Source = 'people' | 'machines'
type Lists = Pick<Config, 'enabled' | 'disabled'>

/** Surfaces on which strangers write what the model reads: they have only the tools whose scope allows that. */
const OF_STRANGERS: readonly string[] = ['webhook']

const NO_LISTS: Lists = { enabled: [], disabled: [] }

/** The lists of one surface. */
export function getLists(surface: string, config: Config): Lists {
  return Object.hasOwn(config.surfaces, surface) ? (config.surfaces[surface] ?? NO_LISTS) : NO_LISTS
}

/** A tool that says nothing about its scope is held to what the other tools of its toolset say. */
export function withScope(tool: Named, all: () => readonly Named[]): Named {
  if (tool.scope !== undefined) return tool
  const scopes = all().flatMap(({ toolset, scope }) => (toolset === tool.toolset && scope ? [scope] : []))
  if (scopes.length === 0) return tool
  const { name, toolset } = tool
  const scope: ToolScope = {
    notOn: scopes.flatMap(({ notOn = [] }) => notOn),
    optIn: scopes.some(({ optIn }) => optIn),
  }
  return { name, toolset, scope }
}

/**
 * Why a tool is off, as the end of a sentence; undefined when it is on. The surface's own `disabled` and then the general
 * one switch off for good; the surface's `enabled` lifts the defaults, and so does the general
 * one, except for the limits of surfaces: what strangers reach is opened by name only.
 */
export function offReason(tool: Named, surface: string, config: Config, source: Source = 'people'): string | undefined {
  const local = verdict(tool, getLists(surface, config))
  if (local === 'off') return `tools.surfaces.${surface}.disabled names it`
  const general = verdict(tool, config)
  if (general === 'off') return 'tools.disabled names it'
  if (local === 'on') return undefined
  if (!permits(tool, surface, source)) return `the surface ${surface} goes without it`
  if (general === 'on' || !tool.scope?.optIn) return undefined
  return 'it is off unless tools.enabled names it'
}

/** The offer, less what is off. A name that no tool answers to is left out. */
export function keepOn(
  offer: ToolSelection,
  find: (name: string) => Named | undefined,
  whyOff: (tool: Named) => string | undefined,
): ToolSelection {
  const isOn = (name: string) => {
    const tool = find(name)
    return tool !== undefined && whyOff(tool) === undefined
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

function permits({ scope = {} }: Named, surface: string, source: Source): boolean {
  if (OF_STRANGERS.includes(surface) && !scope.strangers) return false
  if (source === 'machines' && !scope.events && !scope.strangers) return false
  return !scope.notOn?.includes(surface)
}
