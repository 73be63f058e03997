import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markup } from '../../../../../plugins/messaging/platforms/platform-dingtalk/markup.ts'
import { pieces, withBreaks } from '../../../../../plugins/messaging/platforms/platform-dingtalk/pieces.ts'
import { markdownWords } from '../../../../../plugins/messaging/platforms/platform-dingtalk/stand-in/text.ts'

const escaped = (text: string) => markup.escape?.(text) ?? ''

test('what means something in the Markdown of DingTalk is escaped, and nothing else', () => {
  expect(escaped('2 * 3 and `x`')).toBe('2 \\* 3 and \\`x\\`')
  expect(escaped('snake_case _but_ this')).toBe('snake_case \\_but\\_ this')
  expect(escaped('# no heading\n#tag\n> no quote')).toBe('\\# no heading\n#tag\n\\> no quote')
  expect(escaped('#')).toBe('\\#')
  expect(escaped('[a](b) and a[1]')).toBe('\\[a](b) and a[1]')
  expect(escaped('C:\\dir, \\* and \\')).toBe('C:\\dir, \\\\\\* and \\\\')
})

test('whatever people write on DingTalk is read as they wrote it', () => {
  const words = fc
    .array(fc.constantFrom('*', '_', '`', '#', '> ', '[a](b)', '\\', ' ', 'word', 'ü', '😀', '1. '))
    .map((all) => `x${all.join('')}`)
  fc.assert(
    fc.property(words, (text) => {
      expect(markdownWords(escaped(text)).trimEnd()).toBe(text.trimEnd())
    }),
  )
})

test('a line end becomes one that is seen, but not in a block of code or between paragraphs', () => {
  expect(withBreaks('a\nb\n\nc\n```\nx\ny\n```\nd')).toBe('a  \nb\n\nc  \n```\nx\ny\n```\nd')
})

test('a long text is cut at lines, and nothing of it is lost', () => {
  expect(pieces('short', 100)).toEqual(['short'])
  const text = Array.from({ length: 50 }, (_, at) => `line ${at} ${'ü'.repeat(at)}`).join('\n')
  const cut = pieces(text, 200)
  expect(cut.join('\n')).toBe(text)
  for (const piece of cut) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(200)
})

test('one endless line is cut between characters', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 60 }),
      fc.string({ unit: fc.constantFrom('a', 'ü', '漢', '😀'), minLength: 50 }),
      (max, text) => {
        const cut = pieces(text, max)
        expect(cut.join('')).toBe(text)
        for (const piece of cut) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(max)
      },
    ),
  )
})

test('a block of code that is cut is whole in every piece', () => {
  const code = Array.from({ length: 20 }, (_, at) => `print(${at})`)
  const cut = pieces(`before\n\`\`\`\n${code.join('\n')}\n\`\`\`\nafter`, 120)
  expect(cut.length).toBeGreaterThan(1)
  for (const piece of cut) expect(piece.match(/^```/gm)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0)
  expect(cut.join('\n').match(/print\(\d+\)/g)).toEqual(code)
})

test('a fence within code does not end it', () => {
  expect(markup.fence?.(markup.escapeCode?.('a\n```\nb') ?? '', 'sh').match(/```/g)).toHaveLength(2)
})
