/** Markdown documents for property tests, each with the words that it says: written down while it is made, not parsed. */
import fc from 'fast-check'

/** A part of a document. `words` are in order; what is said of addresses, and marks of lists but numbers, is left out. */
export interface Written {
  readonly markdown: string
  readonly words: readonly string[]
}

const word: fc.Arbitrary<Written> = fc
  .oneof(
    { weight: 8, arbitrary: fc.constantFrom('one', 'Größe', 'naïve', 'word.', 'really?', '3.14', 'x=1', 'comma,') },
    { weight: 2, arbitrary: fc.constantFrom('漢字', 'かな交じり文。', '한국어', 'ไทย', 'العربية', 'हिन्दी') },
    { weight: 2, arbitrary: fc.constantFrom('👩‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '🇩🇪🇫🇷', 'e\u0301t\u0323\u0301e\u0301', '1️⃣') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('漢'.repeat(90), 'long'.repeat(60), '👩‍👩‍👧‍👦'.repeat(12), 'a\u0301\u0323'.repeat(70)),
    },
  )
  .map((text) => ({ markdown: text, words: [text] }))

/** Characters that mean something: escaped, as references, or as tags that are shown as they are. */
const special: fc.Arbitrary<Written> = fc.constantFrom(
  ...['*', '_', '~', '`', '#', '[', ']', '\\', '<', '&'].map((text) => ({ markdown: `\\${text}`, words: [text] })),
  { markdown: '&amp;', words: ['&'] },
  { markdown: '&lt;tag', words: ['<tag'] },
  { markdown: '&#x1F600;', words: ['😀'] },
  { markdown: 'a & b < c', words: ['a&b<c'] },
  { markdown: 'so <b>bold</b>', words: ['so<b>bold</b>'] },
)
const code: fc.Arbitrary<Written> = fc
  .constantFrom('npm i', 'a<b && c', 'x_y*z', '漢字()', 'v'.repeat(150), '[x](y)')
  .map((text) => ({ markdown: `\`${text}\``, words: [text] }))
const number = fc.integer({ min: 1, max: 99 })

function seq(parts: readonly Written[], between = ' '): Written {
  return { markdown: parts.map(({ markdown }) => markdown).join(between), words: parts.flatMap(({ words }) => words) }
}

function wrapped(inner: Written, before: string, after = before): Written {
  return { markdown: before + inner.markdown + after, words: inner.words }
}

/** Text on one line; each style is used once in a nest. */
function inline(marks: readonly string[], depth: number): fc.Arbitrary<Written> {
  const leaves = [
    { weight: 12, arbitrary: word },
    { weight: 2, arbitrary: special },
    { weight: 2, arbitrary: code },
    {
      weight: 1,
      arbitrary: number.map((n) => ({ markdown: `<https://x.example/${n}>`, words: [`https://x.example/${n}`] })),
    },
  ]
  const text = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => seq(words))
  const links = [
    {
      weight: 1,
      arbitrary: fc.tuple(text, number).map(([each, n]) => wrapped(each, '[', `](https://x.example/${n})`)),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(text, number).map(([each, n]) => wrapped(each, '![', `](https://x.example/${n})`)),
    },
  ]
  const nests = marks.map((mark) => ({
    weight: 2,
    arbitrary: inline(
      marks.filter((other) => other !== mark),
      depth - 1,
    ).map((inner) => wrapped(inner, mark)),
  }))
  const part = depth > 0 ? fc.oneof(...leaves, ...links, ...nests) : fc.oneof(...leaves)
  return fc.array(part, { minLength: 1, maxLength: depth > 1 ? 14 : 5 }).map((parts) => seq(parts))
}

const line = inline(['**', '_', '~~'], 3)
const short = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => seq(words))
const paragraph = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.constantFrom('\n', '\\\n', '  \n'))
  .map(([lines, end]) => seq(lines, end))
const heading = fc
  .tuple(line, fc.integer({ min: 1, max: 6 }))
  .map(([text, level]) => wrapped(text, `${'#'.repeat(level)} `, ''))

