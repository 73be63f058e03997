import type { StyledLine } from 'svc/sdk/terminal'
import { expect, test } from 'vitest'
import { wrap } from '../../../../plugins/terminal-ui/typography/wrap.ts'

const texts = (line: StyledLine | string, width: number, indent?: string) =>
  wrap(typeof line === 'string' ? [{ text: line }] : line, width, indent ? [{ text: indent }] : undefined).map((each) =>
    each.map((span) => span.text).join(''),
  )

test.each([
  ['a line that fits is left alone', 'one two', 7, ['one two']],
  ['words go to the next line whole', 'one two three', 9, ['one two', 'three']],
  ['spaces at a break go away, others stay', 'a  b     c', 4, ['a  b', 'c']],
  ['an indentation stays', '    four', 20, ['    four']],
  ['a word too long for a line is broken', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['such a word begins on a line of its own', 'ab abcdefgh', 4, ['ab', 'abcd', 'efgh']],
  ['between ideographs, but not before a full stop', '日本語です。次', 10, ['日本語で', 'す。次']],
  ['nor after an opening bracket', 'あ（い）う', 4, ['あ', '（い', '）う']],
  ['Latin words within ideographs stay whole', '日本hello語', 8, ['日本', 'hello語']],
  ['Thai words are found in a dictionary', 'ภาษาไทยง่าย', 7, ['ภาษาไทย', 'ง่าย']],
  ['a space that binds is no break', 'a 10\u00a0km', 5, ['a', '10\u00a0km']],
  ['a width of one', 'ab 日👍🏽', 1, ['a', 'b', '日', '👍🏽']],
  ['a line feed ends a line', 'a\n\n  b\n', 20, ['a', '', '  b', '']],
  ['nothing is one empty line', '', 5, ['']],
  ['only spaces are cut', '          ', 4, ['    ']],
  ['a width that makes no sense is one', 'ab', Number.NaN, ['a', 'b']],
])('when lines are wrapped, %s', (_, text, width, expected) => {
  expect(texts(text, width)).toEqual(expected)
})

test('a hanging indent is shortened where it would leave no room', () => {
  expect(texts('one two three', 8, '  ')).toEqual(['one two', '  three'])
  expect(texts('abc', 2, '    ')).toEqual(['ab', 'c'])
})

test('styles stay with their text, and a word that changes its style is no break', () => {
  const line: StyledLine = [
    { text: 'see ' },
    { text: 'bold', bold: true },
    { text: 'face, ' },
    { text: 'link', link: 'https://a.example' },
  ]
  expect(wrap(line, 10)).toEqual([
    [{ text: 'see' }],
    [{ text: 'bold', bold: true }, { text: 'face,' }],
    [{ text: 'link', link: 'https://a.example' }],
  ])
})
