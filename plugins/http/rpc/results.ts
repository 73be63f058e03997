/** What methods answer, as `rpc.discover` and the typed client of the web UI describe it. */
import { z } from 'zod'

const text = z.string()
const count = z.number().int().min(0)

export const usageResult = z.object({
  input: z.number().optional(),
  output: z.number().optional(),
  cachedInput: z.number().optional(),
  cacheWriteInput: z.number().optional(),
  reasoning: z.number().optional(),
  costUsd: z.number().optional().describe('In US dollars: what is known of it'),
  unpricedCalls: z.number().optional(),
})

export const messageResult = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  text,
  timestamp: z.number().describe('Milliseconds since 1970'),
  reasoning: text.optional(),
  tool_calls: z
    .array(z.object({ id: text, name: text, input: z.unknown() }))
    .readonly()
    .optional(),
  tool_id: text.optional().describe('Of a tool: the call that it answers'),
  failed: z.literal(true).optional(),
})

const identity = { session_id: text, session_key: text, stored_session_id: text }

export const openedResult = z.object({
  ...identity,
  message_count: count,
  messages: z.array(messageResult),
  info: z.object({ cwd: text, model: text.optional(), provider: text.optional() }),
  running: z.boolean(),
  cursor: count.describe('The place up to which the caller then has everything'),
  questions: z.array(z.unknown()).describe('Ids of the requests that wait for an answer'),
  failure: z.object({ code: text, message: text }).optional(),
  taken: z.record(text, z.unknown()).optional().describe('What became of messages, by their keys'),
  resumed: z.literal(true).optional().describe('Messages are left out, since the caller has them'),
})

export const summaryResult = z.object({
  id: text,
  title: text.nullable(),
  cwd: text,
  source: text.describe('The surface on which it was begun'),
  started_at: z.number(),
  last_active: z.number(),
  message_count: count,
})

export const activeResult = z.object({
  sessions: z.array(summaryResult.extend({ ...identity, status: z.enum(['idle', 'working', 'waiting']) })),
})

export const eventsResult = z.object({
  events: z.array(z.looseObject({ type: text, seq: count, turnId: text })),
  more: z.boolean(),
})

export const compressedResult = z.object({
  before_messages: count,
  after_messages: count,
  before_tokens: count,
  after_tokens: count,
  summary: text.optional(),
})

export const completionsResult = z.object({
  items: z
    .array(
      z.object({
        text,
        from: count.describe('Of the line, in UTF-16 units: what is replaced begins there'),
        label: text.optional(),
        detail: text.optional(),
        open: z.boolean().optional(),
      }),
    )
    .readonly(),
})

export const configValueResult = z.object({
  key: text,
  value: z.unknown(),
  default: z.unknown(),
  secret: z.boolean(),
  description: text.optional(),
})

export const commandsResult = z.object({
  commands: z.array(
    z.object({
      name: text,
      aliases: z.array(text).readonly(),
      description: text,
      category: text.optional(),
      args_hint: text.optional(),
      subcommands: z.array(z.unknown()).readonly(),
    }),
  ),
})

export const setupResult = z.object({
  ok: z.boolean(),
  provider_configured: z.boolean(),
  provider: text.optional(),
  model: text.optional(),
  source: z.enum(['configured', 'found', 'demo']).optional(),
  error: text.optional(),
  code: text.optional(),
})

export const modelsResult = z.object({
  provider: text,
  models: z
    .array(
      z.object({
        id: text,
        label: text.optional(),
        contextWindow: z.number().optional(),
        maxOutputTokens: z.number().optional(),
        price: z
          .object({
            input: z.number(),
            output: z.number(),
            cachedInput: z.number().optional(),
            cacheWriteInput: z.number().optional(),
            source: text.optional(),
            asOf: text.optional(),
          })
          .optional()
          .describe('US dollars for a million tokens'),
        images: z.boolean().optional(),
        tools: z.boolean().optional(),
        reasoning: z.boolean().optional(),
      }),
    )
    .readonly(),
})

export const toolsetsResult = z.object({
  toolsets: z
    .array(
      z.object({
        name: text,
        on: z.boolean(),
        because: text.optional(),
        tools: z.array(z.object({ name: text, on: z.boolean(), missing: text.optional() })).readonly(),
      }),
    )
    .readonly(),
})

export const discoverResult = z.object({
  methods: z.array(
    z.object({
      name: text,
      summary: text,
      params: z.unknown().describe('A JSON Schema'),
      result: z.unknown().describe('A JSON Schema; empty where the method says nothing'),
    }),
  ),
})
