import { expect, test } from 'vitest'
import { getFormatSupport } from '../../../../plugins/providers/provider-bedrock/formats.ts'
import { requestBody } from '../../../../plugins/providers/provider-bedrock/wire.ts'
import { anyObject, weather } from '../../../support/answer-format.ts'
import { request } from '../../../support/ask-model.ts'

const model = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const createBody = (more: Parameters<typeof request>[0]) => JSON.parse(requestBody(request({ model, ...more })))

test('the schema is sent as text', () => {
  const { textFormat } = createBody({ format: weather }).outputConfig
  const { schema, ...rest } = textFormat.structure.jsonSchema
  expect({ type: textFormat.type, ...rest }).toEqual({
    type: 'json_schema',
    name: 'weather',
    description: 'The weather.',
  })
  expect(JSON.parse(schema)).toMatchObject({ properties: { degrees: { description: '{minimum: -90}' } } })
  expect(createBody({ format: anyObject })).not.toHaveProperty('outputConfig')
})

test.each([
  [model, { holds: 'schema', besideTools: true }],
  ['anthropic.claude-3-7-sonnet-20250219-v1:0', undefined],
  ['qwen.qwen3-32b-v1:0', { holds: 'schema' }],
  ['us.deepseek.v3-v1:0', { holds: 'schema' }],
  ['amazon.nova-pro-v1:0', undefined],
  ['meta.llama3-70b-instruct-v1:0', undefined],
])('%s at Bedrock is held to %j', (name, support) => {
  expect(getFormatSupport(name)).toEqual(support)
})
