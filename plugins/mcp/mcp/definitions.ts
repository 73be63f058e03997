/** Definitions of tools as they are kept: what was asked of a server last, and what was approved of it. Pure. */
import { hasHiddenText } from 'svc/sdk/kit/terminal'
import { z } from 'zod'
import type { Offer, OfferedTool } from './peer.ts'

const MAX_TOOL_BYTES = 64 * 1024
const MAX_TOOLS_BYTES = 1_048_576
const MAX_TOOLS = 500
/** Texts that speak to the model of what is not the tool's business. They are asked about, so a false find costs one look. */
const ORDERS = [
  /\b(?:ignore|disregard|forget)\b.{0,40}\b(?:previous|prior|above|earlier|other|all)\b.{0,40}\b(?:instructions?|prompts?|rules|messages?)\b/is,
  /<\s*\/?\s*(?:important|system|instructions?|secret|hidden)\s*>/i,
  /\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell|mention|inform|show|notify|telling|mentioning|informing)\b.{0,30}\b(?:user|person|human|anyone)\b/is,
  /\bbefore (?:using|calling|you (?:use|call))\b.{0,60}\b(?:any|every|other|all)\b.{0,20}\btools?\b/is,
  /(?:~\/\.ssh|id_rsa|\.aws\/credentials|\.env\b.{0,30}\b(?:content|read|pass|send))/is,
  /\b(?:you are now|new instructions|system prompt|developer mode|jailbreak)\b/i,
  /\b(?:send|post|upload|forward|exfiltrate)\b.{0,60}\b(?:conversation|chat history|api keys?|passwords?|credentials|secrets?)\b/is,
]

export const offeredTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.record(z.string(), z.unknown()).optional(),
})

const MAX_PROMPTS = 100
const MAX_FIELDS = 20
const MAX_TEXT = 300

const keptPrompt = z.object({
  name: z.string(),
  description: z.string(),
  arguments: z.array(z.object({ name: z.string(), description: z.string(), required: z.boolean() })),
})
export type KeptPrompt = z.infer<typeof keptPrompt>

/** The prompts of a list that are kept, each name once. */
export function selectPrompts(prompts: Offer['prompts']): KeptPrompt[] {
  const all = prompts.slice(0, MAX_PROMPTS).map(({ name, description = '', arguments: fields = [] }) => ({
    name,
    description: description.slice(0, MAX_TEXT),
    arguments: fields.slice(0, MAX_FIELDS).map((field) => ({
      name: field.name,
      description: (field.description ?? '').slice(0, MAX_TEXT),
      required: field.required === true,
    })),
  }))
  return [...new Map(all.map((prompt) => [prompt.name, prompt])).values()]
}

/** The stored record of one server. */
export const serverRecord = z.object({
  /** Whose list it is: another command or address is another server. */
  identity: z.string(),
  listedAt: z.number(),
  hasPrompts: z.boolean(),
  hasResources: z.boolean(),
  hasSubscriptions: z.boolean().optional(),
  tools: z.array(offeredTool),
  prompts: z.array(keptPrompt).optional(),
  /** The approved definition of each tool that ever was offered, as JSON. */
  approved: z.record(z.string(), z.string()),
})
export type ServerRecord = z.infer<typeof serverRecord>
/** By the names of servers. */
export const records = z.record(z.string(), serverRecord)

const formatted = new WeakMap<OfferedTool, string>()

/** The same text for the same definition, whatever the order of its fields. Made once: each turn compares those of all servers. */
export function formatDefinition(tool: OfferedTool): string {
  const known = formatted.get(tool)
  if (known !== undefined) return known
  const { name, title, description, inputSchema, annotations } = tool
  const text = JSON.stringify(sortKeys({ name, title, description, inputSchema, annotations }))
  formatted.set(tool, text)
  return text
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sortKeys(each)]))
}

/** Why the texts of a new tool want a look of a person; undefined when they do not. */
export function findSuspicion(tool: OfferedTool): string | undefined {
  const text = formatDefinition(tool)
  if (hasHiddenText(collectTexts(tool))) return 'has hidden characters in its description'
  return ORDERS.some((pattern) => pattern.test(text)) ? 'has a description that gives orders to the model' : undefined
}

/** The tools of a list that can be kept, each name once. The others are too large to be useful. */
export function selectTools(tools: readonly OfferedTool[]): readonly OfferedTool[] {
  const seen = new Set<string>()
  let room = MAX_TOOLS_BYTES
  return tools.slice(0, MAX_TOOLS).flatMap(({ name, title, description, inputSchema, annotations }) => {
    const tool: OfferedTool = {
      ...{ name, inputSchema },
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(annotations && { annotations }),
    }
    const bytes = JSON.stringify(tool).length
    if (seen.has(name) || bytes > MAX_TOOL_BYTES || bytes > room || typeof inputSchema !== 'object') return []
    seen.add(name)
    room -= bytes
    return [tool]
  })
}

/** The record after a list was read. What is new and unsuspicious is approved, what differs from its approval is not. */
export function mergeList(
  before: ServerRecord | undefined,
  list: Omit<ServerRecord, 'approved' | 'tools'> & { readonly tools: readonly OfferedTool[] },
): ServerRecord {
  const approved = { ...(before?.identity === list.identity ? before.approved : {}) }
  const tools = selectTools(list.tools)
  for (const tool of tools)
    if (!Object.hasOwn(approved, tool.name) && findSuspicion(tool) === undefined)
      approved[tool.name] = formatDefinition(tool)
  return serverRecord.parse({ ...list, tools, approved })
}

/** The record after a person has approved the present definitions of tools, and their names. */
export function approveTools(
  record: ServerRecord,
  names: readonly string[] | undefined,
): { readonly record: ServerRecord; readonly approved: readonly string[] } {
  const open = record.tools.filter(
    (tool) => record.approved[tool.name] !== formatDefinition(tool) && (names?.includes(tool.name) ?? true),
  )
  const approved = {
    ...record.approved,
    ...Object.fromEntries(open.map((tool) => [tool.name, formatDefinition(tool)])),
  }
  return { record: { ...record, approved }, approved: open.map(({ name }) => name) }
}

function collectTexts(value: unknown): string {
  if (typeof value === 'string') return `${value}\n`
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value)
    .map(([key, each]) => `${key}\n${collectTexts(each)}`)
    .join('')
}
