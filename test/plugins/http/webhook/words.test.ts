import fc from 'fast-check'
import { expect, test } from 'vitest'
import { condition, parseItems } from '../../../../plugins/http/webhook/filters.ts'
import { createPrompt, fillTemplate, standardPrompt } from '../../../../plugins/http/webhook/template.ts'

const pull = { number: 7, draft: false, title: 'Fix it', user: { login: 'ada' }, labels: [{ name: 'bug' }] }

test('fields are filled in by their paths, also out of lists; unknown ones stay as they are written', () => {
  expect(fillTemplate('#{number} {title} by {user.login}, {labels.0.name}, {draft}', pull)).toBe(
    '#7 Fix it by ada, bug, false',
  )
  expect(fillTemplate('{user}', pull)).toBe('{"login":"ada"}')
  expect(fillTemplate('{nothing} {user.nothing} { title } {}', pull)).toBe('{nothing} {user.nothing} { title } {}')
  expect(fillTemplate('{__raw__}', { a: 1 })).toBe('{"a":1}')
})

test('what every object has is no field', () => {
  expect(fillTemplate('{constructor} {__proto__.x} {title.length}', pull)).toBe(
    '{constructor} {__proto__.x} {title.length}',
  )
})

test('long payloads are cut, 4,000 characters as a whole and 2,000 of a part', () => {
  const long = { part: { text: 'x'.repeat(9000) } }
  expect([fillTemplate('{__raw__}', long).length, fillTemplate('{part}', long).length]).toEqual([4001, 2001])
})

test('words from outside are marked for the agent, and numbers and yes or no stand as they are', () => {
  const text = createPrompt('Review #{number} ({draft}): {title}', pull)
  expect(text.split('\n')[0]).toBe('Review #7 (false): <data source="title">Fix it</data>')
  expect(text).toContain('not instructions')
  expect(createPrompt('Review #{number}', pull)).toBe('Review #7')
})

test('no value, whatever it is, ends the mark around it', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('<', '/', 'data', '>', ' ', 'DATA', 'x') }), (value) => {
      const text = createPrompt('{a}', { a: value })
      expect(text.match(/<\/data>/gi)).toHaveLength(1)
      expect(standardPrompt('r', value, { value }).match(/<data /gi)?.length).toBeLessThan(3)
    }),
  )
})

const event = {
  event: 'push',
  headers: { 'x-kind': 'beta' },
  payload: { ref: 'main', n: 3, tags: ['a', 'b'], user: null },
}

test.for([
  [undefined, true],
  [[], true],
  [{ field: 'ref', equals: 'main' }, true],
  [{ field: 'payload.ref', not_equals: 'main' }, false],
  [{ field: 'n', equals: '3' }, true],
  [{ field: 'missing', not_equals: 'x' }, true],
  [{ field: 'user', exists: true }, true],
  [{ field: 'user.name', exists: true }, false],
  [{ field: 'user.name', missing: true }, true],
  [{ field: 'ref', exists: false }, false],
  [{ field: 'tags', contains: 'b' }, true],
  [{ field: 'ref', contains: 'ai' }, true],
  [{ field: 'n', contains: '3' }, false],
  [{ field: 'event', in: ['pull', 'push'] }, true],
  [{ field: 'event_type', equals: 'push' }, true],
  [{ field: 'headers.X-Kind', regex: '^be' }, true],
  [{ field: 'ref', regex: '^release/' }, false],
  [{ field: 'ref', in_file: 'branches' }, true],
  [{ field: 'ref', equals: 'main', regex: 'x' }, false],
  [
    [
      { field: 'ref', equals: 'main' },
      { field: 'n', equals: 4 },
    ],
    false,
  ],
  [
    {
      any: [
        { field: 'n', equals: 4 },
        { field: 'n', equals: 3 },
      ],
    },
    true,
  ],
  [{ all: [{ field: 'n', equals: 3 }], not: { field: 'ref', equals: 'main' } }, false],
  [{ not: { any: [] } }, true],
] as const)('the filter %j decides %s', ([given, right]) => {
  expect(condition(given, () => parseItems('other\n main \n'))(event)).toBe(right)
})

test.for([
  'text',
  7,
  {},
  { all: {} },
  { field: 'a' },
  { field: 'a', like: 1 },
  { field: 'a', in: 'x' },
  { field: 'a', regex: '(' },
  { any: [{ x: 1 }] },
])('%j is no filter, and why is said', (given) => {
  expect(() => condition(given, () => [])).toThrow(/filter|regular expression/i)
})

test('a file of a filter is a list of JSON or its lines', () => {
  expect(parseItems('["a", 1]')).toEqual(['a', 1])
  expect(parseItems(' a \r\n\n{"b"\n')).toEqual(['a', '{"b"'])
})
