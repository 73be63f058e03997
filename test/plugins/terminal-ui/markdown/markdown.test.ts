import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { Markdown, type StyledLine, type StyledSpan } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createMarkdown } from '../../../../plugins/terminal-ui/markdown/markdown.ts'
import { textLayout } from '../../../../plugins/terminal-ui/typography/layout.ts'
import { root } from '../../../support/repository.ts'
import { writing } from './writing.ts'

const layout = textLayout()
const { lines } = createMarkdown(layout)

const texts = (all: readonly StyledLine[]) =>
  all.map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  )
const shown = (text: string, width = 40) => texts(lines(text, width))
const span = (text: string, word: string): StyledSpan | undefined =>
  lines(text, 80)
    .flat()
    .find((each) => each.text.includes(word))

test('the service can be used as soon as its plugin runs', async () => {
  const kernel = await testKernel({ plugins: ['markdown'] })
  onTestFinished(() => kernel.stop())
  expect(texts(kernel.use(Markdown).lines('# Hello', 40))).toEqual(['Hello'])
})

test('the plugin is loaded without its parsers: they come when it starts', () => {
  const index = readFileSync(join(root, 'plugins/terminal-ui/markdown/index.ts'), 'utf8')
  expect([...index.matchAll(/^import (?!type ).* from '(.*)'$/gm)].map(([, from]) => from)).toEqual([
    'svc/sdk',
    'svc/sdk/terminal',
  ])
  expect(index).toContain("await import('./markdown.ts')")
})

test('headings, paragraphs and rules stand apart', () => {
  expect(shown('# One\ntext of\none paragraph\n## Two\n\nmore\n***\nend\n\nTitle\n=====\nx')).toEqual([
    'One',
    'text of one paragraph',
    '',
    'Two',
    '',
    'more',
    '',
    '─'.repeat(40),
    '',
    'end',
    '',
    'Title',
    'x',
  ])
  expect(span('# One', 'One')).toEqual({ text: 'One', role: 'heading', bold: true, underline: true })
})

test('emphasis, code, strike-through and hard breaks', () => {
  expect(lines('a **b *c*** ~~d~~ `e  f`', 40)).toEqual([
    [
      { text: 'a ' },
      { text: 'b ', bold: true },
      { text: 'c', bold: true, italic: true },
      { text: ' ' },
      { text: 'd', strike: true },
      { text: ' ' },
      { text: 'e  f', role: 'code' },
    ],
  ])
  expect(shown('a  \nb\\\nc<br>d')).toEqual(['a', 'b', 'c', 'd'])
  expect(shown('snake_case_name, 2 * 3 * 4, \\*no\\*, &amp;&lt;b&gt;&#65;&#x42; &unknown;', 80)).toEqual([
    'snake_case_name, 2 * 3 * 4, *no*, &<b>AB &unknown;',
  ])
})

test('a link leads where it says, and nowhere else than to the web, to mail and to files', () => {
  expect(span('[text](https://a.example)', 'text')).toEqual({ text: 'text', role: 'link', link: 'https://a.example' })
  expect(shown('[text](https://a.example)')).toEqual(['text (https://a.example)'])
  expect(shown('https://a.example and <mail@a.example> and [a.example](https://a.example/)', 80)).toEqual([
    'https://a.example and mail@a.example and a.example',
  ])
  for (const address of ['javascript:alert(1)', 'data:text/html,x', 'vscode://x', '../a.ts']) {
    expect(span(`[text](${address})`, 'text')).toEqual({ text: 'text', role: 'text' })
    expect(shown(`[text](${address})`)).toEqual([`text (${address})`])
  }
  const long = `https://evil.example/${'x'.repeat(80)}`
  expect(shown(`[text](${long})`, 200)).toEqual(['text'])
  expect(shown(`[bank.example](${long})`, 200)).toEqual([`bank.example (${long.slice(0, 59)}…)`])
  expect(span('![a picture](https://a.example/b.png)', 'picture')).toEqual({
    text: '▣ a picture',
    role: 'link',
    link: 'https://a.example/b.png',
  })
  expect(span('[a]: https://a.example\n\nsee [this][a]', 'this')?.link).toBe('https://a.example')
})

