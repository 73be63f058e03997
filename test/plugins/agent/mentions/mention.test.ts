import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findMentions } from '../../../../plugins/agent/mentions/mention.ts'

test.each([
  ['look at @a.ts', [[{ path: 'a.ts' }]]],
  ['@a.ts:3 and (@b/c.ts:10-4)', 'a.ts:3 a.ts[3-3] / b/c.ts:10-4) b/c.ts:10-4 b/c.ts[4-10]'],
  ['@"two words.ts":1-2 @"x"', 'two words.ts[1-2] / x'],
  ['See @src/.', 'src/. src/'],
  ['me@example.com, a@b', ''],
  ['@ alone, @@', '@'],
  ['mail <me@x.y> `@code`', ''],
])('%j names %j', (text, expected) => {
  const shown = findMentions(text).map((readings) =>
    readings.map(({ path, range }) => path + (range ? `[${range.from}-${range.to}]` : '')).join(' '),
  )
  if (typeof expected === 'string') expect(shown.join(' / ')).toBe(expected)
  else expect(findMentions(text)).toEqual(expected)
})

test('whatever is named between words is found as it was written', () => {
  const name = fc.string({ minLength: 1, maxLength: 10, unit: fc.constantFrom(...'abc/._-ä漢') })
  fc.assert(
    fc.property(name, fc.string({ maxLength: 5 }), (path, before) => {
      const found = findMentions(`${before} @${path} after`).at(-1)
      expect(found?.[0]).toEqual({ path })
    }),
  )
})
