import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Editor } from '../../../../plugins/terminal-ui/tui-composer/editor.ts'
import { layout } from './composer-stage.ts'

const press = (editor: Editor, ...keys: readonly string[]) => keys.map((key) => editor.key(key))

function createEditor(text: string): Editor {
  const editor = new Editor(layout)
  editor.insert(text)
  return editor
}

const pieces = fc.constantFrom(
  'a',
  'word ',
  ' ',
  '\n',
  'é',
  'e\u0301',
  '\u0301',
  '漢',
  '👩‍👩‍👧',
  '🇩🇪',
  '🇩',
  '\t',
  '\u001b[31m',
  'ש',
)
const action = fc.oneof(
  pieces.map((text) => (editor: Editor) => editor.insert(text, 'typed')),
  fc
    .constantFrom(
      ...['left', 'right', 'home', 'end', 'M-b', 'M-f', 'backspace', 'delete', 'C-w', 'M-backspace', 'M-d'],
      ...['C-u', 'C-k', 'C-y', 'M-y', 'C-_', 'M-z', 'C-j'],
    )
    .map((key) => (editor: Editor) => editor.key(key)),
  fc.constantFrom(-1 as const, 1 as const).map((rows) => (editor: Editor) => editor.move(rows)),
  fc.constant((editor: Editor) => editor.insert({ label: '[Pasted text #1: 9 lines]', text: 'x\ny' })),
)

describe('whatever is done', () => {
  test('the cursor stands in the picture and no row is wider than the room', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (actions, width) => {
        const editor = new Editor(layout)
        for (const act of actions) {
          act(editor)
          const { lines, cursor } = editor.view({ width, rows: 5 })
          expect(lines.length).toBeLessThanOrEqual(5)
          expect(cursor.row).toBeGreaterThanOrEqual(0)
          expect(cursor.row).toBeLessThan(lines.length)
          expect(cursor.column).toBeLessThan(width)
          for (const line of lines) expect(layout.lineWidth(line)).toBeLessThanOrEqual(width)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('undoing all of it ends in nothing, and doing it again in the same text', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const editor = new Editor(layout)
        for (const act of actions) act(editor)
        pressAll(editor, 'M-z')
        const { text } = editor
        pressAll(editor, 'C-_')
        expect(editor.text).toBe('')
        pressAll(editor, 'M-z')
        expect(editor.text).toBe(text)
      }),
      { numRuns: 60 },
    )
  })

  test('units are what the layout calls characters, wherever text was put together', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const editor = new Editor(layout)
        for (const part of parts.filter((each) => !each.includes('🇩'))) editor.insert(part)
        const whole = parts.filter((each) => !each.includes('🇩')).join('')
        expect(editor.text).toBe(whole)
        expect(editor.state.lines).toEqual(whole.split('\n').map((line) => layout.graphemes(line)))
      }),
    )
  })
})

/** Presses the key until nothing happens. */
function pressAll(editor: Editor, key: string): void {
  for (let before: unknown; before !== editor.state; editor.key(key)) before = editor.state
}

test('the text and what stands before the cursor show folds by their labels', () => {
  const editor = createEditor('see ')
  editor.insert({ label: '[P]', text: 'long\ntext' })
  editor.insert(' now')
  expect([editor.text, editor.shown, editor.before]).toEqual(['see long\ntext now', 'see [P] now', 'see [P] now'])
  press(editor, 'M-b', 'left', 'backspace')
  expect(editor.text).toBe('see  now')
  press(editor, 'C-_')
  expect(editor.folds).toHaveLength(1)
})

test('rows break at words where they can, and within a word only when it is longer than a row', () => {
  const rows = (text: string, width: number) =>
    createEditor(text)
      .view({ width, rows: 20 })
      .lines.map((line) => line.map((span) => span.text).join(''))
  expect(rows('the quick brown fox', 10)).toEqual(['the quick ', 'brown fox'])
  expect(rows('exactly10! more', 10)).toEqual(['exactly10!', 'more'])
  expect(rows('a-very-long-word x', 8)).toEqual(['a-very-l', 'ong-word', 'x'])
  expect(rows('漢字漢字漢字', 5)).toEqual(['漢字', '漢字', '漢字'])
})

