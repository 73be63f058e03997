/** A tool as a model is told of it, and what that takes. */
import type { Tool } from 'svc/sdk'
import type { ToolDefinition } from 'svc/sdk/provider'

const known = new WeakMap<Tool, ToolDefinition>()
const sizes = new WeakMap<Tool, number>()

/** The same as the agent sends. */
export function toDefinition(tool: Tool): ToolDefinition {
  let definition = known.get(tool)
  if (!definition) {
    const schema = tool.input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {}
    const { $schema: _, additionalProperties: __, ...parameters } = schema
    definition = { name: tool.name, description: tool.description, parameters }
    known.set(tool, definition)
  }
  return definition
}

/** Bytes of the definitions as JSON, with what stands between them. */
export function definitionBytes(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + measureTool(tool) + 1, 0)
}

function measureTool(tool: Tool): number {
  const size = sizes.get(tool) ?? Buffer.byteLength(JSON.stringify(toDefinition(tool)))
  sizes.set(tool, size)
  return size
}

/** `some_tool(ref: string, text: string, submit?: boolean)`: all that is needed for most calls. */
export function formatSignature(tool: Tool): string {
  const { parameters } = toDefinition(tool)
  const required = Array.isArray(parameters['required']) ? parameters['required'] : []
  const entries = Object.entries((parameters['properties'] ?? {}) as Record<string, unknown>)
  const inside = entries.map(([name, schema]) => {
    const { default: preset } = (schema ?? {}) as { default?: unknown }
    const isOptional = !required.includes(name) || preset !== undefined
    return `${name}${isOptional ? '?' : ''}: ${formatType(schema)}`
  })
  return `${tool.name}(${inside.join(', ')})`
}

function formatType(schema: unknown): string {
  const { type, enum: choices, items, anyOf } = (schema ?? {}) as Record<string, unknown>
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join('|')
  if (type === 'array') return `${formatType(items)}[]`
  if (Array.isArray(anyOf)) return anyOf.map(formatType).join('|')
  return [type ?? 'any'].flat().join('|')
}
