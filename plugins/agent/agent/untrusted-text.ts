/** Text that is not the user's: marked as data for the model, and remembered for as long as the model may know of it. */
import type { Message, Tool, ToolResult } from 'svc/sdk'
import { listUntrustedOrigins } from 'svc/sdk/safety'
import { isConversationSummary } from 'svc/sdk/sessions'

const OUTSIDE = 'from outside'
const SUMMARY = 'summary of earlier messages'
const MAX_LENGTH = 80

/** Where the text of a result came from; undefined when it is the user's own. */
export function findOrigin(tool: Pick<Tool, 'untrusted'>, { origin }: ToolResult): string | undefined {
  const named = origin
    ?.replace(/[^\p{L}\p{N} .,:/_-]/gu, '')
    .trim()
    .slice(0, MAX_LENGTH)
  return named || (tool.untrusted || origin !== undefined ? OUTSIDE : undefined)
}

/** The origins in a conversation. What a summary was made of is not known any more, so it counts as one. */
export function collectOrigins(messages: readonly Message[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const message of messages) {
    if (isConversationSummary(message)) found.add(SUMMARY)
    if (message.role !== 'user' && message.role !== 'tool') continue
    for (const origin of listUntrustedOrigins(message.text)) found.add(origin || OUTSIDE)
  }
  return found
}
