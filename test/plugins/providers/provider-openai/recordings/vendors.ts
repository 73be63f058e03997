/**
 * Streams of chat completions as services other than OpenAI send them, written by hand after the page that each one
 * names: the fields, comments and habits in which they differ.
 */
import type { ModelEvent } from 'svc/sdk/provider'

/** One stream of a vendor. */
export interface VendorStream {
  readonly vendor: string
  readonly what: string
  /** Where the vendor, or a public report, shows it. */
  readonly page: string
  /** Lines as they come: an object is the data of an event, text its own line. */
  readonly lines: readonly (object | string)[]
  readonly expected?: readonly ModelEvent[]
  /** What the error in the middle says. */
  readonly error?: RegExp
}

const chunk = (delta: object, more: object = {}) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
})
const ended = (finish_reason: string, delta: object = {}, more: object = {}) => ({
  ...chunk(delta, { finish_reason }),
  ...more,
})
const counts = { prompt_tokens: 13, completion_tokens: 7, total_tokens: 20 }
const counted = { type: 'usage', usage: { input: 13, output: 7 } } as const
const called = (id: string, input: unknown): ModelEvent => ({
  type: 'tool-call',
  call: { id, name: 'get_weather', input },
})
const named = (id: string, text: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'get_weather', arguments: text },
  ...more,
})
const text = (said: string): ModelEvent => ({ type: 'text', text: said })
const thought = (said: string): ModelEvent => ({ type: 'reasoning', text: said })
const stop: ModelEvent = { type: 'end', reason: 'stop' }
const toTools: ModelEvent = { type: 'end', reason: 'tool-calls' }

