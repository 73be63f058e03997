/** Tools as a model is told of them. */
import { SvcError, type Tool, type ToolDefinition } from 'svc/sdk'

const known = new WeakMap<Tool, ToolDefinition>()

/** Made once per tool; the bytes are the same in every request. */
export function definitionOf(tool: Tool): ToolDefinition {
  let definition = known.get(tool)
  if (!definition) {
    definition = { name: tool.name, description: tool.description, parameters: parametersOf(tool) }
    known.set(tool, definition)
  }
  return definition
}

function parametersOf(tool: Tool): Record<string, unknown> {
  const { jsonSchema } = tool.input['~standard']
  if (!jsonSchema)
    throw new SvcError('TOOL_SCHEMA', `The input schema of the tool ${tool.name} cannot be told to a model; use zod.`)
  const { $schema: _, additionalProperties: __, ...parameters } = jsonSchema.input({ target: 'draft-2020-12' })
  return parameters
}
