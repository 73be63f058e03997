import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { coerce, findToolByName } from '../../../../plugins/agent/agent/correct-call.ts'

const shape = z.object({
  count: z.number().int().optional(),
  ratio: z.number().optional(),
  deep: z.boolean().optional(),
  name: z.string().optional(),
  tags: z.array(z.string()).optional(),
  inner: z.object({ size: z.number() }).optional(),
})
const schema = shape['~standard'].jsonSchema.input({ target: 'draft-2020-12' })

test('texts become the numbers, truths, lists and objects they stand for', () => {
  expect(
    coerce({ count: '5', ratio: '-.5', deep: 'Yes', name: 7, tags: 'one', inner: '{"size":"3"}' }, schema),
  ).toEqual({
    count: 5,
    ratio: -0.5,
    deep: true,
    name: '7',
    tags: ['one'],
    inner: { size: 3 },
  })
  expect(coerce('{"tags":"[\\"a\\",\\"b\\"]","name":null}', schema)).toEqual({ tags: ['a', 'b'] })
})

test('what is not unmistakable stays as it is', () => {
  const odd = { count: '5.5', ratio: 'many', deep: 'perhaps', inner: 'no json', other: '12' }
  expect(coerce(odd, schema)).toEqual(odd)
})

test('what the schema takes already is never changed', () => {
  const valid = fc.record(
    {
      count: fc.integer(),
      ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
      deep: fc.boolean(),
      name: fc.string(),
      tags: fc.array(fc.string()),
      inner: fc.record({ size: fc.integer() }),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  fc.assert(fc.property(valid, (value) => void expect(coerce(value, schema)).toEqual(value)))
})

test('anything at all is coerced without an error, is not changed itself, and is not coerced further by a second look', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const before = structuredClone(value)
      const coerced = coerce(value, schema)
      expect(value).toEqual(before)
      expect(coerce(coerced, schema)).toEqual(coerced)
    }),
  )
})

test('a tool is known by a name that is nearly right, never by a guess between two', () => {
  const names = ['read_file', 'write_file', 'terminal']
  expect(
    ['ReadFile', 'read-file', 'readfile', 'read_file_tool', 'Terminal'].map((name) => findToolByName(name, names)),
  ).toEqual(['read_file', 'read_file', 'read_file', 'read_file', 'terminal'])
  expect(findToolByName('browser', names)).toBeUndefined()
  expect(findToolByName('aa', ['ab', 'ac'])).toBeUndefined()
})

test('what is hardly like any tool, or as much like two of them, calls none', () => {
  expect(findToolByName('remove_file', ['write_file', 'look'])).toBeUndefined()
  expect(findToolByName('read_filx', ['read_file', 'read_fill'])).toBeUndefined()
  expect(findToolByName('read_filx', ['read_file', 'write'])).toBe('read_file')
})
