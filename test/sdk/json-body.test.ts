/** Bodies of others: what may take long is refused before the parser begins. */
import fc from 'fast-check'
import { parseJsonBody } from 'svc/sdk/web'
import { expect, test, vi } from 'vitest'

const bytes = (text: string) => Buffer.from(text)

test('every small JSON value is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      expect(parseJsonBody(bytes(text))).toEqual({ kind: 'value', value: JSON.parse(text) })
    }),
  )
})

test('quotes, backslashes and brackets within strings count for nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('"', '\\', '[', '{', ',', 'x', '\u{1F600}'), { maxLength: 60 }), (pieces) => {
      const value = { [pieces.join('')]: pieces.join('') }
      expect(parseJsonBody(bytes(JSON.stringify(value)), { maxDepth: 1, maxValues: 1 })).toEqual({
        kind: 'value',
        value,
      })
    }),
  )
})

test.each([
  ['nine million open lists', '['.repeat(9_000_000), {}],
  ['objects within objects', `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`, {}],
  [
    'half a million keys',
    `{${Array.from({ length: 500_000 }, (_, at) => `"k${at}":1`).join(',')}}`,
    { maxPlainBytes: 1e8 },
  ],
  ['two hundred thousand messages', `[${'{},'.repeat(200_000)}{}]`, {}],
  ['two million characters', JSON.stringify('x'.repeat(2_000_000)), {}],
  ['a picture that is none', JSON.stringify(`xdata:image/${'x'.repeat(2_000_000)}`), {}],
])('%s are refused, and the parser is not asked', (_name, text, limits) => {
  const body = bytes(text)
  const parse = vi.spyOn(JSON, 'parse')
  const read = parseJsonBody(body, limits)
  expect(parse).not.toHaveBeenCalled()
  parse.mockRestore()
  expect(read.kind).toBe('limit')
})

test('pictures have their own room', () => {
  const url = `data:image/png;base64,${'A'.repeat(5_000_000)}`
  expect(parseJsonBody(bytes(JSON.stringify({ url }))).kind).toBe('value')
  expect(parseJsonBody(bytes(JSON.stringify({ url, text: 'x'.repeat(1_100_000) }))).kind).toBe('limit')
})

test.each(['', '{', '"', '"\\', 'x', '{"a":1}}'])('%j is malformed', (text) => {
  expect(parseJsonBody(bytes(text)).kind).toBe('malformed')
})
