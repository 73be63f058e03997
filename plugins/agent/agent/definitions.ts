/** Tool definitions for the model, and validated tools for the loop. */
import { errorMessage, type Schema, type SchemaResult, SvcError, type Tool, type ToolResult } from 'svc/sdk'
import { isResultFileList } from 'svc/sdk/media'
import type { ToolDefinition } from 'svc/sdk/provider'

const known = new WeakMap<Tool, ToolDefinition>()

/** Made once per tool; the bytes are the same in every request. */
export function toDefinition(tool: Tool): ToolDefinition {
  let definition = known.get(tool)
  if (!definition) {
    definition = { name: tool.name, description: tool.description, parameters: toParameterSchema(tool) }
    known.set(tool, definition)
  }
  return definition
}

function toParameterSchema(tool: Tool): Record<string, unknown> {
  const { jsonSchema } = tool.input['~standard']
  if (!jsonSchema)
    throw new SvcError('TOOL_SCHEMA', `The input schema of the tool ${tool.name} cannot be told to a model; use zod.`)
  const { $schema: _, additionalProperties: __, ...parameters } = jsonSchema.input({ target: 'draft-2020-12' })
  return parameters
}

interface ToolSet {
  readonly tools: readonly Tool[]
  readonly definitions: readonly ToolDefinition[]
}

/** The newest list that begins with a tool: most turns have the very same. */
const newest = new WeakMap<Tool, ToolSet>()
const texts = new WeakMap<readonly ToolDefinition[], string>()

/** The same object for the same tools in the same order. */
export function toDefinitions(tools: readonly Tool[]): readonly ToolDefinition[] {
  const [first] = tools
  if (!first) return []
  const known = newest.get(first)
  if (known && known.tools.length === tools.length && tools.every((tool, index) => tool === known.tools[index]))
    return known.definitions
  const set = { tools: [...tools], definitions: tools.map(toDefinition) }
  newest.set(first, set)
  return set.definitions
}

/** As JSON, which is long and made once. */
export function formatDefinitions(definitions: readonly ToolDefinition[]): string {
  const text = texts.get(definitions) ?? JSON.stringify(definitions)
  texts.set(definitions, text)
  return text
}

/** Longer errors are cut: they often quote what the model has written itself. */
const LONGEST_ERROR = 2000

const sounded = new WeakMap<Tool, Tool>()

/** The same tool, whose calls are answered with words that can be kept, whatever its plugin does. Made once. */
export function normaliseTool(tool: Tool): Tool {
  let sound = sounded.get(tool)
  if (!sound) {
    sound = make(tool)
    sounded.set(tool, sound)
  }
  return sound
}

/** How each field is taken over. A field that is missing here does not compile: forgetting one would open a gate. */
const FIELDS: { readonly [Field in keyof Required<Tool>]: (tool: Tool) => Tool[Field] } = {
  name: ({ name }) => name,
  description: ({ description }) => description,
  effect: ({ effect }) => effect,
  toolset: ({ toolset }) => toolset,
  parallel: ({ parallel }) => parallel,
  untrusted: ({ untrusted }) => untrusted,
  reach: ({ reach }) => reach,
  scope: ({ scope }) => scope,
  knownAs: ({ knownAs }) => knownAs,
  order: ({ order }) => order,
  view: ({ view }) => view,
  input: normaliseSchema,
  isolated: (tool) => tool.isolated && (() => tool.isolated?.() === true),
  missing: (tool) => tool.missing && (() => tool.missing?.()),
  // Its failure must not read as an empty result: the caller checks it.
  acts: (tool) => tool.acts && ((input, place) => (tool.acts as NonNullable<Tool['acts']>)(input, place)),
  paths: (tool) => tool.paths && ((input, cwd) => orElse([], () => tool.paths?.(input, cwd))),
  redirect: (tool) => tool.redirect && ((input) => orElse(undefined, () => tool.redirect?.(input))),
  run: (tool) => async (input, turn) => {
    try {
      return validateResult(tool.name, await tool.run(input, turn))
    } catch (error) {
      throw toToolError(tool.name, error)
    }
  },
}

function make(tool: Tool): Tool {
  const fields = Object.entries(FIELDS).map(([field, take]) => [field, take(tool)] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as unknown as Tool
}

/** What only helps to order the calls fails again, and is heard, when the tool runs. */
function orElse<T>(instead: T, work: () => T | undefined): T {
  try {
    return work() ?? instead
  } catch {
    return instead
  }
}

/** A check that throws has found something wrong. */
function normaliseSchema(tool: Tool): Schema<unknown> {
  const standard = tool.input['~standard']
  if (typeof standard?.validate !== 'function' || typeof tool.run !== 'function')
    throw new SvcError('TOOL_SCHEMA', `The tool ${tool.name} has no input schema or no run: its plugin has a fault.`)
  const validate = async (value: unknown): Promise<SchemaResult<unknown>> => {
    try {
      return await standard.validate(value)
    } catch (error) {
      return { issues: [{ message: toToolError(tool.name, error).message }] }
    }
  }
  return { '~standard': { ...standard, validate } }
}

/** The result of a run with only the fields of a result. Throws for a malformed value. */
export function validateResult(name: string, result: unknown): ToolResult {
  if (typeof result === 'string') return { text: result }
  const { text, data, failed, images, files, origin } = (result ?? {}) as {
    readonly [Key in keyof ToolResult]?: unknown
  }
  if (typeof text !== 'string') throw new Error(`The tool ${name} gave no text as its result: its plugin has a fault.`)
  return {
    text,
    ...(data !== undefined && { data }),
    ...(failed === true && { failed }),
    ...(Array.isArray(images) && { images }),
    ...(isResultFileList(files) && files.length > 0 && { files }),
    ...(typeof origin === 'string' && { origin }),
  }
}

function toToolError(name: string, error: unknown): Error {
  const said = error === undefined || error === null ? '' : errorMessage(error).trim()
  if (said === '' || said === 'Error' || said === '[object Object]')
    return new Error(`The tool ${name} failed without a word of why.`, { cause: error })
  if (said.length > LONGEST_ERROR)
    return new Error(`${said.slice(0, LONGEST_ERROR)}... (${said.length} characters)`, { cause: error })
  if (error instanceof TypeError || error instanceof ReferenceError)
    return new Error(`The tool ${name} has a fault: ${said}`, { cause: error })
  return error instanceof Error ? error : new Error(said, { cause: error })
}
