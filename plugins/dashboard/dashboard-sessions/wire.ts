/** Sessions as the dashboard gets them. Times are Unix times in milliseconds. */
import type { Message, SessionSummary } from 'svc/sdk'
import { z } from 'zod'

const usage = z.looseObject({
  input: z.number().optional(),
  output: z.number().optional(),
  costUsd: z.number().optional(),
})

export const sessionSchema = z.object({
  id: z.string(),
  title: z.string().nullable(),
  preview: z.string().nullable(),
  cwd: z.string(),
  source: z.string(),
  started_at: z.number(),
  last_active: z.number(),
  message_count: z.number(),
  tool_call_count: z.number(),
  archived: z.boolean(),
  parent_session_id: z.string().nullable(),
  usage,
})

export const messageSchema = z.looseObject({
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  text: z.string(),
  timestamp: z.number(),
  reasoning: z.string().optional(),
  tool_id: z.string().optional(),
  failed: z.boolean().optional(),
  tool_calls: z.array(z.looseObject({ id: z.string(), name: z.string(), input: z.unknown() })).optional(),
})

export interface SessionFacts {
  readonly isArchived: boolean
  readonly begins?: string | undefined
  readonly toolCalls?: number | undefined
}

export function toSession(summary: SessionSummary, facts: SessionFacts): z.infer<typeof sessionSchema> {
  return {
    id: summary.id,
    title: summary.title ?? null,
    preview: facts.begins ?? null,
    cwd: summary.cwd,
    source: summary.surface,
    started_at: summary.createdAt,
    last_active: summary.updatedAt,
    message_count: summary.messageCount,
    tool_call_count: facts.toolCalls ?? 0,
    archived: facts.isArchived,
    parent_session_id: summary.parent ?? null,
    usage: { ...summary.usage },
  }
}

/** Flattened for display: not the format of a model service. */
export function toMessage(message: Message, at: number): z.infer<typeof messageSchema> {
  const shared = { role: message.role, text: message.text, timestamp: at }
  if (message.role === 'tool') return { ...shared, tool_id: message.callId, ...(message.failed && { failed: true }) }
  if (message.role !== 'assistant') return shared
  const { reasoning, toolCalls } = message
  return {
    ...shared,
    ...(reasoning && { reasoning }),
    ...(toolCalls?.length && { tool_calls: toolCalls.map((call) => ({ ...call })) }),
  }
}
