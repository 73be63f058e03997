/** What the calls in a conversation were and what they worked on. Pure. */
import type { Message, ToolCall } from 'svc/sdk'

/** The calls of a conversation by their ids. */
export function callsById(messages: readonly Message[]): ReadonlyMap<string, ToolCall> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  return new Map(calls.map((call) => [call.id, call]))
}

/** All texts in a value, however deep they are. */
export function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(collectStrings)
}

/** The value with each text in it changed. */
export function withStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => withStrings(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withStrings(item, change)]))
}

/** On one line, cut to so many characters; a character is never halved. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= most) return line
  return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** What a call is about, for people and models: its name and the input that says most. */
export function callTitle({ name, input }: ToolCall, most: number): string {
  const values = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  const telling = ['command', 'path', 'query', 'url', 'pattern', 'id', 'action']
  const key = telling.find((each) => typeof values[each] === 'string' && values[each] !== '')
  const about = key === undefined ? (collectStrings(input)[0] ?? '') : String(values[key])
  return oneLine(about === '' ? name : `${name} ${about}`, most)
}
