import fc from 'fast-check'
import { IntlMessageFormat } from 'intl-messageformat'
import { expect, test } from 'vitest'
import { formatMessage, parseMessage } from '../../../../plugins/configuration/language/message.ts'

const LOCALES = ['af', 'de', 'en', 'es', 'fr', 'ga', 'hu', 'it', 'ja', 'ko', 'pt', 'ru', 'tr', 'uk', 'zh', 'zh-hant']

/** What the library of the web makes of it. */
function reference(locale: string, message: string, values: Record<string, string | number>): string {
  return String(new IntlMessageFormat(message, locale, undefined, { ignoreTag: true }).format(values))
}

test.for([
  ['{count, plural, one {# file} other {# files}}', { count: 1 }, '1 file'],
  ['{count, plural, one {# file} other {# files}}', { count: 12_345 }, '12,345 files'],
  ['{count, plural, =0 {nothing} one {one} other {#}}', { count: 0 }, 'nothing'],
  ['{n, plural, offset:1 =1 {you} one {you and one other} other {you and # others}}', { n: 3 }, 'you and 2 others'],
  ['{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}', { n: 22 }, '22nd'],
  ['{who, select, me {I} other {{who} and I}}', { who: 'you' }, 'you and I'],
  ['{n, number} of {n}', { n: 1234.5 }, '1,234.5 of 1234.5'],
  ["It's {name}'s", { name: 'Ann' }, "It's Ann's"],
  ["a '{brace}' and ''quotes''", {}, "a {brace} and 'quotes'"],
  ['#1 stays', {}, '#1 stays'],
] as const)('%s with %j says "%s"', ([message, values, said]) => {
  expect(formatMessage('en', message, values)).toBe(said)
  expect(reference('en', message, values)).toBe(said)
})

/** Any message: text, places, and choices inside of choices. */
const text = fc.oneof(
  fc.stringMatching(/^([a-zäß 日,.:#-]|'[a-z]){0,8}$/),
  fc.constantFrom("'{quoted}'x", "'#'x", "''x", "'}' "),
)
const name = fc.constantFrom('count', 'who', 'place')
const { message } = fc.letrec<{ message: string; part: string }>((tie) => ({
  message: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    name.map((each) => `{${each}}`),
    fc.constant('{count, number}'),
    fc
      .tuple(fc.constantFrom('plural', 'selectordinal'), fc.constantFrom('', 'offset:1 ', 'offset:2'), tie('message'))
      .chain(([kind, offset, other]) =>
        fc.tuple(
          fc.constant({ kind, offset, other }),
          fc.uniqueArray(fc.tuple(fc.constantFrom('=0', '=1', 'zero', 'one', 'two', 'few', 'many'), tie('message')), {
            selector: ([each]) => each,
            maxLength: 3,
          }),
        ),
      )
      .map(([{ kind, offset, other }, cases]) => {
        const all = [...cases, ['other', other] as const].map(([each, inner]) => `${each} {${inner}}`)
        return `{count, ${kind}, ${offset} ${all.join(' ')}}`
      }),
    fc.tuple(tie('message'), tie('message')).map(([me, other]) => `{who, select, me {${me}} other {${other}}}`),
  ),
}))
const values = fc.record({
  count: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 2_000_000 })),
  who: fc.constantFrom('me', 'you', "o'{}#"),
  place: fc.oneof(fc.string(), fc.integer()),
})

test('any message says in every language what the library of the web says', () => {
  fc.assert(
    fc.property(fc.constantFrom(...LOCALES), message, values, (locale, each, given) => {
      expect(formatMessage(locale, each, given)).toBe(reference(locale, each, given))
    }),
    { numRuns: 400 },
  )
})

test('whatever the text, it is formatted or refused with its code', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[{}'#,= a-z]*(plural|select|number|other|one|[{},#' ])*$/), (each) => {
      try {
        expect(typeof formatMessage('en', each, { a: 1, n: 2 })).toBe('string')
      } catch (error) {
        expect(error).toMatchObject({ code: 'LANGUAGE_MESSAGE' })
      }
    }),
    { numRuns: 500 },
  )
})

test.for([
  'a } alone',
  '{count, plural, one {x}}',
  '{count, plural, one {x} one {y} other {}}',
  '{count, plural, other {x}',
  '{count, sum}',
  '{}',
  '{count',
  '{count, number, ::currency/EUR}',
])('%s is no message', (bad) => {
  expect(() => parseMessage(bad)).toThrow(expect.objectContaining({ code: 'LANGUAGE_MESSAGE' }))
})

test('a value that is missing leaves its place to be seen, and inherited names are no values', () => {
  expect(formatMessage('en', '{a}, {b, number}, {c, plural, other {#}}', {})).toBe('{a}, {b}, {c}')
  expect(formatMessage('en', '{constructor}', {})).toBe('{constructor}')
})
