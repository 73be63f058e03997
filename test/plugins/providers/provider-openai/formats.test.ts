import type { AnswerFormat } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { catalog } from '../../../../plugins/providers/provider-openai/catalog.ts'
import { getFormatSupport } from '../../../../plugins/providers/provider-openai/formats.ts'
import { responsesWire } from '../../../../plugins/providers/provider-openai/responses-wire.ts'
import { chatWire } from '../../../../plugins/providers/provider-openai/wire.ts'
import { anyObject, weather } from '../../../support/answer-format.ts'
import { request } from '../../../support/ask-model.ts'

const getEntry = (id: string) => catalog.find((entry) => entry.id === id) ?? raise(id)
const raise = (id: string): never => {
  throw new Error(`there is no ${id}`)
}
const asked = { format: weather, model: 'gpt-5.1' }

function sent(wire: typeof chatWire, id: string, more: { format: AnswerFormat; model: string }) {
  const entry = getEntry(id)
  const whole = request(more)
  return JSON.parse(wire.body(whole, entry, wire.options(whole, entry)))
}

test('chat completions have the schema in response_format', () => {
  expect(sent(chatWire, 'openai', asked).response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'weather', description: 'The weather.', schema: weather.schema, strict: true },
  })
  expect(sent(chatWire, 'openai', { ...asked, format: anyObject }).response_format).toEqual({ type: 'json_object' })
})

test('responses have it in text.format', () => {
  expect(sent(responsesWire, 'openai', asked).text).toEqual({
    format: {
      type: 'json_schema',
      name: 'weather',
      description: 'The weather.',
      schema: weather.schema,
      strict: true,
    },
  })
})

test('a service that knows no schema is asked for some object', () => {
  expect(sent(chatWire, 'deepseek', asked).response_format).toEqual({ type: 'json_object' })
  expect(sent(chatWire, 'openai', { ...asked, model: 'gpt-4-turbo' }).response_format).toEqual({ type: 'json_object' })
})

test.each([
  ['openai', 'gpt-5.1', { holds: 'schema', besideTools: true }],
  ['openai', 'gpt-4o', { holds: 'schema', besideTools: true }],
  ['openai', 'gpt-3.5-turbo', { holds: 'json' }],
  ['groq', 'openai/gpt-oss-120b', { holds: 'schema' }],
  ['deepseek', 'deepseek-chat', { holds: 'json' }],
  ['ollama', 'qwen3', { holds: 'schema' }],
  ['custom', 'any', { holds: 'schema' }],
])('%s holds %s to %j', (id, model, support) => {
  expect(getFormatSupport(getEntry(id), model)).toEqual(support)
})
