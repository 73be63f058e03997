import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { geminiParameters } from '../../../../plugins/providers/provider-gemini/schema.ts'
import { unknownFields } from '../../../support/gemini-server.ts'

test('the schema of a tool becomes one that Gemini takes', () => {
  const schema = z.toJSONSchema(
    z.object({
      path: z.string().min(1).describe('Where.'),
      mode: z.enum(['a', 'b']).optional(),
      kind: z.literal('x'),
      limit: z.int().positive().nullable(),
      either: z.union([z.string(), z.object({ n: z.number() })]),
      tags: z.array(z.string()).max(3),
      level: z.union([z.literal(1), z.literal(2)]),
    }),
  )
  expect(geminiParameters(schema)).toEqual({
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where.', minLength: 1 },
      mode: { type: 'string', enum: ['a', 'b'] },
      kind: { type: 'string', enum: ['x'] },
      limit: { type: 'integer', maximum: Number.MAX_SAFE_INTEGER, nullable: true },
      either: {
        anyOf: [{ type: 'string' }, { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }],
      },
      tags: { type: 'array', maxItems: 3, items: { type: 'string' } },
      level: { anyOf: [{ type: 'number' }, { type: 'number' }] },
    },
    required: ['path', 'kind', 'limit', 'either', 'tags', 'level'],
  })
})

test('references are followed, and those to themselves cut off', () => {
  const tree = { type: 'object', properties: { next: { $ref: '#/$defs/tree' }, name: { type: ['string', 'null'] } } }
  const converted = JSON.stringify(geminiParameters({ $ref: '#/$defs/tree', $defs: { tree } }))
  expect(converted).toContain('"name":{"type":"string","nullable":true}')
  expect(converted.length).toBeLessThan(2000)
})

test('what must hold all at a time becomes one object', () => {
  const part = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] })
  expect(geminiParameters({ allOf: [part('a'), part('b')] })).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    required: ['a', 'b'],
  })
})

test('a tool without parameters has none', () => {
  expect(geminiParameters({ type: 'object', properties: {} })).toBeUndefined()
  expect(geminiParameters({})).toBeUndefined()
})

test('whatever the schema, nothing is left that Gemini does not know', () => {
  const { schema } = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constant({ type: 'string' }),
      fc.record(
        {
          type: fc.oneof(fc.constantFrom('object', 'array', 'string', 'integer'), fc.constant(['string', 'null'])),
          properties: fc.dictionary(fc.string({ minLength: 1 }), tie('schema'), { maxKeys: 3 }),
          items: tie('schema'),
          anyOf: fc.array(tie('schema'), { maxLength: 2 }),
          oneOf: fc.array(tie('schema'), { maxLength: 2 }),
          allOf: fc.array(tie('schema'), { maxLength: 2 }),
          enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }),
          const: fc.jsonValue({ maxDepth: 1 }),
          format: fc.constantFrom('uri', 'date-time', 'int32'),
          additionalProperties: fc.boolean(),
          exclusiveMinimum: fc.integer(),
          $schema: fc.string(),
          not: tie('schema'),
        },
        { requiredKeys: [] },
      ),
    ),
  }))
  fc.assert(
    fc.property(schema, (given) => {
      expect(unknownFields(geminiParameters(given as Record<string, unknown>) ?? {})).toEqual([])
    }),
  )
})
