/** A session and its messages, as clients get them. */
import { type Message, type PluginContext, type Session, type SessionSummary, Sessions } from 'svc/sdk'
import { toChatToolCall } from 'svc/sdk/kit/wire'
import { ApiAgent } from 'svc/sdk/web'
import { SessionSettings } from './settings.ts'

type Context = PluginContext<undefined>

/** Sessions in the order of their summaries. What is not known is null. */
export function shownSessions(ctx: Context, summaries: readonly SessionSummary[]): readonly object[] {
  const figures = ctx.use(Sessions).figures(summaries.map(({ id }) => id))
  return summaries.map((summary) => {
    const { answers = 0, toolCalls = 0, begins } = figures.get(summary.id) ?? {}
    const { model, endedAt, endReason } = ctx.use(Sessions).open(summary.id).state(SessionSettings) ?? {}
    return {
      ...shownSummary(ctx, summary),
      model: model ?? null,
      has_model_config: model !== undefined,
      ended_at: endedAt === undefined ? null : Math.floor(endedAt / 1000),
      end_reason: endReason ?? null,
      tool_call_count: toolCalls,
      api_call_count: answers,
      preview: begins ?? null,
    }
  })
}

function shownSummary(ctx: Context, summary: SessionSummary): object {
  const { usage, parent } = summary
  return {
    id: summary.id,
    source: summary.surface,
    user_id: null,
    title: summary.title ?? null,
    started_at: Math.floor(summary.createdAt / 1000),
    last_active: Math.floor(summary.updatedAt / 1000),
    message_count: summary.messageCount,
    input_tokens: usage.input ?? 0,
    output_tokens: usage.output ?? 0,
    cache_read_tokens: usage.cachedInput ?? 0,
    cache_write_tokens: usage.cacheWriteInput ?? 0,
    reasoning_tokens: usage.reasoning ?? 0,
    // From the price list; unknown as long as one call has no price.
    estimated_cost_usd: usage.unpricedCalls ? null : (usage.costUsd ?? null),
    actual_cost_usd: usage.costUsd ?? null,
    parent_session_id: parent ?? null,
    _lineage_root_id: parent === undefined ? summary.id : (ctx.use(Sessions).family(summary.id)[0]?.id ?? summary.id),
    has_system_prompt: ctx.use(ApiAgent).instructions(summary.id) !== undefined,
  }
}

export function formatMessages(session: Session): readonly object[] {
  const names = new Map<string, string>()
  return session.entries().map(({ message, at }, index) => {
    return { ...shownMessage(message, index, session.id, names), timestamp: at / 1000, token_count: null }
  })
}

function shownMessage(message: Message, at: number, sessionId: string, names: Map<string, string>): object {
  const common = { id: at + 1, session_id: sessionId, role: message.role, content: message.text }
  if (message.role === 'tool')
    return { ...common, tool_call_id: message.callId, tool_name: names.get(message.callId) ?? null }
  if (message.role !== 'assistant') return common
  const calls = message.toolCalls?.map(({ id: callId, name, input }) => {
    names.set(callId, name)
    return toChatToolCall({ id: callId, name, input: input ?? {} })
  })
  const finish = { finish_reason: calls?.length ? 'tool_calls' : null }
  return {
    ...common,
    ...finish,
    ...(calls && { tool_calls: calls }),
    ...(message.reasoning && { reasoning: message.reasoning }),
  }
}
