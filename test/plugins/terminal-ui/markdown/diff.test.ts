import fc from 'fast-check'
import type { StyledLine } from 'svc/sdk/terminal'
import { expect, test } from 'vitest'
import { diffLines } from '../../../../plugins/terminal-ui/markdown/diff.ts'
import { textLayout } from '../../../../plugins/terminal-ui/typography/layout.ts'

const layout = textLayout()
const texts = (all: readonly StyledLine[]) =>
  all.map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  )
const diff = `diff --git a/x b/x
--- a/x
+++ b/x
@@ -8,4 +8,4 @@ function x
 same
-const one = 1
+const one = 2
--- a comment
 end
\\ No newline at end of file
`

test('numbers stand before the lines where there is room', () => {
  expect(texts(diffLines(diff, 40, layout)).slice(3)).toEqual([
    '@@ -8,4 +8,4 @@ function x',
    '  same',
    '- const one = 1',
    '+ const one = 2',
    '- -- a comment',
    '  end',
    '\\ No newline at end of file',
  ])
  expect(texts(diffLines(diff, 60, layout)).slice(4, 9)).toEqual([
    ' 8   same',
    ' 9 - const one = 1',
    ' 9 + const one = 2',
    '10 - -- a comment',
    '10   end',
  ])
  expect(texts(diffLines(diff, 100, layout)).slice(4, 9)).toEqual([
    ' 8  8   same',
    ' 9    - const one = 1',
    '    9 + const one = 2',
    '10    - -- a comment',
    '11 10   end',
  ])
})

test('roles tell what was added and removed, and the words that changed are marked', () => {
  const lines = diffLines(diff, 40, layout)
  expect(lines.map((line) => line[0]?.role).slice(0, 5)).toEqual(['title', 'title', 'title', 'accent', 'text'])
  expect(lines[5]).toEqual([
    { text: '- ', role: 'removed' },
    { text: 'const one = ', role: 'removed' },
    { text: '1', role: 'removed', bold: true, underline: true },
  ])
  expect(lines[6]?.at(-1)).toEqual({ text: '2', role: 'added', bold: true, underline: true })
  expect(lines[7]).toEqual([
    { text: '- ', role: 'removed' },
    { text: '-- a comment', role: 'removed' },
  ])
})

test('lines that have nothing in common are not compared', () => {
  const lines = diffLines('@@ -1 +1 @@\n-one two three\n+something else\n', 40, layout)
  expect(lines.flat().some(({ bold }) => bold)).toBe(false)
})

test('a diff without hunks, and one that was cut off, are shown as they are', () => {
  expect(texts(diffLines('-a\n+b\n c', 60, layout))).toEqual(['  - a', '  + b', '    c'].map((line) => line.slice(0)))
  expect(texts(diffLines('@@ -1,9 +1,9 @@\n-a\ndiff --git a/y b/y', 40, layout))).toEqual([
    '@@ -1,9 +1,9 @@',
    '- a',
    'diff --git a/y b/y',
  ])
})

test('every character is there, no line is too wide, and no control comes through', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('+', '-', ' '), line)),
      fc.integer({ min: 2, max: 120 }),
      (rows, width) => {
        const text = rows.map(([sign, words]) => sign + layout.clean(words).replaceAll('\n', '')).join('\n')
        const lines = diffLines(`@@ -1,99 +1,99 @@\n${text}\u001b[2J`, width, layout)
        for (const each of lines) expect(layout.lineWidth(each)).toBeLessThanOrEqual(width)
        const kept = lines
          .flat()
          .map((span) => span.text)
          .join('')
          .replace(/[\s↪\d]/g, '')
        for (const [, words] of rows) {
          const own = layout.clean(words).replace(/[\s↪\d]/g, '')
          if (own.length < 3) expect(kept).toContain(own)
        }
        expect(kept).not.toMatch(/\u001b/)
      },
    ),
  )
})
