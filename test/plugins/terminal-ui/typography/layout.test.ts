import fc from 'fast-check'
import { type StyledLine, type StyledSpan, TextLayout } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { textLayout } from '../../../../plugins/terminal-ui/typography/layout.ts'

const layout = textLayout()
const { width, wrap, cut, pad, graphemes, lineWidth, clean } = layout

/** Text with everything that is hard to measure. */
const hard = fc.constantFrom(
  ...[
    'a',
    'word',
    ' ',
    '  ',
    '-',
    'é',
    'e\u0301',
    '日',
    '本語',
    '。',
    '（',
    '👍',
    '👍🏽',
    '👨‍👩‍👧‍👦',
    '🇩🇪',
    '1️⃣',
    '❤️',
    '❤',
    '⌚︎',
  ],
  ...['한', '\u1112\u1161\u11ab', 'क्षि', 'กำ', 'שלום', 'مرحبا', '\u200b', '\u200d', '\u0301', '\u00a0', '\u3000', '─'],
)
const text = fc.oneof(
  fc.array(hard, { maxLength: 25 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((any) => clean(any).replaceAll('\n', ' ')),
)
const span: fc.Arbitrary<StyledSpan> = fc.record({
  text,
  bold: fc.boolean(),
  role: fc.constantFrom('code', 'dim', 'text'),
})
const line: fc.Arbitrary<StyledLine> = fc.array(span, { maxLength: 5 })
const room = fc.integer({ min: 1, max: 30 })

const SPACES = /[ \u1680\u2000-\u2006\u2008-\u200b\u205f\u3000]/g
const plain = (of: StyledLine) => of.map((each) => each.text).join('')
const styled = (of: readonly StyledLine[]) =>
  of.flat().flatMap(({ text, ...style }) => [...text.replace(SPACES, '')].map((unit) => unit + JSON.stringify(style)))

test('the service is there for anyone who asks', async () => {
  const kernel = await testKernel({ plugins: ['typography'] })
  onTestFinished(() => kernel.stop())
  expect(kernel.use(TextLayout).width('日本')).toBe(4)
})

test('wrapping loses nothing but spaces, keeps styles, and no line is too long', () => {
  fc.assert(
    fc.property(line, room, (of, cells) => {
      const lines = wrap(of, cells)
      expect(styled(lines)).toEqual(styled([of]))
      for (const each of lines) {
        const isOneGrapheme = each.flatMap((part) => graphemes(part.text)).filter((one) => width(one) > 0).length === 1
        if (!isOneGrapheme) expect(lineWidth(each)).toBeLessThanOrEqual(cells)
      }
    }),
  )
})

test('wrapping never parts a grapheme', () => {
  fc.assert(
    fc.property(text, room, (of, cells) => {
      const whole = graphemes(of).filter((each) => each.replace(SPACES, ''))
      const parts = wrap([{ text: of }], cells).flatMap((each) => graphemes(plain(each)))
      expect(parts.filter((each) => each.replace(SPACES, ''))).toEqual(whole)
    }),
    {
      examples: [
        [' \u200da', 1],
        ['a \u0301b', 1],
      ],
    },
  )
})

test('a hanging indent stands before each line but the first and leaves room for the text', () => {
  fc.assert(
    fc.property(line, fc.integer({ min: 3, max: 30 }), fc.integer({ min: 0, max: 8 }), (of, cells, size) => {
      const indent = '>'.repeat(size)
      const lines = wrap(of, cells, [{ text: indent }])
      for (const each of lines.slice(1))
        expect(plain(each).startsWith(indent.slice(0, Math.max(0, cells - 2)))).toBe(true)
      for (const each of lines) expect(lineWidth(each)).toBeLessThanOrEqual(cells)
    }),
  )
})

test('what was wrapped stays as it is when it is wrapped again', () => {
  fc.assert(
    fc.property(line, room, (of, cells) => {
      for (const each of wrap(of, cells)) expect(wrap(each, Math.max(cells, lineWidth(each)))).toEqual([each])
    }),
  )
})

test('padding gives exactly the width, cutting never more, and both begin with the text', () => {
  fc.assert(
    fc.property(line, fc.integer({ min: 0, max: 30 }), (of, cells) => {
      expect(lineWidth(pad(of, cells))).toBe(cells)
      const short = cut(of, cells)
      expect(lineWidth(short)).toBeLessThanOrEqual(cells)
      if (lineWidth(of) <= cells) expect(short).toEqual(of)
      else expect(plain(of).startsWith(plain(short).replace(/…$/, ''))).toBe(true)
    }),
  )
})

test('what stands apart takes what both take, and a width is that of the graphemes', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(width(`${a}\n${b}`)).toBe(width(a) + width(b))
      expect(width(a + b)).toBeLessThanOrEqual(width(a) + width(b) + 1)
      expect(graphemes(a).join('')).toBe(a)
      expect(width(a)).toBe(graphemes(a).reduce((sum, each) => sum + width(each), 0))
      for (const each of graphemes(a)) expect(width(each)).toBeLessThanOrEqual(2)
    }),
  )
})