test('lists: bullets, numbers, boxes, inside of each other', () => {
  expect(
    shown(
      'Before:\n- one\n- two that is long enough to go on below\n  - inner\n    1. deep\n\n  more\n- [x] done\n- [ ] to do',
    ),
  ).toEqual([
    'Before:',
    '• one',
    '• two that is long enough to go on below',
    '  ◦ inner',
    '    1. deep',
    '',
    '  more',
    '☑ done',
    '☐ to do',
  ])
  expect(shown('9. nine\n9. ten\n\n9. eleven\n1) other', 20)).toEqual([
    '9. nine',
    '10. ten',
    '',
    '11. eleven',
    '1. other',
  ])
  expect(shown('1. a\n   ```\n   x\n   ```\n2. b', 20)).toEqual([
    '1. a',
    '',
    `   ${'─'.repeat(17)}`,
    '   x',
    `   ${'─'.repeat(17)}`,
    '2. b',
  ])
})

test('quotes have a bar', () => {
  expect(shown('> one\n> two **bold**\n>\n> - item\n\nafter')).toEqual(['▌ one two bold', '▌', '▌ • item', '', 'after'])
  expect(span('> one', 'one')?.role).toBe('quote')
})

test('a table is as wide as it must be, and aligned', () => {
  const table = '| Name | Count | What |\n|:--|--:|:-:|\n| a | 1 | x |\n| bc | 20 | `y` |'
  expect(shown(table)).toEqual(['Name │ Count │ What', '─────┼───────┼─────', 'a    │     1 │  x', 'bc   │    20 │  y'])
})

test('columns of a table shrink, and rows that need several lines are parted', () => {
  const table = '| A | Description |\n|---|---|\n| 1 | some words that do not fit |\n| 2 | x |'
  expect(shown(table, 20)).toEqual([
    'A │ Description',
    '──┼─────────────────',
    '1 │ some words that',
    '  │ do not fit',
    '──┼─────────────────',
    '2 │ x',
  ])
})

test('a table that would be too narrow becomes records', () => {
  const table = '| Name | Description |\n|---|---|\n| one | some words |\n| two | other words |'
  expect(shown(table, 15)).toEqual([
    'Name: one',
    'Description:',
    '  some words',
    '',
    'Name: two',
    'Description:',
    '  other words',
  ])
})

test.each([40, 80, 200])('code stands in a frame that suits %i columns', (width) => {
  const long = `x = "${'y'.repeat(width)}"`
  const all = lines(`\`\`\`python title=a\ndef f():\n\treturn 1\n${long}\n\`\`\``, width)
  const [top = '', ...rest] = texts(all)
  const indent = width >= 60 ? '  ' : ''
  expect(top).toMatch(/^── python ─+$/)
  expect(top.length).toBe(Math.min(width, 100))
  expect(rest.slice(0, 2)).toEqual([`${indent}def f():`, `${indent}    return 1`])
  expect(rest[3]).toMatch(/^ *↪ y+"$/)
  expect(rest.at(-1)).toBe('─'.repeat(Math.min(width, 100)))
  expect(all.flat().find(({ text }) => text === 'def')?.role).toBe('keyword')
  for (const line of all) expect(layout.lineWidth(line)).toBeLessThanOrEqual(width)
})

test('HTML is shown as it was written, and nothing that a terminal obeys comes through', () => {
  expect(shown('<div class="a">\n  <b>x</b>\n</div>')).toEqual(['<div class="a">', '  <b>x</b>', '</div>'])
  expect(shown('a\u001b[31mb\u001b]0;t\u0007c&#27;[31md &#x202e; `\u009b1m`')).toEqual(['abcd  ``'])
})

test('no line is wider than it may be, down to one cell, and no control comes through', () => {
  fc.assert(
    fc.property(writing, fc.integer({ min: 2, max: 60 }), (text, width) => {
      for (const line of lines(text, width)) {
        expect(layout.lineWidth(line)).toBeLessThanOrEqual(width)
        for (const each of line) expect(each.text).not.toMatch(/[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/)
        for (const { link } of line) expect(link ?? 'https:').toMatch(/^(?:https?|mailto|file):[^\0-\x20]*$/i)
      }
      expect(() => lines(text, 1)).not.toThrow()
    }),
  )
})