test('a fold is one step for the cursor, although it takes several rows', () => {
  const editor = new Editor(layout)
  editor.insert({ label: '[Pasted text #1: 120 lines]', text: 'x' })
  expect(editor.view({ width: 10, rows: 8 })).toMatchObject({ lines: { length: 3 }, cursor: { row: 2, column: 7 } })
  press(editor, 'left')
  expect(editor.view({ width: 10, rows: 8 }).cursor).toEqual({ row: 0, column: 0 })
  expect([editor.move(1), editor.isAtEnd, editor.move(1)]).toEqual([true, true, false])
  expect([editor.move(-1), editor.before]).toEqual([true, ''])
})

test('words are jumped over and killed, and come back with C-y', () => {
  const editor = createEditor('one two-three  four')
  press(editor, 'M-b', 'M-b')
  expect(editor.before).toBe('one two-')
  press(editor, 'C-w')
  expect(editor.text).toBe('one three  four')
  press(editor, 'M-d', 'M-d')
  expect(editor.text).toBe('one ')
  press(editor, 'C-y')
  expect(editor.text).toBe('one two-three  four')
  expect(editor.isAtEnd).toBe(true)
})

test('what was killed in one go comes back as one, older kills with M-y', () => {
  const editor = createEditor('first\nsecond')
  press(editor, 'C-u', 'C-u', 'C-u')
  expect(editor.isEmpty).toBe(true)
  editor.insert('third')
  press(editor, 'C-w', 'C-y')
  expect(editor.text).toBe('third')
  press(editor, 'M-y')
  expect(editor.text).toBe('first\nsecond')
  press(editor, 'M-y')
  expect(editor.text).toBe('third')
})

test('C-k takes the rest of the line, and at its end the line break', () => {
  const editor = createEditor('ab\ncd')
  press(editor, 'C-home', 'right', 'C-k')
  expect(editor.text).toBe('a\ncd')
  press(editor, 'C-k')
  expect(editor.text).toBe('acd')
})

test('up and down go by rows and keep the column over shorter ones', () => {
  const editor = createEditor('123456789012\nx\n1234567890')
  editor.height(8)
  press(editor, 'left', 'left', 'left', 'left')
  expect(editor.before).toMatch(/\n123456$/)
  const columns = [1, 2, 3].map(() => {
    editor.move(-1)
    return editor.view({ width: 8, rows: 8 }).cursor
  })
  expect(columns).toEqual([
    { row: 2, column: 1 },
    { row: 1, column: 4 },
    { row: 0, column: 6 },
  ])
  expect(editor.move(-1)).toBe(false)
})

test('letters that are typed in one go are undone in one step, an edit between them makes two', () => {
  const editor = new Editor(layout)
  for (const letter of 'abc') editor.insert(letter, 'typed')
  press(editor, 'left')
  for (const letter of 'xy') editor.insert(letter, 'typed')
  expect(editor.text).toBe('abxyc')
  press(editor, 'C-_')
  expect(editor.text).toBe('abc')
  press(editor, 'C-_')
  expect(editor.text).toBe('')
  press(editor, 'M-z', 'M-z')
  expect(editor.text).toBe('abxyc')
})

test('an accent that arrives late joins its letter, and one backspace removes both', () => {
  const editor = createEditor('e')
  editor.insert('\u0301', 'typed')
  press(editor, 'backspace')
  expect(editor.text).toBe('')
})

test('all kinds of line ends become one, controls stay in the text and are shown harmless', () => {
  const editor = createEditor('a\r\nb\rc\u2028d\u001b[2J')
  expect(editor.text).toBe('a\nb\nc\nd\u001b[2J')
  const shown = editor.view({ width: 20, rows: 8 }).lines.map((line) => line.map(({ text }) => text).join(''))
  expect(shown).toEqual(['a', 'b', 'c', 'd␛[2J'])
})

test('a key costs what its line costs, not what the whole text does', () => {
  const editor = createEditor('some words of a line\n'.repeat(20_000))
  editor.view({ width: 60, rows: 8 })
  const { lines } = editor.state
  editor.insert('x', 'typed')
  const again = editor.state.lines
  expect(again.filter((line, index) => line !== lines[index])).toHaveLength(1)
})
