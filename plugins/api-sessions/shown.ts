/** A session and its messages, as clients get them. */
import { ApiAgent, type Message, type PluginContext, type Session, type SessionSummary } from 'svc/sdk'

export function shownSession(ctx: PluginContext<undefined>, summary: SessionSummary): object {
  const { usage } = summary
  return {
    id: summary.id,
    source: summary.surface,
    title: summary.title ?? null,
    started_at: Math.floor(summary.createdAt / 1000),
    last_active: Math.floor(summary.updatedAt / 1000),
    message_count: summary.messageCount,
    input_tokens: usage.input ?? 0,
    output_tokens: usage.output ?? 0,
    cache_read_tokens: usage.cachedInput ?? 0,
    cache_write_tokens: usage.cacheWriteInput ?? 0,
    reasoning_tokens: usage.reasoning ?? 0,
    actual_cost_usd: usage.costUsd ?? null,
    parent_session_id: summary.parent ?? null,
    has_system_prompt: ctx.use(ApiAgent).instructions(summary.id) !== undefined,
  }
}

export function messagesOf(session: Session): readonly object[] {
  const names = new Map<string, string>()
  return session.messages().map((message, at) => shownMessage(message, at, session.id, names))
}

function shownMessage(message: Message, at: number, sessionId: string, names: Map<string, string>): object {
  const common = { id: at + 1, session_id: sessionId, role: message.role, content: message.text }
  if (message.role === 'tool')
    return { ...common, tool_call_id: message.callId, tool_name: names.get(message.callId) ?? null }
  if (message.role !== 'assistant') return common
  const calls = message.toolCalls?.map(({ id: callId, name, input }) => {
    names.set(callId, name)
    return { id: callId, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
  })
  return { ...common, ...(calls && { tool_calls: calls }), ...(message.reasoning && { reasoning: message.reasoning }) }
}
