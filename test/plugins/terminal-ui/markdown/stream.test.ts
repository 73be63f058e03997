import fc from 'fast-check'
import type { StyledLine } from 'svc/sdk/terminal'
import { expect, test } from 'vitest'
import { createMarkdown } from '../../../../plugins/terminal-ui/markdown/markdown.ts'
import { Stream } from '../../../../plugins/terminal-ui/markdown/stream.ts'
import { textLayout } from '../../../../plugins/terminal-ui/typography/layout.ts'
import { split, writing } from './writing.ts'

const layout = textLayout()
const markdown = createMarkdown(layout)
const texts = (all: readonly StyledLine[]) =>
  all.map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  )
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 })

/** What is seen after each piece. */
function seen(pieces: readonly string[], width = 40): string[][] {
  const stream = markdown.stream()
  return pieces.map((piece) => {
    stream.append(piece)
    return texts(stream.lines(width))
  })
}

test('however a text comes, its end looks like the whole', () => {
  fc.assert(
    fc.property(writing, sizes, fc.integer({ min: 1, max: 80 }), (text, cuts, width) => {
      const stream = new Stream(layout)
      for (const piece of split(text, cuts)) {
        stream.append(piece)
        stream.lines(width + (piece.length % 3))
      }
      expect(stream.text).toBe(text)
      stream.end()
      expect(stream.lines(width)).toEqual(markdown.lines(text, width))
    }),
    { numRuns: 150 },
  )
})

test.for(['a\r\u001b[31m\nb', 'a\r\r\u001b]0;x\u0007\u001b[0m\r\nb', '```\r\u001b[31m\n```\n\n# End\n'])(
  'an end of a line stays one although a sequence stands in it: %j',
  (text) => {
    const stream = markdown.stream()
    for (const character of text) stream.append(character)
    expect(texts(stream.lines(40))).toEqual(texts(markdown.lines(text, 40)))
  },
)

test('a text that ends with a finished block needs no end', () => {
  fc.assert(
    fc.property(writing, sizes, (text, cuts) => {
      const whole = `${text}\n\`\`\`\n\n# End\n`
      const stream = markdown.stream()
      for (const piece of split(whole, cuts)) stream.append(piece)
      const end = new Stream(layout)
      end.append(whole)
      end.end()
      const isInCode = texts(end.lines(40)).at(-1) !== 'End'
      if (!isInCode) expect(stream.lines(40)).toEqual(markdown.lines(whole, 40))
    }),
    { numRuns: 100 },
  )
})

test('no line is too wide while it is written', () => {
  fc.assert(
    fc.property(writing, sizes, fc.integer({ min: 2, max: 50 }), (text, cuts, width) => {
      const stream = markdown.stream()
      for (const piece of split(text, cuts)) {
        stream.append(piece)
        for (const line of stream.lines(width)) expect(layout.lineWidth(line)).toBeLessThanOrEqual(width)
      }
    }),
    { numRuns: 60 },
  )
})

test('emphasis and code are shown as such before they end, and no mark flickers', () => {
  for (const all of seen([...'so **bold text** and `code` and ~~gone~~ and *it* and ***both*** x'])) {
    expect(all).toHaveLength(all.join('') === '' ? 0 : all.length)
    expect(all.join(' ')).not.toMatch(/[*`~]/)
  }
  const stream = markdown.stream()
  stream.append('a **bold te')
  expect(stream.lines(40)).toEqual([[{ text: 'a ' }, { text: 'bold te', bold: true }]])
  stream.append('xt** and `co')
  expect(stream.lines(40).flat().at(-1)).toEqual({ text: 'co', role: 'code' })
  expect(stream.lines(40)).toBe(stream.lines(40))
})

test('what is no emphasis keeps its marks', () => {
  expect(seen(['2 * 3 and a*b and snake_case'])).toEqual([['2 * 3 and a*b and snake_case']])
})

test('a paragraph is never taken for a heading because a rule or a list begins below it', () => {
  for (const all of seen([...'text\n- item\n- other\n\nmore\n\n---\n'])) expect(all[0]).toMatch(/^t?e?x?t?$/)
  const stream = markdown.stream()
  stream.append('text\n-')
  expect(stream.lines(40)).toEqual([[{ text: 'text' }]])
})

test('a fence that is open is shown as code, without its end', () => {
  const last = seen(['```py\nx = 1', '\nif x:\n  y', '\n``', '`', '\n'], 30)
  const top = `── py ${'─'.repeat(24)}`
  expect(last[0]).toEqual([top, 'x = 1'])
  expect(last[1]).toEqual([top, 'x = 1', 'if x:', '  y'])
  expect(last[3]).toEqual([top, 'x = 1', 'if x:', '  y'])
  expect(last[4]).toEqual([top, 'x = 1', 'if x:', '  y', '─'.repeat(30)])
})

test('a table is one from its first cell on', () => {
  const all = seen(['| Na', 'me | B |', '\n|--', '-|--', '-|\n', '| 1', ' | 2 |\n| 3 |'])
  expect(all[0]).toEqual(['Na', '──'])
  expect(all[1]).toEqual(['Name │ B', '─────┼──'])
  for (const each of all.slice(2, 5)) expect(each).toEqual(all[1])
  expect(all[6]).toEqual(['Name │ B', '─────┼──', '1    │ 2', '3    │'])
})

test('the cell that is being written is mended, and so is no code within an item', () => {
  const stream = markdown.stream()
  stream.append('| a |\n|---|\n| 2 * 3 |\n| **bo')
  expect(stream.lines(40).at(-1)?.[0]).toEqual({ text: 'bo', bold: true })
  expect(seen(['- a\n  ```\n  ls **x'], 30)[0]?.slice(-2)).toEqual(['  ls **x', `  ${'─'.repeat(28)}`])
})

test('a number alone waits for what it becomes', () => {
  expect(seen(['text\n1', '. item'])).toEqual([['text'], ['text', '1. item']])
})

test('a link shows its text while its address is written', () => {
  expect(seen(['see [the text](https://a.exam', 'ple) now'])).toEqual([
    ['see the text'],
    ['see the text (https://a.example) now'],
  ])
})

test('lines above the block that is being written never change', () => {
  const text = '# Title\n\nSome *text* here.\n\n- one\n- two\n\n```js\nlet a\n```\n\n| a |\n|---|\n| b |\n\nend of it\n'
  const all = seen([...text])
  for (const [index, lines] of all.entries()) {
    const blank = lines.lastIndexOf('')
    if (blank > 0) expect(all[index + 1]?.slice(0, blank) ?? lines.slice(0, blank)).toEqual(lines.slice(0, blank))
  }
})
