/**
 * Open Responses as we read it: the members that the public schema requires of a response, its items and its events
 * (https://www.openresponses.org/reference, /specification). Written by hand; nothing of the suite's code is in it.
 */
import { expect } from 'vitest'
import { z } from 'zod'
import type { Reply } from './desk.ts'

const text = z.string()
const count = z.int().nonnegative()
const state = z.enum(['in_progress', 'completed', 'incomplete', 'failed'])
const item = { id: text.min(1), status: state }

const outputText = z.object({
  type: z.literal('output_text'),
  text,
  annotations: z.array(z.looseObject({ type: text })),
  logprobs: z.array(z.unknown()),
})
const message = z.object({
  ...item,
  type: z.literal('message'),
  role: z.literal('assistant'),
  content: z.array(z.discriminatedUnion('type', [outputText, z.object({ type: z.literal('refusal'), refusal: text })])),
})
/** What the server ran itself. The schema has it from OpenAI's. */
const call = z.object({
  ...item,
  type: z.literal('mcp_call'),
  server_label: text,
  name: text,
  arguments: text,
  output: text.nullable(),
  error: text.nullable(),
  approval_request_id: text.nullable(),
})
const output = z.discriminatedUnion('type', [message, call])

const usage = z.object({
  input_tokens: count,
  input_tokens_details: z.object({ cached_tokens: count }),
  output_tokens: count,
  output_tokens_details: z.object({ reasoning_tokens: count }),
  total_tokens: count,
})

const response = z.looseObject({
  id: text.min(1),
  object: z.literal('response'),
  created_at: count,
  completed_at: count.nullable(),
  status: state,
  incomplete_details: z.object({ reason: text }).nullable(),
  model: text,
  previous_response_id: text.nullable(),
  instructions: text.nullable(),
  output: z.array(output),
  error: z.object({ code: text, message: text }).nullable(),
  tools: z.array(z.unknown()),
  tool_choice: z.enum(['none', 'auto', 'required']),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format: z.looseObject({ type: text }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: count,
  temperature: z.number(),
  reasoning: z.looseObject({ effort: text.nullable(), summary: text.nullable() }).nullable(),
  user: text.nullable(),
  usage: usage.nullable(),
  max_output_tokens: count.nullable(),
  max_tool_calls: count.nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: text,
  metadata: z.record(z.string(), z.unknown()),
  safety_identifier: text.nullable(),
  prompt_cache_key: text.nullable(),
})

const place = { item_id: text, output_index: count }
const part = { ...place, content_index: count }
/** The members of each event besides its type and its number. */
const events: Readonly<Record<string, z.ZodRawShape>> = {
  'response.created': { response },
  'response.in_progress': { response },
  'response.completed': { response },
  'response.failed': { response },
  'response.incomplete': { response },
  'response.output_item.added': { output_index: count, item: output },
  'response.output_item.done': { output_index: count, item: output },
  'response.content_part.added': { ...part, part: outputText },
  'response.content_part.done': { ...part, part: outputText },
  'response.output_text.delta': { ...part, delta: text, logprobs: z.array(z.unknown()) },
  'response.output_text.done': { ...part, text, logprobs: z.array(z.unknown()) },
  'response.mcp_call.in_progress': place,
  'response.mcp_call.completed': place,
  'response.mcp_call.failed': place,
  'response.mcp_call_arguments.delta': { ...place, delta: text },
  'response.mcp_call_arguments.done': { ...place, arguments: text },
}

/** A failure, over HTTP and in a message of a WebSocket. */
export const failure = z.object({ message: text.min(1), type: text, code: text, param: text.nullable() })
export const socketFailure = z.looseObject({ type: z.literal('error'), status: z.int().min(400), error: failure })

/** A response that is over, and has all members. */
export function checkedResponse(value: Reply): Reply {
  const checked = response.parse(value)
  expect(checked.usage === null).toBe(checked.status === 'in_progress')
  expect(checked.completed_at === null).toBe(checked.status !== 'completed')
  return checked
}

/** All events of a response. Returns the response in the last one. */
export function checkedEvents(told: readonly Reply[]): Reply {
  for (const [at, { type, sequence_number, stream_id: _, ...fields }] of told.entries()) {
    expect(sequence_number).toBe(at)
    expect(Object.keys(events)).toContain(type)
    z.strictObject(events[type] ?? {}).parse(fields)
  }
  expect(told.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress'])
  const final = checkedResponse(told.at(-1).response)
  expect(told.at(-1).type).toBe(`response.${final.status}`)
  for (const [index, each] of final.output.entries()) checkLifecycle(each, index, told)
  return final
}

/** An item is announced, grows and is closed, and is in the end what its events said. */
function checkLifecycle(item: Reply, index: number, told: readonly Reply[]): void {
  const mine = told.filter(({ item: each, item_id }) => each?.id === item.id || item_id === item.id)
  expect(mine.every(({ output_index }) => output_index === index)).toBe(true)
  expect(mine[0]).toMatchObject({
    type: 'response.output_item.added',
    item: { type: item.type, status: 'in_progress' },
  })
  expect(mine.at(-1)).toMatchObject({ type: 'response.output_item.done', item })
  if (item.type !== 'message') return
  expect(mine[0].item.content).toEqual([])
  expect(
    mine
      .slice(1)
      .map(({ type }) => type)
      .filter((type, at, all) => type !== all[at - 1]),
  ).toEqual([
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
  ])
  const grown = mine.map(({ delta = '' }) => delta).join('')
  const [{ text: said }] = item.content
  expect([grown, mine.at(-3).text, mine.at(-2).part.text]).toEqual([said, said, said])
}
