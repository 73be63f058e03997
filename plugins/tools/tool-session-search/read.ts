/** Reads one session: around a message, where words stand in it, or its end. */
import type { Sessions, ToolResult } from 'svc/sdk'
import { cut, messageLine } from './text.ts'
import type { SearchInput } from './tools.ts'

const MESSAGE_CHARS = 2000
const SNIPPET_CHARS = 300
const MAX_HITS = 300
const MAX_SHOWN = 20

/** Throws `SESSION_NOT_FOUND`. */
export function readSession(sessions: Sessions, id: string, asked: SearchInput): ToolResult {
  const { around, window, query, role_filter: role } = asked
  const messages = sessions.open(id).messages()
  if (query && around === undefined) {
    const hits = sessions
      .search(query, { limit: MAX_HITS, ...(role && { role }) })
      .filter(({ sessionId }) => sessionId === id)
      .slice(0, MAX_SHOWN)
    const lines = hits.map((hit) => `[${hit.messageIndex}] ${hit.role}: ${cut(hit.snippet, SNIPPET_CHARS)}`)
    const text = lines.join('\n') || `Nothing was found in this session, which has ${messages.length} messages.`
    return { text, data: { session_id: id, matches: hits } }
  }
  const middle = Math.min(around ?? messages.length - 1, messages.length - 1)
  const [from, to] = [Math.max(0, middle - window), Math.min(messages.length, middle + window + 1)]
  const shown = messages
    .map((message, at) => ({ message, at }))
    .slice(from, to)
    .filter(({ message }) => role === undefined || message.role === role)
  const head = `Messages ${from} to ${to - 1} of ${messages.length} (counted from 0):`
  return {
    text: [head, ...shown.map(({ message, at }) => messageLine(message, at, MESSAGE_CHARS))].join('\n'),
    data: { session_id: id, from, to, total: messages.length },
  }
}