export const vendorStreams: readonly VendorStream[] = [
  {
    vendor: 'groq',
    what: 'reasoning beside the text, and the counts in its own field',
    page: 'https://console.groq.com/docs/reasoning',
    lines: [
      { ...chunk({ role: 'assistant', content: '' }), x_groq: { id: 'req_1' } },
      chunk({ reasoning: 'Small ' }),
      chunk({ reasoning: 'sum.' }),
      chunk({ content: 'It is 4.' }),
      { ...ended('stop'), x_groq: { id: 'req_1', usage: { ...counts, queue_time: 0.01, total_time: 0.1 } } },
      '[DONE]',
    ],
    expected: [thought('Small sum.'), text('It is 4.'), counted, stop],
  },
  {
    vendor: 'mistral',
    what: 'content in parts, with references, and whole calls together with the end',
    page: 'https://docs.mistral.ai/capabilities/reasoning/',
    lines: [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Two ' }], closed: false }] }),
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'places.' }], closed: true }] }),
      chunk({
        content: [
          { type: 'text', text: 'I look' },
          { type: 'reference', reference_ids: [1] },
        ],
      }),
      chunk({ content: '.' }),
      ended(
        'tool_calls',
        { tool_calls: [named('D681PevKs', '{"city":"Köln"}'), named('a1B2c3D4e', '{}', { index: 1 })] },
        { usage: counts },
      ),
      '[DONE]',
    ],
    expected: [
      thought('Two places.'),
      text('I look.'),
      called('D681PevKs', { city: 'Köln' }),
      called('a1B2c3D4e', {}),
      counted,
      toTools,
    ],
  },
  {
    vendor: 'deepseek',
    what: 'comments that keep the connection alive, and an answer of thoughts alone',
    page: 'https://api-docs.deepseek.com/quick_start/rate_limit',
    lines: [
      ': keep-alive',
      '',
      ': keep-alive',
      '',
      chunk({ role: 'assistant', content: null, reasoning_content: '' }),
      chunk({ content: null, reasoning_content: 'Hm.' }),
      ended('length', { content: '', reasoning_content: null }, { usage: { ...counts, prompt_cache_hit_tokens: 8 } }),
      '[DONE]',
    ],
    expected: [
      thought('Hm.'),
      { type: 'usage', usage: { input: 13, output: 7, cachedInput: 8 } },
      { type: 'end', reason: 'length' },
    ],
  },
  {
    vendor: 'moonshot',
    what: 'the counts inside of the choice',
    page: 'https://platform.moonshot.ai/docs/api/chat',
    lines: [
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: '你好' }),
      chunk({}, { finish_reason: 'stop', usage: { ...counts, cached_tokens: 4 } }),
      '[DONE]',
    ],
    expected: [thought('Hm.'), text('你好'), { type: 'usage', usage: { input: 13, output: 7, cachedInput: 4 } }, stop],
  },
  {
    vendor: 'xai',
    what: 'whole calls in one piece, and the counts so far with each piece',
    page: 'https://docs.x.ai/docs/guides/function-calling',
    lines: [
      { ...chunk({ role: 'assistant', reasoning_content: 'Two.' }), usage: { ...counts, completion_tokens: 1 } },
      {
        ...chunk({ tool_calls: [named('call_1', '{"city":"Köln"}', { index: 0 })] }),
        usage: { ...counts, completion_tokens: 5 },
      },
      {
        ...chunk({ tool_calls: [named('call_2', '{"city":"Bonn"}', { index: 1 })] }),
        usage: { ...counts, completion_tokens: 6 },
      },
      { ...ended('tool_calls'), usage: counts },
      '[DONE]',
    ],
    expected: [
      thought('Two.'),
      called('call_1', { city: 'Köln' }),
      called('call_2', { city: 'Bonn' }),
      counted,
      toTools,
    ],
  },
  {
    vendor: 'qwen',
    what: 'pieces of a call whose id and name are empty after the first',
    page: 'https://www.alibabacloud.com/help/en/model-studio/qwen-function-calling',
    lines: [
      chunk({ role: 'assistant', content: null, reasoning_content: 'Hm.' }),
      chunk({ content: null, tool_calls: [{ index: 0, ...named('call_1', '') }] }),
      chunk({
        content: null,
        tool_calls: [{ index: 0, id: '', type: 'function', function: { name: '', arguments: '{"city": ' } }],
      }),
      chunk({
        content: null,
        tool_calls: [{ index: 0, id: '', type: 'function', function: { name: null, arguments: '"Köln"}' } }],
      }),
      ended('tool_calls', { content: '' }),
      { ...chunk({}), choices: [], usage: counts },
      '[DONE]',
    ],
    expected: [thought('Hm.'), called('call_1', { city: 'Köln' }), counted, toTools],
  },
  {
    vendor: 'openrouter',
    what: 'comments before the first piece, and what the answer cost',
    page: 'https://openrouter.ai/docs/api-reference/streaming',
    lines: [
      ': OPENROUTER PROCESSING',
      '',
      ': OPENROUTER PROCESSING',
      '',
      { ...chunk({ role: 'assistant', content: 'Hello' }), provider: 'Fireworks' },
      chunk({ content: '' }, { finish_reason: 'stop', native_finish_reason: 'stop' }),
      {
        ...chunk({ role: 'assistant', content: '' }),
        usage: { ...counts, cost: 0.002, cost_details: { upstream_inference_cost: null } },
      },
      '[DONE]',
    ],
    expected: [text('Hello'), { type: 'usage', usage: { input: 13, output: 7, costUsd: 0.002 } }, stop],
  },
  {
    vendor: 'openrouter',
    what: 'an error of the service behind it in the middle',
    page: 'https://openrouter.ai/docs/api-reference/errors',
    lines: [
      chunk({ role: 'assistant', content: 'Half' }),
      {
        ...chunk({ content: '' }, { finish_reason: 'error' }),
        error: { code: 'server_error', message: 'Provider disconnected unexpectedly' },
      },
      '[DONE]',
    ],
    error: /Provider disconnected unexpectedly/,
  },
  {
    vendor: 'azure-openai',
    what: 'what its filters found, before, between and behind the text',
    page: 'https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming',
    lines: [
      {
        id: '',
        object: '',
        created: 0,
        model: '',
        choices: [],
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
      },
      chunk({ role: 'assistant', content: '', refusal: null }, { content_filter_results: {} }),
      chunk({ content: 'Color is ' }),
      chunk({ content: 'light.' }),
      {
        id: '',
        object: '',
        choices: [
          {
            index: 0,
            finish_reason: null,
            content_filter_results: { hate: { filtered: false, severity: 'safe' } },
            content_filter_offsets: { check_offset: 44, start_offset: 44, end_offset: 198 },
          },
        ],
      },
      ended('stop'),
      { ...chunk({}), choices: [], usage: { ...counts, prompt_tokens_details: { cached_tokens: 0 } } },
      '[DONE]',
    ],
    expected: [text('Color is light.'), { type: 'usage', usage: { input: 13, output: 7, cachedInput: 0 } }, stop],
  },
  {
    vendor: 'azure-openai',
    what: 'a filter that stops the answer after it was shown',
    page: 'https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming',
    lines: [
      chunk({ role: 'assistant', content: 'Half' }),
      {
        ...chunk({}),
        choices: [
          {
            index: 0,
            finish_reason: 'content_filter',
            content_filter_results: { protected_material_text: { detected: true, filtered: true } },
            content_filter_offsets: { check_offset: 65, start_offset: 65, end_offset: 1056 },
          },
        ],
      },
      '[DONE]',
    ],
    expected: [text('Half'), { type: 'end', reason: 'filtered' }],
  },
  {
    vendor: 'custom',
    what: 'Gemini behind its compatible address, with a signature for each call',
    page: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
    lines: [
      {
        ...chunk({
          role: 'assistant',
          tool_calls: [
            {
              index: 0,
              ...named('function-call-1', '{"city":"Köln"}', {
                extra_content: { google: { thought_signature: 'c2ln' } },
              }),
            },
            { index: 1, ...named('function-call-2', '{}') },
          ],
        }),
        usage: counts,
      },
      { ...ended('stop'), usage: counts },
      '[DONE]',
    ],
    expected: [
      called('function-call-1', { city: 'Köln' }),
      called('function-call-2', {}),
      counted,
      {
        type: 'end',
        reason: 'tool-calls',
        carry: { provider: 'custom', data: { extras: [{ google: { thought_signature: 'c2ln' } }, null] } },
      },
    ],
  },
  {
    vendor: 'custom',
    what: 'Perplexity, which sends the message so far beside each piece, and its sources',
    page: 'https://docs.perplexity.ai/guides/streaming-responses',
    lines: [
      {
        ...chunk({ role: 'assistant', content: 'Paris' }, { message: { role: 'assistant', content: 'Paris' } }),
        citations: ['https://a.test'],
        usage: { ...counts, completion_tokens: 1, cost: { total_cost: 0.001 } },
      },
      {
        ...chunk(
          { role: 'assistant', content: ' is it.[1]' },
          { message: { role: 'assistant', content: 'Paris is it.[1]' } },
        ),
        citations: ['https://a.test'],
      },
      {
        ...ended('stop', { role: 'assistant', content: '' }),
        object: 'chat.completion.done',
        search_results: [{ title: 'A', url: 'https://a.test', date: null }],
        usage: { ...counts, search_context_size: 'low', cost: { input_tokens_cost: 0.1, total_cost: 0.2 } },
      },
      '[DONE]',
    ],
    expected: [text('Paris is it.[1]'), counted, stop],
  },
  {
    vendor: 'custom',
    what: 'Cohere behind its compatible address, which ends without a last line',
    page: 'https://docs.cohere.com/docs/compatibility-api',
    lines: [
      chunk({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...named('get_weather_abc123', '') }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{\n  "city": "Köln"\n}' } }] }),
      { ...ended('tool_calls'), usage: counts },
    ],
    expected: [called('get_weather_abc123', { city: 'Köln' }), counted, toTools],
  },
  {
    vendor: 'fireworks',
    what: 'thoughts, and figures of the machine beside the counts',
    page: 'https://docs.fireworks.ai/api-reference/post-chatcompletions',
    lines: [
      chunk({ role: 'assistant' }),
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'Yes.' }),
      {
        ...ended('stop'),
        usage: { ...counts, prompt_tokens_details: { cached_tokens: 2 } },
        perf_metrics: { 'server-time': '0.1' },
      },
      '[DONE]',
    ],
    expected: [thought('Hm.'), text('Yes.'), { type: 'usage', usage: { input: 13, output: 7, cachedInput: 2 } }, stop],
  },
  {
    vendor: 'custom',
    what: 'Cerebras, with thoughts in its own field and the time that each part took',
    page: 'https://inference-docs.cerebras.ai/capabilities/reasoning',
    lines: [
      chunk({ role: 'assistant', reasoning: 'Hm.' }),
      chunk({ content: 'Yes.' }),
      { ...ended('stop'), usage: counts, time_info: { queue_time: 0.1, completion_time: 0.2, created: 1 } },
      '[DONE]',
    ],
    expected: [thought('Hm.'), text('Yes.'), counted, stop],
  },
  {
    vendor: 'together',
    what: 'the text twice in each piece, and an end of its own name',
    page: 'https://docs.together.ai/reference/chat-completions-1',
    lines: [
      {
        ...chunk({ token_id: 1, role: 'assistant', content: 'Ye', tool_calls: null }, { text: 'Ye', seed: null }),
        usage: null,
      },
      { ...chunk({ token_id: 2, content: 's.', tool_calls: null }, { text: 's.' }), usage: null },
      { ...ended('eos', { token_id: 3, role: 'assistant', content: '', tool_calls: null }), usage: counts },
      '[DONE]',
    ],
    expected: [text('Yes.'), counted, stop],
  },
  {
    vendor: 'vllm',
    what: 'thoughts and a call in pieces, whose later ones have no id',
    page: 'https://docs.vllm.ai/en/latest/features/reasoning_outputs.html',
    lines: [
      chunk({ role: 'assistant', content: '' }, { logprobs: null }),
      chunk({ reasoning_content: 'Hm.' }, { stop_reason: null }),
      chunk({ tool_calls: [{ index: 0, ...named('chatcmpl-tool-1', '') }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city": "Köln"}' } }] }),
      chunk({ content: '' }, { finish_reason: 'tool_calls', stop_reason: 128_008 }),
      { ...chunk({}), choices: [], usage: { ...counts, prompt_tokens_details: null } },
      '[DONE]',
    ],
    expected: [thought('Hm.'), called('chatcmpl-tool-1', { city: 'Köln' }), counted, toTools],
  },
  {
    vendor: 'vllm',
    what: 'an error that is an event of its own kind, as older versions and SGLang send it',
    page: 'https://github.com/block/goose/pull/8031',
    lines: [
      chunk({ role: 'assistant', content: 'Half' }),
      { object: 'error', message: 'The engine died.', type: 'InternalServerError', param: null, code: 500 },
      '[DONE]',
    ],
    error: /The engine died/,
  },
  {
    vendor: 'ollama',
    what: 'thoughts, and whole calls that all have the first place',
    page: 'https://docs.ollama.com/api/openai-compatibility',
    lines: [
      chunk({ role: 'assistant', content: '', reasoning: 'Hm.' }),
      chunk({ role: 'assistant', content: '', tool_calls: [{ index: 0, ...named('call_a', '{"city":"Köln"}') }] }),
      chunk({ role: 'assistant', content: '', tool_calls: [{ index: 0, ...named('call_b', '{"city":"Bonn"}') }] }),
      ended('tool_calls', { role: 'assistant', content: '' }),
      { ...chunk({}), choices: [], usage: counts },
      '[DONE]',
    ],
    expected: [
      thought('Hm.'),
      called('call_a', { city: 'Köln' }),
      called('call_b', { city: 'Bonn' }),
      counted,
      toTools,
    ],
  },
  {
    vendor: 'llama-cpp',
    what: 'figures of the machine beside the counts',
    page: 'https://github.com/ggml-org/llama.cpp/issues/15443',
    lines: [
      chunk({ role: 'assistant', content: null }),
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'Yes.' }),
      ended('stop'),
      { ...chunk({}), choices: [], usage: counts, timings: { prompt_n: 13, predicted_per_second: 50.1 } },
      '[DONE]',
    ],
    expected: [thought('Hm.'), text('Yes.'), counted, stop],
  },
  {
    vendor: 'llama-cpp',
    what: 'an error in a field of its own, as its versions up to the end of 2025 send it',
    page: 'https://github.com/ggml-org/llama.cpp/issues/16104',
    lines: [
      chunk({ role: 'assistant', content: 'Half' }),
      'error: {"code":400,"message":"the request exceeds the available context size.","type":"exceed_context_size_error"}',
      '',
    ],
    error: /exceeds the available context size/,
  },
  {
    vendor: 'lmstudio',
    what: 'an error in an event of its own name',
    page: 'https://lmstudio.ai/docs/developer/openai-compat',
    lines: [
      chunk({ role: 'assistant', content: 'Half' }),
      'event: error',
      { error: { message: 'The model has crashed without additional information.' } },
      '[DONE]',
    ],
    error: /model has crashed/,
  },
  {
    vendor: 'zai',
    what: 'thoughts between calls, and an end by its own filter',
    page: 'https://docs.z.ai/api-reference/llm/chat-completion',
    lines: [
      chunk({ role: 'assistant', reasoning_content: 'Hm.' }),
      chunk({ content: 'Half' }),
      { ...ended('sensitive', { content: '' }), usage: counts },
      '[DONE]',
    ],
    expected: [thought('Hm.'), text('Half'), counted, { type: 'end', reason: 'filtered' }],
  },
]
