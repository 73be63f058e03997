/** A thousand documents for five platforms: nothing is lost, nothing is too long, and every piece stands by itself. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageText } from '../../../../plugins/messaging/markup/message-text.ts'
import { markdownDocuments, type Written } from '../../../support/markdown-documents.ts'
import { readers } from './readers.ts'

const measures = {
  utf16: (text: string) => text.length,
  codepoints: (text: string) => [...text].length,
  bytes: Buffer.byteLength,
}
const limits = fc.record({
  maxTextLength: fc.constantFrom(100, 160, 400, 2000, 4096),
  measure: fc.constantFrom('utf16', 'codepoints', 'bytes'),
})

/** Marks that are no words, addresses that are said behind their words, and blanks do not count. */
function bare(text: string): string {
  return text
    .replace(/\s/g, '')
    .replace(/\(https:\/\/x\.example\/\d+\)/g, '')
    .replace(/[•☐☑─·—>]/g, '')
}
const said = ({ words }: Written) => bare(words.join(''))

for (const { name, markup, read } of readers)
  test(`documents for ${name}: all words in order, within the limit, well-formed piece by piece`, () => {
    fc.assert(
      fc.property(markdownDocuments, limits, (document, limit) => {
        const pieces = messageText.pieces(document.markdown, { ...limit, markup })
        for (const piece of pieces) expect(measures[limit.measure](piece)).toBeLessThanOrEqual(limit.maxTextLength)
        expect(bare(pieces.map(read).join('\n'))).toBe(said(document))
      }),
      { numRuns: 200 },
    )
  }, 120_000)

test('no cut goes through a character that people see as one', () => {
  const graphemes = new Intl.Segmenter('en')
  // Word by word: the time of a segmenter grows with the square of its text.
  const list = (text: string) =>
    text.split(/[\s>]+/).flatMap((word) => [...graphemes.segment(word)].map(({ segment }) => segment))
  fc.assert(
    fc.property(markdownDocuments, limits, (document, limit) => {
      const whole = messageText.pieces(document.markdown, { maxTextLength: 100_000 })
      const pieces = messageText.pieces(document.markdown, limit)
      expect(pieces.flatMap(list).sort().join(' ')).toBe(whole.flatMap(list).sort().join(' '))
    }),
    { numRuns: 200 },
  )
}, 120_000)

test('the plain text of a document is its words', () => {
  fc.assert(
    fc.property(markdownDocuments, ({ markdown, words }) => {
      const without = words.filter((word) => !/^\d+\.$/.test(word))
      expect(bare(messageText.plain(markdown))).toBe(bare(without.join('')))
    }),
    { numRuns: 200 },
  )
}, 120_000)
