import { expect, test } from 'vitest'
import { chats, parseModelList } from '../../../plugins/provider-openai/model-list.ts'

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
