import type { StyledLine } from 'svc/sdk/terminal'
import { expect, test } from 'vitest'
import { MAX_CODE, MAX_TEXT, type Part, Splitter } from '../../../../plugins/terminal-ui/markdown/split-growing-text.ts'
import { Stream } from '../../../../plugins/terminal-ui/markdown/stream.ts'
import { parsePart } from '../../../../plugins/terminal-ui/markdown/text-parts.ts'
import { textLayout } from '../../../../plugins/terminal-ui/typography/layout.ts'

const layout = textLayout()
const parts = (text: string): readonly Part[] => {
  const splitter = new Splitter(() => true)
  return [...splitter.push(text), ...splitter.end()]
}
const kinds = (text: string) => parts(text).map(({ kind, text: own }) => `${kind}: ${own}`)

test('a text is cut where blocks end', () => {
  expect(kinds('# a\nb\nc\n\n- d\n  e\n\n  f\n- g\n> h\n> i\n***\nj\n---\nk')).toEqual([
    'heading: # a',
    'text: b\nc',
    'item: - d\n  e\n\n  f',
    'item: - g',
    'quote: > h\n> i',
    'rule: ***',
    'text: j\n---',
    'text: k',
  ])
})

test('a number below a paragraph begins no list, unless it is the first', () => {
  expect(kinds('in\n2024. It\n1. is')).toEqual(['text: in\n2024. It', 'item: 1. is'])
  expect(parts('3. a\n3. b\n3) c').map(({ number }) => number)).toEqual([3, 4, 3])
})

test('blocks of code end with their own fence only', () => {
  expect(kinds('````md\n```\n- a\n\n```\n````\nafter')).toEqual([
    'fence: ',
    'code: ```\n- a\n\n```\n',
    'fence-end: ',
    'text: after',
  ])
  expect(kinds('~~~\na')).toEqual(['fence: ', 'code: a\n', 'fence-end: '])
  expect(kinds('``` a`b')).toEqual(['text: ``` a`b'])
})

test('the head of a table is the line above the one that rules it', () => {
  const [text, table, after] = parts('above\n| a | b |\n|---|---|\n| c | d |\n\nafter')
  expect([text?.text, after?.text]).toEqual(['above', 'after'])
  expect(table).toMatchObject({ kind: 'table', head: '| a | b |\n|---|---|\n', text: '| c | d |', gap: true })
  expect(kinds('| a | b |\n|---|')).toEqual(['text: | a | b |\n|---|'])
})

test('all rows of a long table have the columns of the first ones', () => {
  const rows = Array.from({ length: 120 }, (_, row) => `| ${row} | ${'x'.repeat(row)} |\n`)
  const all = parts(`| a | b |\n|---|---|\n${rows.join('')}`)
  expect(all).toHaveLength(3)
  expect(all.map(({ sample }) => sample?.length)).toEqual([undefined, all[1]?.sample?.length, all[1]?.sample?.length])
  const stream = new Stream(layout)
  stream.append(`| a | b |\n|---|---|\n${rows.join('')}`)
  stream.end()
  const lines = stream.lines(80)
  const bars = lines.map((line: StyledLine) =>
    line
      .map(({ text }) => text)
      .join('')
      .search(/[│┼]/),
  )
  expect(new Set(bars)).toEqual(new Set([3]))
})

test('rows that are all the same have one head', () => {
  const stream = new Stream(layout)
  stream.append(`| head |\n|---|\n${'| cell |\n'.repeat(200)}`)
  stream.end()
  expect(
    stream
      .lines(40)
      .flat()
      .filter(({ text }) => text === 'head'),
  ).toHaveLength(1)
  expect(stream.lines(40)).toHaveLength(202)
})

test('long code is cut where nothing is open', () => {
  const comment = `/*\n${'words\n'.repeat(300)}*/\n`
  const code = `${'let a = 1\n'.repeat(180)}${comment}${'let b = 2\n'.repeat(180)}`
  const stream = new Stream(layout)
  stream.append(`\`\`\`js\n${code}`)
  stream.end()
  const spans = stream.lines(80).flat()
  for (const { text, role } of spans) {
    if (text.includes('words')) expect(role).toBe('comment')
    if (text.includes('let')) expect(role).toBe('keyword')
  }
  expect(spans.filter(({ text }) => text.includes('words'))).toHaveLength(300)
})

/** So much of one kind in pieces of a few characters, drawn now and then; how many characters were parsed. */
function parsed(
  unit: string,
  size: number,
  before = '',
): { readonly parsed: number; readonly longest: number; readonly length: number } {
  const text = before + unit.repeat(Math.ceil(size / unit.length))
  const counts = { parsed: 0, longest: 0, length: text.length }
  const stream = new Stream(layout, (part, links, ports) => {
    counts.parsed += part.text.length
    counts.longest = Math.max(counts.longest, part.text.length)
    return parsePart(part, links, ports)
  })
  const step = 50
  for (let at = 0, index = 0; at < text.length; at += step, index++) {
    stream.append(text.slice(at, at + step))
    if (index % EVERY === 0) stream.lines(80)
  }
  stream.end()
  expect(stream.lines(80).length).toBeGreaterThan(0)
  return counts
}

const EVERY = 100

test.each([
  ['paragraphs', 'A paragraph of **some** words, as they are written.\n\n'.repeat(3), ''],
  ['one paragraph of many lines', 'words and words that never end\n', ''],
  ['one line', 'words and words ', ''],
  ['one word', 'x', ''],
  ['a list', '- item with `code`\n', ''],
  ['an item that never ends', '  more of it\n', '- item\n'],
  ['a quote', '> quoted words\n', ''],
  ['code', 'const a = 1\n', '```ts\n'],
  ['code that is one comment', 'words in a comment\n', '```c\n/*\n'],
  ['a table', '| one | two |\n', '| a | b |\n|---|---|\n'],
  ['marks', '**_`[', ''],
])('of %s what is finished is parsed once, however much it becomes', (_, unit, before) => {
  const { parsed: cost, longest, length } = parsed(unit, 100_000, before)
  const pictures = Math.ceil(length / 50 / EVERY)
  expect(cost).toBeLessThanOrEqual(length + pictures * (MAX_CODE + MAX_TEXT))
  expect(longest).toBeLessThanOrEqual(MAX_CODE + MAX_TEXT)
})
