/** What the tests of the screen share: a skin, pictures, and a program that shows them on a real terminal. */
import fc from 'fast-check'
import type { Frame, StyledLine, StyledSpan, TextStyle, Theme, ThemeColor } from 'svc/sdk/terminal'
import { textLayout } from '../../../../plugins/terminal-ui/typography/layout.ts'

export const layout = textLayout()

const paints: Partial<Record<ThemeColor, TextStyle>> = {
  text: { color: '#c0c0c0' },
  title: { color: '#ff8800', bold: true },
  dim: { dim: true },
  selected: { color: '#000000', background: '#88ccff' },
  error: { color: '#ff0000', underline: true },
  'code-block': { background: '#202020' },
}

export const skin: Theme = {
  name: 'test',
  description: 'For tests.',
  light: false,
  colors: new Proxy(paints, { get: (target, role) => Reflect.get(target, role) ?? {} }) as Theme['colors'],
  spinner: { faces: [], verbs: [] },
  branding: { name: '', welcome: '', goodbye: '', prompt: '' },
  toolPrefix: '',
}

/** Words that are hard to show. */
export const hardWords = [
  ...[
    'plain',
    ' ',
    '  blank ',
    'ÄÖÜ',
    '中文字',
    '한국어',
    'ｆｕｌｌ',
    '👍',
    '👍🏽',
    '👨‍👩‍👧‍👦',
    '🇩🇪🇯🇵',
    '❤️',
    '☺',
    '1️⃣',
    '⏳',
    '✓',
  ],
  ...['e\u0301a\u0308', 'שָׁלוֹם', 'مرحبا', 'नमस्ते', 'ไทย', '──┐', '…', '\u200b', '\u0301', 'a\u0007b', '\x1b[31m', '\t'],
]

export const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...hardWords), fc.string({ maxLength: 6, unit: 'grapheme' })), { maxLength: 6 })
  .map((words) => words.join(''))

export const anySpan: fc.Arbitrary<StyledSpan> = fc.record(
  {
    text: anyText,
    role: fc.constantFrom<ThemeColor>('text', 'title', 'dim', 'selected', 'error', 'code-block', 'answer'),
    bold: fc.boolean(),
    underline: fc.boolean(),
    link: fc.constantFrom('https://example.org/a', 'https://example.org/ü?q=1'),
  },
  { requiredKeys: ['text'] },
)

export const anyLine: fc.Arbitrary<StyledLine> = fc.array(anySpan, { maxLength: 4 })

export function anyPicture(rows: number): fc.Arbitrary<Frame> {
  const cursor = fc.option(fc.record({ row: fc.nat(rows), column: fc.nat(40) }), { nil: undefined })
  return fc
    .record({ lines: fc.array(anyLine, { maxLength: rows }), cursor })
    .map((picture) => (picture.cursor ? { lines: picture.lines, cursor: picture.cursor } : { lines: picture.lines }))
}
