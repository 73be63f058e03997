/** Which tools are told to the model, and which it has to look for. Pure: the same tools give the same offer. */
import type { ToolSelection } from 'svc/sdk'
import type { RegisteredTool } from 'svc/sdk/host'
import type { Config } from './config.ts'
import { definitionBytes } from './definition.ts'

/** The tools by which the model reaches the others. */
export const BRIDGE: readonly string[] = ['tool_search', 'tool_describe', 'tool_call']

/**
 * Tools outside of the core stay if all of them fit into the budget; otherwise the bridge and as many as fit beside it, small toolsets
 * before large ones and each toolset as a whole. Without a bridge everything stays; with nothing behind it the bridge goes.
 */
export function deferTools(
  { offered, deferred }: ToolSelection,
  find: (name: string) => RegisteredTool | undefined,
  { budget_bytes, keep }: Config,
): ToolSelection {
  const rest = offered.filter((name) => !BRIDGE.includes(name))
  const hasBridge = BRIDGE.every((name) => offered.includes(name))
  const tools = rest.flatMap((name) => find(name) ?? [])
  // A toolset stays together: looking for a part of it would take longer than that part costs.
  const core = new Set(tools.flatMap(({ toolset, scope }) => (scope?.core ? [toolset] : [])))
  const isKept = ({ name, toolset }: RegisteredTool) =>
    core.has(toolset) || keep.includes(toolset) || keep.includes(name)
  const movable = hasBridge ? tools.filter((tool) => !isKept(tool)) : []
  const fits = definitionBytes(movable) <= budget_bytes
  // The bridge is paid for from the same budget.
  const room = budget_bytes - definitionBytes(BRIDGE.flatMap((name) => find(name) ?? []))
  const large = fits ? new Set<string>() : tooLarge(movable, room)
  const moved = movable.filter(({ toolset }) => large.has(toolset)).map(({ name }) => name)
  const hidden = [...new Set([...deferred, ...moved])]
  return {
    offered: [...rest.filter((name) => !hidden.includes(name)), ...(hidden.length > 0 && hasBridge ? BRIDGE : [])],
    deferred: hidden,
  }
}

/** Toolsets that do not fit any more. */
function tooLarge(tools: readonly RegisteredTool[], budget: number): ReadonlySet<string> {
  const names = [...new Set(tools.map(({ toolset }) => toolset))]
  const sized = names
    .map((name) => ({ name, bytes: definitionBytes(tools.filter(({ toolset }) => toolset === name)) }))
    .sort((one, two) => one.bytes - two.bytes || (one.name < two.name ? -1 : 1))
  let room = budget
  return new Set(
    sized
      .filter(({ bytes }) => {
        room -= bytes
        return room < 0
      })
      .map(({ name }) => name),
  )
}
