import { expect, test } from 'vitest'
import {
  type Answer,
  llamaCpp,
  lmStudio,
  ollama,
  vllm,
} from '../../../../plugins/providers/provider-openai/recognise.ts'

const answer = (json: unknown, status = 200, headers: Record<string, string> = {}): Answer => ({
  json,
  status,
  headers,
})
const list = (...data: object[]) => answer({ object: 'list', data })
const missing = answer({ error: 'not found' }, 404)

test('no one and someone else are taken for no model server', () => {
  const strangers = [undefined, answer(undefined), answer(null), answer('hello'), answer([]), answer({}), missing]
  for (const recognise of [ollama, lmStudio, llamaCpp, vllm])
    for (const stranger of strangers) expect(recognise([stranger, stranger])).toBeUndefined()
  const other = list({ id: 'gpt', owned_by: 'somebody' })
  for (const recognise of [llamaCpp, vllm]) expect(recognise([other, missing])).toBeUndefined()
})

test('Ollama needs a version and tags, and its embedding models are left out', () => {
  const version = answer({ version: '0.12.6' })
  const tags = answer({
    models: [{ name: 'llama3.2:latest' }, { name: 'bge-m3:latest', details: { family: 'bert' } }, { name: 7 }],
  })
  expect(ollama([version, tags])).toEqual({ state: 'ready', models: [{ id: 'llama3.2:latest' }] })
  expect(ollama([undefined, tags])).toBeUndefined()
  expect(ollama([version, missing])).toBeUndefined()
})

test('LM Studio puts loaded models first, in both versions of its API', () => {
  const v0 = list(
    { id: 'big', type: 'llm', state: 'not-loaded', max_context_length: 9000 },
    { id: 'embedder', type: 'embeddings', state: 'loaded' },
    { id: 'small', type: 'vlm', state: 'loaded', max_context_length: 8000, loaded_context_length: 4000 },
  )
  const models = [
    { id: 'small', contextWindow: 4000 },
    { id: 'big', contextWindow: 9000 },
  ]
  expect(lmStudio([v0, missing])).toEqual({ state: 'ready', models })
  const v1 = answer({
    models: [
      { key: 'big', type: 'llm', loaded_instances: [], max_context_length: 9000 },
      { key: 'embedder', type: 'embedding', loaded_instances: [] },
      { key: 'small', type: 'llm', loaded_instances: [{ id: 'small', config: { context_length: 4000 } }] },
    ],
  })
  const unknown = answer({ error: 'Unexpected endpoint or method. (GET /api/v0/models)' })
  expect(lmStudio([unknown, v1])).toEqual({ state: 'ready', models })
})

test('llama.cpp is known by its header, its list or its properties', () => {
  const signed = list({ id: 'a.gguf', owned_by: 'llamacpp', meta: { n_ctx: 2048 } })
  const props = answer({ default_generation_settings: { n_ctx: 4096 } })
  expect(llamaCpp([signed, missing])).toEqual({ state: 'ready', models: [{ id: 'a.gguf', contextWindow: 2048 }] })
  expect(llamaCpp([signed, props])).toEqual({ state: 'ready', models: [{ id: 'a.gguf', contextWindow: 4096 }] })
  const header = { server: 'llama.cpp' }
  expect(llamaCpp([answer({ data: [] }, 200, header), missing])).toEqual({ state: 'ready', models: [] })
  expect(llamaCpp([answer({ error: {} }, 503, header), undefined])).toEqual({ state: 'loading' })
  expect(llamaCpp([answer({ error: {} }, 401, header), undefined])).toEqual({ state: 'locked' })
})

test('vLLM signs its list and tells its version even to strangers', () => {
  const signed = list({ id: 'org/model', owned_by: 'vllm', max_model_len: 16_384 })
  expect(vllm([signed, missing])).toEqual({ state: 'ready', models: [{ id: 'org/model', contextWindow: 16_384 }] })
  const locked = answer({ error: 'Unauthorized' }, 401)
  expect(vllm([locked, answer({ version: '0.11.0' })])).toEqual({ state: 'locked' })
  expect(vllm([locked, missing])).toBeUndefined()
})
