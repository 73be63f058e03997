/**
 * Streams of chat completions, written by hand after https://platform.openai.com/docs/api-reference/chat-streaming and
 * the types of `openai`: what does not have their form does not compile. Fields that only other services send are named.
 */
import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { CompletionUsage } from 'openai/resources/completions'
import type { Recording } from '../../../../support/replay.ts'

/** DeepSeek, Kimi, Z.AI and llama.cpp. */
interface Thinking {
  readonly reasoning_content?: string | null
}
type Delta = ChatCompletionChunk.Choice.Delta & Thinking

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_750_000_000, model: 'gpt-4o' } as const
const usage: CompletionUsage = {
  prompt_tokens: 113,
  completion_tokens: 40,
  total_tokens: 153,
  prompt_tokens_details: { cached_tokens: 100 },
  completion_tokens_details: { reasoning_tokens: 8 },
}

function chunk(delta: Delta, finish_reason: ChatCompletionChunk.Choice['finish_reason'] = null): ChatCompletionChunk {
  return { ...HEAD, choices: [{ index: 0, delta, finish_reason, logprobs: null }] }
}

const counts: ChatCompletionChunk = { ...HEAD, choices: [], usage }
const counted = { type: 'usage', usage: { input: 113, output: 40, cachedInput: 100, reasoning: 8 } } as const
const begin = chunk({ role: 'assistant', content: '', refusal: null })

export const recordings: readonly Recording[] = [
  {
    name: 'text of all alphabets',
    events: [begin, ...['Grüße, ', '世界', ' 👋🏽'].map((content) => chunk({ content })), chunk({}, 'stop'), counts],
    expected: [{ type: 'text', text: 'Grüße, 世界 👋🏽' }, counted, { type: 'end', reason: 'stop' }],
  },
  {
    name: 'thoughts and two calls in pieces',
    events: [
      chunk({ role: 'assistant', content: null, reasoning_content: 'Two ' }),
      chunk({ reasoning_content: 'places.' }),
      chunk({
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":"Kö' } }] }),
      chunk({
        tool_calls: [{ index: 1, id: 'call_2', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: 'ln"}' } }] }),
      chunk({}, 'tool_calls'),
      counts,
    ],
    expected: [
      { type: 'reasoning', text: 'Two places.' },
      { type: 'tool-call', call: { id: 'call_1', name: 'get_weather', input: { city: 'Köln' } } },
      { type: 'tool-call', call: { id: 'call_2', name: 'get_weather', input: {} } },
      counted,
      { type: 'end', reason: 'tool-calls' },
    ],
  },
  {
    name: 'a refusal',
    events: [begin, chunk({ refusal: "I'm sorry, " }), chunk({ refusal: 'no.' }), chunk({}, 'stop'), counts],
    expected: [{ type: 'text', text: "I'm sorry, no." }, counted, { type: 'end', reason: 'stop' }],
  },
  {
    name: 'an answer that a filter stopped',
    events: [begin, chunk({ content: 'Half' }), chunk({}, 'content_filter'), counts],
    expected: [{ type: 'text', text: 'Half' }, counted, { type: 'end', reason: 'filtered' }],
  },
  {
    name: 'an error in the middle',
    events: [begin, chunk({ content: 'Half' }), { error: { code: 502, message: 'Upstream went away' } }],
    error: { code: 502, message: 'Upstream went away' },
  },
]