const codeLine = fc.constantFrom(
  'const a = 1',
  '  if (a < b) {',
  '',
  '*not* _marks_',
  '漢字 = "👩‍👩‍👧‍👦"',
  'x'.repeat(180),
  '# no heading',
)
const fence = fc
  .tuple(
    fc.array(codeLine, { minLength: 1, maxLength: 12 }),
    fc.constantFrom('', 'js', 'c++', 'text more words'),
    fc.boolean(),
  )
  .map(([lines, info, isNested]) => {
    const text = (isNested ? ['```', ...lines, '```'] : lines).join('\n')
    const mark = isNested ? '~~~~' : '```'
    return { markdown: `${mark}${info}\n${text}\n${mark}`, words: [text] }
  })
const rule: fc.Arbitrary<Written> = fc.constant({ markdown: '---', words: [] })

const table = fc.integer({ min: 1, max: 4 }).chain((columns) => {
  const cell = fc.oneof(short, inline(['**'], 1))
  return fc
    .array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 5 })
    .map(([head = [], ...rows]) => {
      const lines = [head, ...rows].map((cells) => `| ${seq(cells, ' | ').markdown} |`)
      const markdown = [lines[0], `|${' :-: |'.repeat(columns)}`, ...lines.slice(1)].join('\n')
      return { markdown, words: [head, ...rows].flatMap((cells) => seq(cells).words) }
    })
})

/** A list stands behind a paragraph: two lists below each other are one. */
function list(depth: number): fc.Arbitrary<Written> {
  const item =
    depth > 0 ? fc.tuple(line, fc.option(list(depth - 1), { nil: undefined })) : fc.tuple(line, fc.constant(undefined))
  const kind = fc.constantFrom('bullets', 'numbers', 'tasks')
  return fc
    .tuple(short, fc.array(item, { minLength: 1, maxLength: 4 }), kind, number)
    .map(([before, items, shape, start]) => {
      const parts = items.map(([text, inner], at) => listItem(createMark(shape, start, at), text, inner))
      const all = seq(parts, '\n')
      return { markdown: `${before.markdown}\n\n${all.markdown}`, words: [...before.words, ...all.words] }
    })
}

function createMark(shape: string, start: number, at: number): string {
  if (shape === 'numbers') return `${start + at}. `
  return shape === 'tasks' ? `- [${at % 2 ? 'x' : ' '}] ` : '- '
}

function listItem(mark: string, text: Written, inner: Written | undefined): Written {
  const isNumber = /^\d/.test(mark)
  const indent = ' '.repeat(isNumber ? mark.length : 2)
  const below = inner ? `\n\n${inner.markdown.replace(/^(?=.)/gm, indent)}` : ''
  const numbers = isNumber ? [mark.trim()] : []
  return {
    markdown: `${mark}${text.markdown}${below}`,
    words: [...numbers, ...text.words, ...(inner?.words ?? [])],
  }
}

function quote(depth: number): fc.Arbitrary<Written> {
  const inner = depth > 0 ? fc.oneof(paragraph, fence, quote(depth - 1), list(1)) : fc.oneof(paragraph, fence)
  return fc.array(inner, { minLength: 1, maxLength: 3 }).map((parts) => {
    const { markdown, words } = seq(parts, '\n\n')
    return { markdown: markdown.replace(/^/gm, '> '), words }
  })
}

/** Documents of a few blocks of all kinds. */
export const markdownDocuments: fc.Arbitrary<Written> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: paragraph },
      { weight: 1, arbitrary: heading },
      { weight: 2, arbitrary: list(2) },
      { weight: 1, arbitrary: quote(2) },
      { weight: 2, arbitrary: fence },
      { weight: 1, arbitrary: table },
      { weight: 1, arbitrary: rule },
    ),
    { minLength: 1, maxLength: 7 },
  )
  .map((parts) => seq(parts, '\n\n'))
