/**
 * Streams of the Messages API, written by hand after https://docs.anthropic.com/en/docs/build-with-claude/streaming and
 * the types of `@anthropic-ai/sdk`: what does not have their form does not compile.
 */
import type {
  Message,
  MessageDeltaUsage,
  RawMessageStreamEvent,
  Usage,
} from '@anthropic-ai/sdk/resources/messages/messages'
import type { Recording } from '../../../../support/replay.ts'

const READ: Usage = {
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 12 },
  cache_creation_input_tokens: 12,
  cache_read_input_tokens: 100,
  inference_geo: null,
  input_tokens: 18,
  output_tokens: 1,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: 'standard',
  speed: null,
}
const written = (output_tokens: number): MessageDeltaUsage => ({
  cache_creation_input_tokens: 12,
  cache_read_input_tokens: 100,
  input_tokens: 18,
  output_tokens,
  output_tokens_details: null,
  server_tool_use: null,
})
const MESSAGE: Message = {
  id: 'msg_1',
  container: null,
  content: [],
  diagnostics: null,
  model: 'claude-sonnet-4-5',
  role: 'assistant',
  stop_details: null,
  stop_reason: null,
  stop_sequence: null,
  type: 'message',
  usage: READ,
}
const start: RawMessageStreamEvent = { type: 'message_start', message: MESSAGE }
const counted = (output: number) =>
  ({ type: 'usage', usage: { input: 130, output, cachedInput: 100, cacheWriteInput: 12 } }) as const

function end(stop_reason: Message['stop_reason'], output: number): RawMessageStreamEvent[] {
  const delta = { container: null, stop_details: null, stop_reason, stop_sequence: null }
  return [{ type: 'message_delta', delta, usage: written(output) }, { type: 'message_stop' }]
}

function text(index: number, ...pieces: string[]): RawMessageStreamEvent[] {
  return [
    { type: 'content_block_start', index, content_block: { type: 'text', text: '', citations: null } },
    ...pieces.map(
      (piece) => ({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: piece } }) as const,
    ),
    { type: 'content_block_stop', index },
  ]
}

function call(index: number, id: string, ...pieces: string[]): RawMessageStreamEvent[] {
  return [
    {
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id, name: 'get_weather', input: {}, caller: { type: 'direct' } },
    },
    ...pieces.map(
      (partial_json) =>
        ({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }) as const,
    ),
    { type: 'content_block_stop', index },
  ]
}

const thought: RawMessageStreamEvent[] = [
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Zwei Orte, ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'zwei Fragen.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2lnbmVk' } },
  { type: 'content_block_stop', index: 0 },
]
const carry = {
  provider: 'anthropic',
  data: {
    model: 'claude-sonnet-4-5',
    pieces: [
      { type: 'thinking', thinking: 'Zwei Orte, zwei Fragen.', signature: 'c2lnbmVk' },
      { type: 'text', length: 17 },
      { type: 'call', id: 'toolu_1' },
      { type: 'call', id: 'toolu_2' },
    ],
  },
}

/** A heartbeat is in the documents and not in the types. */
const ping = { type: 'ping' }

export const recordings: readonly Recording[] = [
  {
    name: 'text of all alphabets',
    events: [start, ping, ...text(0, 'Grüße, ', '世界', ' 👋🏽 ', 'e\u0301'), ...end('end_turn', 9)],
    expected: [{ type: 'text', text: 'Grüße, 世界 👋🏽 e\u0301' }, counted(9), { type: 'end', reason: 'stop' }],
  },
  {
    name: 'thoughts, text and two calls',
    events: [
      start,
      ...thought,
      ...text(1, 'Ich sehe ', 'nach.\n\n '),
      ...call(2, 'toolu_1', '', '{"city": "Köl', 'n", "days', '": 2}'),
      ...call(3, 'toolu_2'),
      ...end('tool_use', 88),
    ],
    expected: [
      { type: 'reasoning', text: 'Zwei Orte, zwei Fragen.' },
      { type: 'text', text: 'Ich sehe nach.\n\n ' },
      { type: 'tool-call', call: { id: 'toolu_1', name: 'get_weather', input: { city: 'Köln', days: 2 } } },
      { type: 'tool-call', call: { id: 'toolu_2', name: 'get_weather', input: {} } },
      counted(88),
      { type: 'end', reason: 'tool-calls', carry },
    ],
  },
  {
    name: 'a refusal',
    events: [start, ping, ...end('refusal', 5)],
    expected: [counted(5), { type: 'end', reason: 'filtered' }],
  },
  {
    name: 'a call that the limit cut',
    events: [start, ...call(0, 'toolu_1', '{"city": "Kö'), ...end('max_tokens', 64)],
    expected: [counted(64), { type: 'end', reason: 'length' }],
  },
  {
    name: 'thoughts that are kept from the reader, and citations',
    events: [
      start,
      { type: 'content_block_start', index: 0, content_block: { type: 'redacted_thinking', data: 'c2VhbGVk' } },
      { type: 'content_block_stop', index: 0 },
      ...text(1, 'It is ', 'so.').slice(0, 3),
      {
        type: 'content_block_delta',
        index: 1,
        delta: {
          type: 'citations_delta',
          citation: {
            type: 'web_search_result_location',
            cited_text: 'It is.',
            encrypted_index: 'aW5kZXg=',
            title: null,
            url: 'https://a.test',
          },
        },
      },
      { type: 'content_block_stop', index: 1 },
      ...end('end_turn', 9),
    ] satisfies RawMessageStreamEvent[],
    expected: [
      { type: 'text', text: 'It is so.' },
      counted(9),
      {
        type: 'end',
        reason: 'stop',
        carry: {
          provider: 'anthropic',
          data: {
            model: 'claude-sonnet-4-5',
            pieces: [
              { type: 'redacted_thinking', data: 'c2VhbGVk' },
              { type: 'text', length: 9 },
            ],
          },
        },
      },
    ],
  },
  {
    name: 'a tool of the service between two texts',
    events: [
      start,
      ...text(0, 'I search.'),
      {
        type: 'content_block_start',
        index: 1,
        content_block: {
          type: 'server_tool_use',
          id: 'srvtoolu_1',
          name: 'web_search',
          input: {},
          caller: { type: 'direct' },
        },
      },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"query":"x"}' } },
      { type: 'content_block_stop', index: 1 },
      {
        type: 'content_block_start',
        index: 2,
        content_block: {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          caller: { type: 'direct' },
          content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
        },
      },
      { type: 'content_block_stop', index: 2 },
      ...text(3, ' Nothing.'),
      ...end('end_turn', 9),
    ] satisfies RawMessageStreamEvent[],
    expected: [{ type: 'text', text: 'I search. Nothing.' }, counted(9), { type: 'end', reason: 'stop' }],
  },
  {
    name: 'a turn that the service paused',
    events: [start, ...text(0, 'I search'), ...end('pause_turn', 9)],
    expected: [{ type: 'text', text: 'I search' }, counted(9), { type: 'end', reason: 'length' }],
  },
  {
    name: 'a window that was full in the middle',
    events: [start, ...text(0, 'Half'), ...end('model_context_window_exceeded', 9)],
    expected: [{ type: 'text', text: 'Half' }, counted(9), { type: 'end', reason: 'length' }],
  },
  {
    name: 'an overload in the middle',
    events: [
      start,
      ...text(0, 'So').slice(0, 2),
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ],
    error: { type: 'overloaded_error', message: 'Overloaded' },
  },
]
