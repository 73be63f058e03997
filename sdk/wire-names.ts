/** Names of tools and ids of calls in the form that every wire takes, and the way back. */
import type { Message } from './messages.ts'
import type { ModelEvent, ModelRequest, ToolDefinition } from './providers.ts'

/** The most that OpenAI, Gemini and Bedrock take; Anthropic takes more. */
const MAX_LENGTH = 64
/** Gemini rejects a leading digit, the others dots and colons. */
const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/

/** How the names of a request stand on the wire. */
export interface WireNames {
  /** The request with names that fit; what fits stays the same object. */
  readonly request: ModelRequest
  /** Events with the names that the agent knows. */
  restore(events: readonly ModelEvent[]): readonly ModelEvent[]
}

const tools = new WeakMap<ToolDefinition, ToolDefinition>()
const messages = new WeakMap<Message, Message>()

/** Undefined when all names fit, as they mostly do. */
export function wireNames(request: ModelRequest): WireNames | undefined {
  const named = request.messages.flatMap((message) => namesIn(message))
  const all = [...request.tools.map(({ name }) => name), ...named]
  const odd = new Set(all.filter((name) => !NAME.test(name)))
  if (odd.size === 0) return undefined
  const known = new Map([...odd].map((name) => [fittedName(name), name]))
  return {
    request: { ...request, tools: request.tools.map(withName), messages: request.messages.map(withNames) },
    restore: (events) => events.map((event) => restored(event, known)),
  }
}

/** The same name always becomes the same, and two names do not become one. */
export function fittedName(name: string): string {
  return NAME.test(name) ? name : shortened(name.replace(/^(?=[^a-zA-Z_])/, '_'), name)
}

/** An id of a call that another service gave may be longer than OpenAI takes. @since 0.2 */
export function shortenToolCallId(id: string): string {
  return id.length <= MAX_LENGTH ? id : shortened(id, id)
}

function shortened(text: string, whole: string): string {
  const mark = hash(whole)
  return `${text.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_LENGTH - mark.length - 1)}_${mark}`
}

/** FNV-1a, twice. */
function hash(text: string): string {
  const sum = (seed: number) =>
    [...text].reduce((value, letter) => Math.imul(value ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0, seed)
  return sum(0x811c9dc5).toString(36).padStart(7, '0') + sum(0x1000193).toString(36).padStart(7, '0')
}

function namesIn(message: Message): string[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => name) : []
}

function withName(tool: ToolDefinition): ToolDefinition {
  if (NAME.test(tool.name)) return tool
  const known = tools.get(tool) ?? { ...tool, name: fittedName(tool.name) }
  tools.set(tool, known)
  return known
}

function withNames(message: Message): Message {
  if (message.role !== 'assistant' || namesIn(message).every((name) => NAME.test(name))) return message
  const renamed = message.toolCalls?.map((call) => ({ ...call, name: fittedName(call.name) })) ?? []
  const known = messages.get(message) ?? { ...message, toolCalls: renamed }
  messages.set(message, known)
  return known
}

function restored(event: ModelEvent, known: ReadonlyMap<string, string>): ModelEvent {
  const name = event.type === 'tool-call' ? known.get(event.call.name) : undefined
  return event.type === 'tool-call' && name !== undefined ? { ...event, call: { ...event.call, name } } : event
}
