import { expect, test } from 'vitest'
import { graphemes } from '../../../../plugins/terminal-ui/typography/graphemes.ts'
import { lineWidth, width } from '../../../../plugins/terminal-ui/typography/width.ts'

test.each([
  ['nothing', '', 0],
  ['ASCII', 'hello, world', 12],
  ['letters with accents, whole and composed', 'é e\u0301 ñ', 5],
  ['Greek and Cyrillic', 'Ωмега', 5],
  ['ideographs', '日本語', 6],
  ['kana with a voiced mark of its own', 'か\u3099', 2],
  ['half-width kana', 'ｱｲｳ', 3],
  ['full-width letters', 'ＡＢ', 4],
  ['Hangul syllables', '한국', 4],
  ['a syllable of jamo', '\u1112\u1161\u11ab', 2],
  ['an emoji', '🚀', 2],
  ['a skin tone', '👍🏽', 2],
  ['a family', '👨‍👩‍👧‍👦', 2],
  ['a profession with a tone', '👩🏿‍🚀', 2],
  ['a flag of letters', '🇯🇵', 2],
  ['two flags', '🇯🇵🇩🇪', 4],
  ['a flag of tags', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 2],
  ['half a flag', '🇯', 1],
  ['a keycap', '1️⃣', 2],
  ['a heart as text', '❤', 1],
  ['a heart as emoji', '❤️', 2],
  ['a watch as text', '⌚︎', 1],
  ['a selector after what has no emoji', 'a\ufe0f', 1],
  ['a digit with a selector only', '1\ufe0f', 1],
  ['a zero-width space, joiner, byte order mark', '\u200b\u200d\ufeff', 0],
  ['a mark alone', '\u0301', 0],
  ['Hebrew with points', 'שָׁלוֹם', 4],
  ['Arabic with marks', 'مَرْحَبًا', 5],
  ['an Arabic number sign', '\u0600', 1],
  ['Devanagari', 'क्ष', 2],
  ['Thai with marks above', 'ที่', 1],
  ['boxes and blocks', '─│█▒', 4],
  ['an ellipsis and bullets', '…•', 2],
  ['a symbol for private use', '\ue0b0', 1],
  ['half a pair of surrogates', '\ud83d', 1],
  ['controls, which are not for a terminal', '\u0007\u009b\n', 0],
])('the width of %s', (_, text, cells) => {
  expect(width(text)).toBe(cells)
  expect(lineWidth([{ text }, { text: 'x' }])).toBe(cells + 1)
})

test('a grapheme is what a person sees as one character', () => {
  expect(graphemes('a👩🏿‍🚀🇯🇵e\u03011️⃣')).toEqual(['a', '👩🏿‍🚀', '🇯🇵', 'e\u0301', '1️⃣'])
  expect(graphemes('日本')).toEqual(['日', '本'])
})

test('a long text with emoji is measured like its parts', () => {
  expect(width('ab 👍🏽 日本 '.repeat(1_000))).toBe(11_000)
})
