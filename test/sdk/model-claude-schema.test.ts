import { anthropicSchema, anthropicSupportsFormat } from 'svc/sdk/kit/wire'
import { expect, test } from 'vitest'

test('objects are closed, at every level', () => {
  const point = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }
  const schema = { type: 'object', properties: { list: { type: 'array', items: point } }, additionalProperties: true }
  expect(anthropicSchema(schema)).toEqual({
    type: 'object',
    properties: { list: { type: 'array', items: { ...point, additionalProperties: false } } },
    additionalProperties: false,
  })
})

test('limits that the service refuses are said in words', () => {
  const schema = { type: 'string', description: 'A code.', minLength: 3, maxLength: 5, format: 'phone', $schema: 'x' }
  expect(anthropicSchema(schema)).toEqual({
    type: 'string',
    description: 'A code.\n\n{minLength: 3, maxLength: 5, format: "phone"}',
  })
})

test.each([
  [{ type: 'string', format: 'date' }],
  [{ type: 'array', items: { type: 'string' }, minItems: 1 }],
  [{ anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] }],
  [{ type: 'object', properties: {}, additionalProperties: false, required: [] }],
])('%j is sent as it is', (schema) => {
  expect(anthropicSchema(schema)).toEqual(schema)
})

test('oneOf becomes anyOf', () => {
  expect(anthropicSchema({ oneOf: [{ type: 'string' }, { type: 'integer', minimum: 1 }] })).toEqual({
    anyOf: [{ type: 'string' }, { type: 'integer', description: '{minimum: 1}' }],
  })
})

test('references are kept unless they lead to themselves', () => {
  const twice = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/name' }, b: { $ref: '#/$defs/name' } },
    $defs: { name: { type: 'string' } },
    additionalProperties: false,
  }
  expect(anthropicSchema(twice)).toEqual(twice)
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } }
  expect(anthropicSchema({ $ref: '#/$defs/node', $defs: { node } })).toBeUndefined()
  expect(anthropicSchema({ type: 'object', properties: { child: { $ref: '#' } } })).toBeUndefined()
})

test.each([
  ['claude-haiku-4-5', true],
  ['claude-opus-4-1-20250805', true],
  ['claude-sonnet-4-6', true],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', true],
  ['claude-sonnet-4-20250514', false],
  ['claude-3-7-sonnet-20250219', false],
])('%s can be held to a schema: %s', (model, can) => {
  expect(anthropicSupportsFormat(model) !== undefined).toBe(can)
})
