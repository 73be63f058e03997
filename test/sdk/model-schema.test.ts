import { toObjectSchema } from 'svc/sdk/provider'
import { expect, test } from 'vitest'

const text = { type: 'string' }
const count = { type: 'integer' }

test('a schema that says all at its top stays as it is, for every byte', () => {
  const plain = { type: 'object', properties: { a: { anyOf: [text, count] } }, required: ['a'], $defs: {} }
  expect(JSON.stringify(toObjectSchema(plain))).toBe(JSON.stringify(plain))
  expect(toObjectSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema' })).toEqual({ type: 'object' })
})

test.for(['anyOf', 'oneOf'])('of %s at the top all properties are told, and required is what all require', (word) => {
  const file = { type: 'object', properties: { kind: { const: 'file' }, path: text }, required: ['kind', 'path'] }
  const line = { type: 'object', properties: { kind: { const: 'line' }, at: count }, required: ['kind', 'at'] }
  expect(toObjectSchema({ [word]: [file, line], description: 'Where.' })).toEqual({
    description: 'Where.',
    type: 'object',
    properties: { kind: { anyOf: [{ const: 'file' }, { const: 'line' }] }, path: text, at: count },
    required: ['kind'],
  })
})

test('of allOf at the top everything holds', () => {
  const parts = [
    { properties: { a: text }, required: ['a'] },
    { properties: { b: count }, required: ['b'] },
  ]
  expect(toObjectSchema({ type: 'object', properties: { c: text }, allOf: parts })).toEqual({
    type: 'object',
    properties: { c: text, a: text, b: count },
    required: ['a', 'b'],
  })
})

test('a reference at the top, and in its alternatives, is followed', () => {
  const $defs = { one: { properties: { a: text }, required: ['a'] }, two: { $ref: '#/$defs/one' } }
  const expected = { $defs, type: 'object', properties: { a: text }, required: ['a'] }
  expect(toObjectSchema({ $defs, $ref: '#/$defs/two' })).toEqual(expected)
  expect(toObjectSchema({ $defs, anyOf: [{ $ref: '#/$defs/one' }] })).toEqual(expected)
  expect(toObjectSchema({ $defs: {}, $ref: '#/$defs/none' })).toEqual({ $defs: {}, type: 'object', properties: {} })
})
