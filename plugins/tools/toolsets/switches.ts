/** The state of all toolsets, and what to write to change it. */
import { SvcError } from 'svc/sdk'
import {
  type ConfigEdit,
  formatConfigPath,
  type RegisteredTool,
  type ToolsetStatus,
  type Toolsets,
  type ToolToggle,
} from 'svc/sdk/host'
import type { Config } from './config.ts'
import { getLists, type Named, offReason, type Source, withScope } from './rules.ts'

type Lists = Pick<Config, 'enabled' | 'disabled'>

/** A surface without rules. */
const ANY_SURFACE = ''

/** Contract: `Toolsets` of the SDK. */
export class ToolSwitches implements Toolsets {
  #config: Config
  readonly #tools: () => readonly RegisteredTool[]
  readonly #getSource: (surface: string) => Source

  constructor(
    config: Config,
    tools: () => readonly RegisteredTool[],
    sourceOf: (surface: string) => Source = () => 'people',
  ) {
    this.#config = config
    this.#tools = tools
    this.#getSource = sourceOf
  }

  list(surface: string): readonly ToolsetStatus[] {
    const names = [...new Set(this.#tools().map(({ toolset }) => toolset))].sort()
    return names.map((name) => this.#state(name, surface))
  }

  edits(switches: readonly ToolToggle[], surface?: string): readonly ConfigEdit[] {
    const before = surface === undefined ? this.#config : getLists(surface, this.#config)
    const after = this.#after(switches, surface)
    const path = surface === undefined ? ['tools'] : ['tools', 'surfaces', surface]
    return (['enabled', 'disabled'] as const)
      .filter((key) => after[key].join('\n') !== before[key].join('\n'))
      .map((key) => ({
        path: formatConfigPath([...path, key]),
        value: after[key].length > 0 ? after[key] : undefined,
      }))
  }

  /** Why a tool is off on a surface by the rules in force; undefined when it is on. */
  offReason(tool: Named, surface: string): string | undefined {
    return this.judge(surface)(tool)
  }

  /** `offReason` for many tools of one surface: the list of all tools is read at most once. */
  judge(surface: string, config: Config = this.#config): (tool: Named) => string | undefined {
    const source = this.#getSource(surface)
    let all: readonly RegisteredTool[] | undefined
    const readAll = () => {
      all ??= this.#tools()
      return all
    }
    return (tool) => offReason(withScope(tool, readAll), surface, config, source)
  }

  /** Lets what config.yaml holds by now hold in this process, without a reload. */
  adopt(config: Config): void {
    this.#config = config
  }

  unknown(): readonly string[] {
    const known = new Set(this.#tools().flatMap(({ name, toolset }) => [name, toolset]))
    return this.#configured().filter((name) => !known.has(name))
  }

  #after(switches: readonly ToolToggle[], surface: string | undefined): Lists {
    let lists: Lists = surface === undefined ? this.#config : getLists(surface, this.#config)
    for (const { name, to } of switches) {
      if (!this.#known().has(name)) throw this.#unknownName(name)
      lists = to === 'off' ? this.#off(name, lists) : this.#on(name, lists, surface)
    }
    return { enabled: lists.enabled, disabled: lists.disabled }
  }

  #state(toolset: string, surface: string): ToolsetStatus {
    const tools = this.#tools()
      .filter((tool) => tool.toolset === toolset)
      .sort((one, two) => (one.name < two.name ? -1 : 1))
    const reasons = tools.map(this.judge(surface))
    const because = reasons.find((reason) => reason !== undefined)
    return {
      name: toolset,
      on: reasons.includes(undefined),
      ...(because !== undefined && { because }),
      tools: tools.map((tool, at) => {
        const missing = tool.missing?.()
        return { name: tool.name, on: reasons[at] === undefined, ...(missing !== undefined && { missing }) }
      }),
    }
  }

  #off(name: string, { enabled, disabled }: Lists): Lists {
    const inside = this.#inside(name)
    return { enabled: enabled.filter((each) => each !== name && !inside.includes(each)), disabled: add(disabled, name) }
  }

  /** Named in `enabled` only when taking it out of `disabled` is not enough. */
  #on(name: string, { enabled, disabled }: Lists, surface: string | undefined): Lists {
    const inside = this.#inside(name)
    const lists = { enabled, disabled: disabled.filter((each) => each !== name && !inside.includes(each)) }
    if (this.#reason(name, lists, surface) === undefined) return lists
    const named = { ...lists, enabled: add(enabled, name) }
    const still = this.#reason(name, named, surface)
    if (still === undefined) return named
    throw new SvcError(
      'TOOLSETS_CLOSED',
      `"${name}" stays off for ${surface ?? 'all'}: ${still}. Switch it on everywhere first: svc tools enable ${name}`,
      { status: 409 },
    )
  }

  /** Why a tool or a tool of a toolset would be off with these lists. */
  #reason(name: string, lists: Lists, surface: string | undefined): string | undefined {
    const config =
      surface === undefined
        ? { ...this.#config, ...lists }
        : { ...this.#config, surfaces: { ...this.#config.surfaces, [surface]: lists } }
    const meant = this.#tools().filter((tool) => tool.name === name || tool.toolset === name)
    // A toolset whose plugin is not loaded has no tools to ask about.
    const tools = meant.length > 0 ? meant : [{ name, toolset: name }]
    return tools.map(this.judge(surface ?? ANY_SURFACE, config)).find((reason) => reason !== undefined)
  }

  /** The tools of a toolset; none for the name of a tool. */
  #inside(name: string): readonly string[] {
    return this.#tools()
      .filter(({ toolset }) => toolset === name)
      .map((tool) => tool.name)
  }

  #known(): Set<string> {
    const named = this.#tools().flatMap(({ name, toolset }) => [name, toolset])
    return new Set([...named, ...this.#configured()])
  }

  #configured(): readonly string[] {
    const all = [this.#config, ...Object.values(this.#config.surfaces)]
    return [...new Set(all.flatMap(({ enabled, disabled }) => [...enabled, ...disabled]))]
  }

  #unknownName(name: string): SvcError {
    return new SvcError('TOOLSETS_UNKNOWN', `There is no toolset and no tool "${name}".`, { status: 404 })
  }
}

function add(list: readonly string[], name: string): string[] {
  return list.includes(name) ? [...list] : [...list, name]
}
