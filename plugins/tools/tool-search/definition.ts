/** A tool as a model is told of it, and what that takes. */
import type { Tool, ToolDefinition } from 'svc/sdk'

const known = new WeakMap<Tool, ToolDefinition>()
const sizes = new WeakMap<Tool, number>()

/** The same as the agent sends. */
export function definitionOf(tool: Tool): ToolDefinition {
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
  return tools.reduce((sum, tool) => sum + sizeOf(tool) + 1, 0)
}

function sizeOf(tool: Tool): number {
  const size = sizes.get(tool) ?? Buffer.byteLength(JSON.stringify(definitionOf(tool)))
  sizes.set(tool, size)
  return size
}

/** `some_tool(ref: string, text: string, submit?: boolean)`: all that is needed for most calls. */
export function signatureOf(tool: Tool): string {
  const { parameters } = definitionOf(tool)
  const required = Array.isArray(parameters['required']) ? parameters['required'] : []
  const entries = Object.entries((parameters['properties'] ?? {}) as Record<string, unknown>)
  const inside = entries.map(([name, schema]) => {
    const { default: preset } = (schema ?? {}) as { default?: unknown }
    const isOptional = !required.includes(name) || preset !== undefined
    return `${name}${isOptional ? '?' : ''}: ${typeOf(schema)}`
  })
  return `${tool.name}(${inside.join(', ')})`
}

function typeOf(schema: unknown): string {
  const { type, enum: choices, items, anyOf } = (schema ?? {}) as Record<string, unknown>
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join('|')
  if (type === 'array') return `${typeOf(items)}[]`
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join('|')
  return [type ?? 'any'].flat().join('|')
}
