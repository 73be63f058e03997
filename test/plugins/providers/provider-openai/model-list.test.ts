import { expect, test } from 'vitest'
import { chats, parseModelList } from '../../../../plugins/providers/provider-openai/model-list.ts'

test('a list is newest first and knows the context window under each of its names', () => {
  const data = [
    { id: 'old', created: 1, max_model_len: 10 },
    { id: 'new', created: 3, context_length: 20 },
    { id: 'middle', created: 2, meta: { n_ctx: 30 } },
    { id: 'unknown', created: 0, context_window: '40' },
  ]
  expect(parseModelList({ object: 'list', data })).toEqual([
    { id: 'new', contextWindow: 20 },
    { id: 'middle', contextWindow: 30 },
    { id: 'old', contextWindow: 10 },
    { id: 'unknown' },
  ])
})

test('a bare array is a list, anything else is none', () => {
  expect(parseModelList([{ id: 'a' }, null, { id: 7 }, {}])).toEqual([{ id: 'a' }])
  for (const json of [undefined, null, 'models', {}, { data: {} }]) expect(parseModelList(json)).toBeUndefined()
})

test('models that cannot hold a conversation are told by their names', () => {
  const others = [
    'text-embedding-3-small',
    'nomic-embed-text:latest',
    'whisper-1',
    'tts-1-hd',
    'gpt-4o-mini-tts',
    'dall-e-3',
    'omni-moderation-latest',
    'gpt-4o-realtime-preview',
    'bge-reranker-v2',
    'gpt-image-1',
  ]
  expect(others.filter(chats)).toEqual([])
  const talking = ['gpt-5.1', 'o4-mini', 'llama3.2:latest', 'qwen3-coder-30b', 'claude-sonnet', 'mitts-chat']
  expect(talking.filter((id) => !chats(id))).toEqual([])
})

test('OpenRouter says what a model costs, reads and can do', () => {
  const model = {
    id: 'vendor/model',
    name: 'Vendor: Model',
    context_length: 200_000,
    top_provider: { max_completion_tokens: 64_000 },
    pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
    architecture: { input_modalities: ['text', 'image'] },
    supported_parameters: ['tools', 'temperature'],
  }
  expect(parseModelList({ data: [model] })).toEqual([
    {
      id: 'vendor/model',
      label: 'Vendor: Model',
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
      price: { input: 3, output: 15, cachedInput: 0.3 },
      images: true,
      tools: true,
      reasoning: false,
    },
  ])
})

test('a price that is not known is not there, a price of nothing is', () => {
  const price = (pricing: object) => parseModelList({ data: [{ id: 'm', pricing }] })?.[0]?.price
  expect(price({ prompt: '-1', completion: '-1' })).toBeUndefined()
  expect(price({ prompt: '', completion: '0' })).toBeUndefined()
  expect(price({ input: 3, output: 15 })).toBeUndefined()
  expect(price({ prompt: '0', completion: '0' })).toEqual({ input: 0, output: 0 })
})

test('Mistral and Moonshot say what a model can do in their own words', () => {
  const data = [
    { id: 'mistral', created: 2, capabilities: { vision: true, function_calling: false } },
    { id: 'kimi', created: 1, supports_image_in: true, supports_reasoning: true },
  ]
  expect(parseModelList({ data })).toEqual([
    { id: 'mistral', images: true, tools: false },
    { id: 'kimi', images: true, reasoning: true },
  ])
})
