/**
 * Streams of the Responses API, written by hand after https://platform.openai.com/docs/api-reference/responses-streaming
 * and the types of `openai`: what does not have their form does not compile.
 */
import type {
  Response,
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses'
import type { Recording } from '../../../../support/replay.ts'

const usage: ResponseUsage = {
  input_tokens: 113,
  output_tokens: 40,
  total_tokens: 153,
  input_tokens_details: { cached_tokens: 100, cache_write_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 8 },
}
const RESPONSE: Response = {
  id: 'resp_1',
  created_at: 1_750_000_000,
  output_text: '',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: 'gpt-5',
  object: 'response',
  output: [],
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  status: 'in_progress',
}
const begin: ResponseStreamEvent = { type: 'response.created', response: RESPONSE, sequence_number: 0 }
const counted = {
  type: 'usage',
  usage: { input: 113, output: 40, cachedInput: 100, reasoning: 8, cacheWriteInput: 0 },
} as const

function added(output_index: number, item: ResponseOutputItem): ResponseStreamEvent {
  return { type: 'response.output_item.added', output_index, item, sequence_number: 1 }
}

function done(output_index: number, item: ResponseOutputItem): ResponseStreamEvent {
  return { type: 'response.output_item.done', output_index, item, sequence_number: 9 }
}

function completed(output: ResponseOutputItem[], more: Partial<Response> = {}): ResponseStreamEvent {
  return {
    type: 'response.completed',
    response: { ...RESPONSE, status: 'completed', output, usage, ...more },
    sequence_number: 99,
  }
}

const createMessage = (id: string, text: string): ResponseOutputMessage => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: text === '' ? [] : [{ type: 'output_text', text, annotations: [], logprobs: [] }],
})
const said = (output_index: number, item_id: string, delta: string): ResponseStreamEvent => ({
  type: 'response.output_text.delta',
  content_index: 0,
  delta,
  item_id,
  logprobs: [],
  output_index,
  sequence_number: 5,
})

const reasoning: ResponseReasoningItem = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'One look.' }],
  encrypted_content: 'c2VhbGVk',
}
const call: ResponseFunctionToolCall = {
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'get_weather',
  arguments: '{"city":"Köln"}',
  status: 'completed',
}
const hello = createMessage('msg_1', 'Grüße, 世界 👋🏽')
const carry = {
  provider: 'openai',
  data: {
    model: 'gpt-5',
    pieces: [
      { type: 'reasoning', id: 'rs_1', summary: reasoning.summary, encrypted_content: 'c2VhbGVk' },
      { type: 'call', id: 'call_1' },
    ],
  },
}

export const recordings: readonly Recording[] = [
  {
    name: 'text of all alphabets',
    events: [
      begin,
      added(0, createMessage('msg_1', '')),
      ...['Grüße, ', '世界', ' 👋🏽'].map((delta) => said(0, 'msg_1', delta)),
      done(0, hello),
      completed([hello]),
    ],
    expected: [{ type: 'text', text: 'Grüße, 世界 👋🏽' }, counted, { type: 'end', reason: 'stop' }],
  },
  {
    name: 'sealed thoughts and a call at other places than at the end',
    events: [
      begin,
      added(0, { ...reasoning, summary: [] }),
      {
        type: 'response.reasoning_summary_text.delta',
        delta: 'One look.',
        item_id: 'rs_1',
        output_index: 0,
        sequence_number: 3,
        summary_index: 0,
      },
      done(0, reasoning),
      added(2, { ...call, arguments: '' }),
      {
        type: 'response.function_call_arguments.delta',
        delta: '{"city":',
        item_id: 'fc_1',
        output_index: 2,
        sequence_number: 6,
      },
      {
        type: 'response.function_call_arguments.delta',
        delta: '"Köln"}',
        item_id: 'fc_1',
        output_index: 2,
        sequence_number: 7,
      },
      done(2, call),
      completed([reasoning, call]),
    ] satisfies ResponseStreamEvent[],
    expected: [
      { type: 'reasoning', text: 'One look.' },
      { type: 'tool-call', call: { id: 'call_1', name: 'get_weather', input: { city: 'Köln' } } },
      counted,
      { type: 'end', reason: 'tool-calls', carry },
    ],
  },
  {
    name: 'a refusal',
    events: [
      begin,
      added(0, createMessage('msg_1', '')),
      {
        type: 'response.refusal.delta',
        content_index: 0,
        delta: 'No.',
        item_id: 'msg_1',
        output_index: 0,
        sequence_number: 2,
      },
      done(0, { ...hello, content: [{ type: 'refusal', refusal: 'No.' }] }),
      completed([{ ...hello, content: [{ type: 'refusal', refusal: 'No.' }] }]),
    ] satisfies ResponseStreamEvent[],
    expected: [{ type: 'text', text: 'No.' }, counted, { type: 'end', reason: 'stop' }],
  },
  {
    name: 'an answer that a filter stopped',
    events: [
      begin,
      said(0, 'msg_1', 'Half'),
      {
        type: 'response.incomplete',
        response: { ...RESPONSE, status: 'incomplete', incomplete_details: { reason: 'content_filter' }, usage },
        sequence_number: 9,
      },
    ] satisfies ResponseStreamEvent[],
    expected: [{ type: 'text', text: 'Half' }, counted, { type: 'end', reason: 'filtered' }],
  },
  {
    name: 'an answer whose limit was used up',
    events: [
      begin,
      said(0, 'msg_1', 'Half'),
      {
        type: 'response.incomplete',
        response: { ...RESPONSE, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage },
        sequence_number: 9,
      },
    ] satisfies ResponseStreamEvent[],
    expected: [{ type: 'text', text: 'Half' }, counted, { type: 'end', reason: 'length' }],
  },
  {
    name: 'thoughts in full, as LM Studio and open models give them',
    events: [
      begin,
      added(0, { id: 'rs_1', type: 'reasoning', summary: [] }),
      {
        type: 'response.reasoning_text.delta',
        content_index: 0,
        delta: 'One look.',
        item_id: 'rs_1',
        output_index: 0,
        sequence_number: 3,
      },
      done(0, { id: 'rs_1', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'One look.' }] }),
      added(1, { ...call, arguments: '' }),
      done(1, call),
      completed([{ id: 'rs_1', type: 'reasoning', summary: [] }, call]),
    ] satisfies ResponseStreamEvent[],
    expected: [
      { type: 'reasoning', text: 'One look.' },
      { type: 'tool-call', call: { id: 'call_1', name: 'get_weather', input: { city: 'Köln' } } },
      counted,
      { type: 'end', reason: 'tool-calls' },
    ],
  },
  {
    name: 'a failure in the middle',
    events: [
      begin,
      {
        type: 'response.failed',
        response: { ...RESPONSE, status: 'failed', error: { code: 'server_error', message: 'Oh.' } },
        sequence_number: 2,
      },
    ] satisfies ResponseStreamEvent[],
    error: { code: 'server_error', message: 'Oh.' },
  },
]
