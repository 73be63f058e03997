/** Where a conversation may be cut, so that any model accepts the rest. */
import type { Message } from 'svc/sdk'

/** How many of the first `upTo` messages can be taken: all, or those before a call that is not answered in them. */
export function branchLength(messages: readonly Message[], upTo = messages.length): number {
  const taken = messages.slice(0, Math.max(0, upTo))
  const caller = taken.findLastIndex((message) => message.role === 'assistant' && (message.toolCalls?.length ?? 0) > 0)
  const call = taken[caller]
  if (call?.role !== 'assistant') return taken.length
  const answered = new Set(taken.slice(caller).flatMap((message) => (message.role === 'tool' ? [message.callId] : [])))
  return call.toolCalls?.every(({ id }) => answered.has(id)) ? taken.length : caller
}
