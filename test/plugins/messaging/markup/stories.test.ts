/** What becomes of Markdown, by examples, and texts that are made to hurt. */
import { MessageFormatter } from 'svc/sdk/platform'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { messageText } from '../../../../plugins/messaging/markup/message-text.ts'
import { html } from './readers.ts'

const { markup } = html
const one = (markdown: string) => messageText.pieces(markdown, { maxTextLength: 10_000, markup }).join('\n@\n')

test('the service is there once the plugin has started', async () => {
  await using kernel = await testKernel({ plugins: ['markup'] })
  expect(kernel.use(MessageFormatter).pieces('**a** b', { maxTextLength: 100 })).toEqual(['a b'])
})

test('a text of blanks is no message', () => {
  for (const text of ['', ' \n\t\n', '```\n\n```', '[]()', '>']) expect([text, one(text)]).toEqual([text, ''])
})

test('styles keep their nest, and code stands alone', () => {
  expect(one('**bold _both `code` both_** ~~gone~~')).toBe(
    '<b>bold <i>both</i></b> <code>code</code> <b><i>both</i></b> <s>gone</s>',
  )
})

test('links lead where they say; addresses that lead nowhere are words', () => {
  expect(
    one('[a & b](https://x.y/?a=1&b="2") ![pic](https://x.y/p.png) <https://x.y> [f](./f.md) [j](javascript:x)'),
  ).toBe(
    '<a href="https://x.y/?a=1&amp;b=&quot;2&quot;">a &amp; b</a> <a href="https://x.y/p.png">pic</a> ' +
      '<a href="https://x.y">https://x.y</a> f (./f.md) j (javascript:x)',
  )
})

test('no line is indented so far beyond the list around it that Markdown would take it for code', () => {
  const plain = (markdown: string, maxTextLength = 1000) => messageText.pieces(markdown, { maxTextLength })
  expect(plain('- a\n  - b\n    - c')).toEqual(['- a\n  - b\n    - c'])
  expect(plain('1. a\n\n   2. b\n\n      3. c\n\n         - d')).toEqual(['1. a\n\n  2. b\n\n   3. c\n\n   - d'])
  const [first, second] = plain(`- a\n  - b\n    - ${'c'.repeat(25)}\n    - ${'d'.repeat(25)}\n      - e`, 45)
  expect(first).toBe(`- a\n  - b\n    - ${'c'.repeat(25)}`)
  expect(second).toBe(`   - ${'d'.repeat(25)}\n     - e`)
})

test('lists are indented, numbers continue, tasks have boxes', () => {
  expect(one('3. three\n4. four\n   - [x] done\n   - [ ] open\n     more')).toBe(
    '3. three\n4. four\n  • ☑ done\n  • ☐ open\n    more',
  )
})

test('a fence in a quotation stands between two, and inner quotations are marked', () => {
  expect(one('> a\n> > b\n>\n> ```js\n> x < y\n> ```\n> c')).toBe(
    '<blockquote>a\n\n&gt; b</blockquote>\n\n' +
      '<pre><code class="language-js">x &lt; y</code></pre>\n\n<blockquote>c</blockquote>',
  )
})

test('a small table is aligned, a wide one is a list', () => {
  expect(one('|Name|Age|\n|-|-:|\n|Ada|36|\n|漢字|7|')).toBe('<pre>Name  Age\n────  ───\nAda    36\n漢字    7</pre>')
  const wide = 'a column that is really wide'
  expect(one(`|${wide}|${wide}|\n|-|-|\n|x|[y](https://y.z)|`)).toBe(
    `<b>${wide} · ${wide}</b>\n• x · <a href="https://y.z">y</a>`,
  )
})

test('a long fence is closed and opened again with its language', () => {
  const code = Array.from({ length: 12 }, (_, at) => `line ${at} < ${at + 1}`).join('\n')
  const pieces = messageText.pieces(`\`\`\`js\n${code}\n\`\`\``, { maxTextLength: 120, markup })
  expect(pieces.length).toBeGreaterThan(2)
  for (const piece of pieces) expect(piece).toMatch(/^<pre><code class="language-js">[\s\S]*<\/code><\/pre>$/)
})

test('it is cut between blocks, then sentences, then words; a heading goes with what follows', () => {
  const limits = { maxTextLength: 60 }
  const sentence = 'This is a sentence of a paragraph.'
  expect(messageText.pieces(`${sentence}\n\n# Head\n\n${sentence}`, limits)).toEqual([sentence, `Head\n\n${sentence}`])
  expect(messageText.pieces(`${sentence} ${sentence} ${sentence}`, limits)).toEqual([sentence, sentence, sentence])
  expect(messageText.pieces('word '.repeat(20), limits)).toEqual(
    ['word '.repeat(12), 'word '.repeat(8)].map((each) => each.trim()),
  )
})

test('a link that fits into no message becomes words and an address', () => {
  const address = `https://x.y/${'z'.repeat(200)}`
  const pieces = messageText.pieces(`[words](${address})`, { maxTextLength: 100, markup })
  expect(pieces.join('')).toContain('words')
  expect(pieces.join('').replace(/\s/g, '')).toBe(`words(${address})`)
})

const many = 10_000
const hostile: Readonly<Record<string, string>> = {
  'quotation marks': '>'.repeat(many),
  'spaced quotation marks': '> '.repeat(many),
  'list marks': '- '.repeat(many),
  'numbers of lists': '1. '.repeat(many),
  brackets: '['.repeat(many),
  'links that never end': '[a]('.repeat(many),
  'nested emphasis': `${'*a **b '.repeat(3000)}c${' b** a*'.repeat(3000)}`,
  'a deep list': Array.from({ length: 1000 }, (_, at) => `${' '.repeat(at * 2)}- x`).join('\n'),
  'a deep list behind what looks like a fence': `    \`\`\`\n${Array.from({ length: 500 }, (_, at) => `${' '.repeat(at * 2)}- x`).join('\n')}`,
  emoji: '👩‍👩‍👧‍👦'.repeat(many),
  'accents on one letter': `a${'\u0301'.repeat(many)}`,
  'a megabyte of one word': 'x'.repeat(1_000_000),
  'a megabyte of words': 'hello **world** and `code` [x](http://a.b) '.repeat(24_000),
  'a megabyte of lines': 'hello world\n'.repeat(80_000),
  'a megabyte of code': `\`\`\`\n${'<'.repeat(1_000_000)}`,
  headings: '# a\n'.repeat(50_000),
}
for (const [name, text] of Object.entries(hostile))
  test(`neither slow nor too long: ${name}`, () => {
    for (const limits of [{ maxTextLength: 4096, markup }, { maxTextLength: 100, measure: 'bytes' } as const]) {
      const pieces = messageText.pieces(text, limits)
      expect(pieces.length).toBeGreaterThan(0)
      const longest = Math.max(...pieces.map((piece) => (limits.measure ? Buffer.byteLength(piece) : piece.length)))
      expect(longest).toBeLessThanOrEqual(limits.maxTextLength)
    }
  }, 60_000)
