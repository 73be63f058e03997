import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clean } from '../../../../plugins/terminal-ui/typography/clean-text.ts'

test.each([
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['a cursor that moves', 'a\u001b[2Jb\u001b[?25lc\u001b[10;20Hd', 'abcd'],
  ['the title of the window', '\u001b]0;pwned\u0007text', 'text'],
  ['a link', '\u001b]8;;http://x.example\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['the clipboard', '\u001b]52;c;aGk=\u0007text', 'text'],
  ['a device string', 'a\u001bP1$r0m\u001b\\b', 'ab'],
  ['application and privacy strings', 'a\u001b_Gf=100;AAAA\u001b\\b\u001b^secret\u001b\\c', 'abc'],
  ['the same in 8 bits', '\u009b31mred\u009d0;title\u009ctext', 'redtext'],
  ['a character set', '\u001b(0lqk\u001b(B', 'lqk'],
  ['a reset', 'a\u001bcb', 'ab'],
  ['a sequence without an end', 'text\u001b[31', 'text'],
  ['a string without an end, whose text stays', 'a\u001b]0;long text', 'a0;long text'],
  ['a string over several lines, which is none', 'a\u001b]0;b\nc\u0007d', 'a0;b\ncd'],
  ['a string without measure, which is none', `\u001b]${'x'.repeat(4097)}\u0007`, 'x'.repeat(4097)],
  ['an escape alone', 'a\u001b', 'a'],
  ['bells and backspaces', 'a\u0007b\bc\u007f', 'abc'],
  ['reading directions', 'a\u202eb\u202c\u2066c\u2069', 'abc'],
  ['half a pair of surrogates', 'a\ud83db\ude00c', 'a\ufffdb\ufffdc'],
  ['ends of lines', 'a\r\nb\rc\u2028d\r\r\ne', 'a\nb\nc\nd\ne'],
  ['tabs', 'a\tb\n日\tc\t\td', 'a       b\n日      c               d'],
  ['what does no harm', 'plain — 日本 👍🏽 שלום\n', 'plain — 日本 👍🏽 שלום\n'],
])('cleaning takes care of %s', (_, text, safe) => {
  expect(clean(text)).toBe(safe)
})

test('controls can be seen', () => {
  expect(clean('\u001b[31m\u0000\u007f\u009b1m\u202ex\ud83d\ty\r\nz\r', 'visible')).toBe(
    '␛[31m␀␡␛[1m<U+202E>x\ufffd   y\nz␍',
  )
})

const piece = fc.constantFrom(
  ...['\u001b', '[', ']', 'P', '\\', '\u0007', '\u009b', '\u009d', '\u009c', '31m', '\u202e', '\ud83d', '\ude00', 'é'],
  ...['\r', '\n', '\t', 'text', '0;', '\u2066', '\u0000', '日'],
)
const dangerous = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

test('nothing that a terminal obeys is ever left, and cleaning twice changes nothing', () => {
  fc.assert(
    fc.property(fc.oneof(dangerous, fc.string({ unit: 'binary' })), fc.constantFrom('drop', 'visible'), (any, how) => {
      const safe = clean(any, how as 'drop')
      expect(safe).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u)
      expect(clean(safe, how as 'drop')).toBe(safe)
    }),
  )
})

test('many strings without an end cost no more than their length', () => {
  const text = '\u001b]0;x\u009d\u001bP'.repeat(200_000)
  expect(clean(text)).toBe('0;x'.repeat(200_000))
})
