/** A list of tools as models are told of it. Turns that have the same tools share one. */
import type { Tool, ToolDefinition } from 'svc/sdk'
import { definitionOf } from './definitions.ts'

interface ToolSet {
  readonly tools: readonly Tool[]
  readonly definitions: readonly ToolDefinition[]
}

/** The newest list that begins with a tool: most turns have the very same. */
const newest = new WeakMap<Tool, ToolSet>()
const texts = new WeakMap<readonly ToolDefinition[], string>()

/** The same object for the same tools in the same order. */
export function definitionsOf(tools: readonly Tool[]): readonly ToolDefinition[] {
  const [first] = tools
  if (!first) return []
  const known = newest.get(first)
  if (known && known.tools.length === tools.length && tools.every((tool, index) => tool === known.tools[index]))
    return known.definitions
  const set = { tools: [...tools], definitions: tools.map(definitionOf) }
  newest.set(first, set)
  return set.definitions
}

/** As JSON, which is long and made once. */
export function textOf(definitions: readonly ToolDefinition[]): string {
  const text = texts.get(definitions) ?? JSON.stringify(definitions)
  texts.set(definitions, text)
  return text
}
