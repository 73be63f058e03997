import fc from 'fast-check'
import type { Frame, Theme, ThemeColor } from 'svc/sdk/terminal'
import { describe, expect, test } from 'vitest'
import type { ColorCount } from '../../../../plugins/terminal-ui/tui-screen/colors.ts'
import { Glyphs } from '../../../../plugins/terminal-ui/tui-screen/glyphs.ts'
import { Painter } from '../../../../plugins/terminal-ui/tui-screen/painter.ts'
import { cpuMs } from '../../../support/cpu-time.ts'
import { Emulator } from './emulator.ts'
import { anyPicture, layout, skin } from './support.ts'

const painter = (colors: ColorCount = 16777216, look: Theme = skin) => new Painter(new Glyphs(layout), colors, look)
const picture = (...lines: string[]): Frame => ({ lines: lines.map((text) => [{ text }]) })

/** What is seen, and what was written, after the pictures. */
function shown(pictures: readonly Frame[], columns: number, rows: number, clusters?: 'joined' | 'apart') {
  const terminal = new Emulator(layout, columns, rows, clusters)
  const paint = painter()
  for (const each of pictures) terminal.write(paint.paint(each, columns, rows))
  return terminal
}

describe('what the terminal shows', () => {
  test('is the last picture as if it were the only one, however the terminal draws clusters', () => {
    const sequence = fc
      .tuple(fc.integer({ min: 1, max: 24 }), fc.integer({ min: 1, max: 6 }))
      .chain(([columns, rows]) =>
        fc.record({
          columns: fc.constant(columns),
          rows: fc.constant(rows),
          pictures: fc.array(anyPicture(rows + 1), { minLength: 1, maxLength: 5 }),
        }),
      )
    fc.assert(
      fc.property(sequence, fc.constantFrom('joined', 'apart'), ({ columns, rows, pictures }, clusters) => {
        const grown = shown(pictures, columns, rows, clusters)
        const fresh = shown(pictures.slice(-1), columns, rows, clusters)
        if (clusters === 'joined') {
          expect(grown.cells()).toEqual(fresh.cells())
          if (fresh.modes.has('?25')) expect([grown.row, grown.column]).toEqual([fresh.row, fresh.column])
        } else expect(sureCells(grown, pictures.at(-1))).toEqual(sureCells(fresh, pictures.at(-1)))
        expect(grown.modes).toEqual(fresh.modes)
      }),
      { numRuns: 400 },
    )
  })

  test('is the text of the lines, cut at the edge, with no wide character in halves', () => {
    fc.assert(
      fc.property(anyPicture(4), fc.integer({ min: 1, max: 30 }), (any, columns) => {
        const terminal = shown([any], columns, 4)
        const expected = Array.from({ length: 4 }, (_, row) => fitted(any, row, columns))
        expect(terminal.text()).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  test('has every kind of character in its column', () => {
    const words = ['中文', '👨‍👩‍👧', '🇩🇪', 'e\u0301', 'שָׁל', '❤️', '한']
    const terminal = shown([picture(...words.map((word) => `${word}|`))], 10, words.length)
    const columns = words.map((_, row) =>
      [...Array(10).keys()].find((column) => terminal.cell(row, column)?.text === '|'),
    )
    expect(columns).toEqual([4, 2, 2, 1, 2, 2, 2])
  })

  test('leaves nothing behind of an emoji that an old terminal draws in pieces', () => {
    const next = shown([picture('xx abcdefghij'), picture('👨‍👩‍👧‍👦 abcdefghij')], 16, 1, 'apart')
    expect(next.text()[0]?.endsWith(' abcdefghij   ')).toBe(true)
    const after = shown([picture('👨‍👩‍👧‍👦 abcdefghij'), picture('xx abcXefghij')], 16, 1, 'apart')
    expect(after.text()).toEqual(['xx abcXefghij   '])
  })

  test('executes nothing that stands in a text', () => {
    const terminal = shown([picture('a\x1b[31mb\x07c\r\nd\u009b2Je')], 12, 1)
    expect(terminal.text()).toEqual(['a[31mbcd2Je '])
    expect(terminal.bells).toBe(0)
  })
})

describe('what is written', () => {
  test('is nothing for the same picture, and little for a little change', () => {
    const paint = painter()
    const lines = Array.from({ length: 50 }, (_, row) => [{ text: `row ${row} ${'.'.repeat(180)}` }])
    paint.paint({ lines }, 200, 50)
    expect(paint.paint({ lines: lines.map((line) => line.map((span) => ({ ...span }))) }, 200, 50)).toBe('')
    const changed = lines.map((line, row) => (row === 7 ? [{ text: `row 7 !${'.'.repeat(179)}` }] : line))
    expect(paint.paint({ lines: changed }, 200, 50)).toBe(
      '\x1b[?2026h\x1b[8;7H\x1b[0;38;2;192;192;192m!\x1b[m\x1b[?2026l',
    )
  })

  test('hides the cursor while it draws and puts it where the picture has it', () => {
    const paint = painter()
    const at = (row: number, column: number) => ({ ...picture('one', 'two'), cursor: { row, column } })
    paint.paint(at(0, 0), 10, 2)
    expect(paint.paint(at(1, 3), 10, 2)).toBe('\x1b[2;4H\x1b[?25h')
    expect(paint.paint(at(1, 3), 10, 2)).toBe('')
    expect(paint.paint(picture('one', 'two'), 10, 2)).toBe('\x1b[?25l')
    expect(paint.paint({ ...picture('one', 'six'), cursor: { row: 99, column: 99 } }, 10, 2)).toMatch(
      /\x1b\[2;10H\x1b\[\?25h/,
    )
  })

  test('is everything after the screen was forgotten, or has another size', () => {
    const paint = painter()
    const first = paint.paint(picture('one'), 10, 2)
    expect(paint.paint(picture('one'), 10, 2)).toBe('')
    paint.forget()
    expect(paint.paint(picture('one'), 10, 2)).toBe(first)
    expect(paint.paint(picture('one'), 11, 2)).toContain('one')
  })

  test('erases the end of a row rather than writing blanks', () => {
    const paint = painter()
    paint.paint(picture('x'.repeat(150)), 200, 1)
    expect(paint.paint(picture('x'), 200, 1)).toBe('\x1b[?2026h\x1b[1;2H\x1b[K\x1b[?2026l')
  })

  test('puts the cursor after what terminals may not draw as wide as it is', () => {
    const paint = painter()
    expect(paint.paint(picture('中文a'), 5, 1)).toContain('中文a')
    expect(paint.paint(picture('👍🏽a'), 5, 1)).toMatch(/\x1b\[2X👍🏽\x1b\[1;3Ha/u)
  })
})

describe('colours', () => {
  const look = (role: ThemeColor, colors: ColorCount) =>
    painter(colors)
      .paint({ lines: [[{ text: 'x', role, italic: true }]] }, 1, 1)
      .match(/\x1b\[0;([\d;]*)m/)?.[1]

  test.for([
    [16777216, '3;38;2;0;0;0;48;2;136;204;255'],
    [256, '3;38;5;16;48;5;117'],
    [16, '3;30;47'],
    [0, '7'],
  ] as const)('of a terminal with %i of them', ([colors, codes]) => {
    expect(look('selected', colors)).toBe(codes)
  })

  test('without any, bold, underline and inverse are all there is', () => {
    expect(look('error', 0)).toBe('4')
    expect(look('title', 0)).toBe('1')
    expect(look('dim', 0)).toBeUndefined()
  })

  test('change with the skin, and then everything is written again', () => {
    const paint = painter()
    paint.paint(picture('one'), 3, 1)
    paint.look({ ...skin, colors: { ...skin.colors, text: { color: '#010203' } } })
    expect(paint.paint(picture('one'), 3, 1)).toContain('\x1b[0;38;2;1;2;3mone')
  })

  test('a link cannot end the sequence it stands in, and what is no address is none', () => {
    const link = (address: string) => painter().paint({ lines: [[{ text: 'x', link: address }]] }, 1, 1)
    expect(link('https://a.example/\x1b\\\x07 ü')).toContain(';https://a.example/%1B\\%07%20%C3%BC\x1b\\')
    expect(link('no address')).not.toContain('\x1b]8')
    expect(link(`https://${'a'.repeat(3000)}`)).not.toContain('\x1b]8')
  })
})

test('a frame costs what its cells cost: forty pictures of 200 by 50 in far less than a second', () => {
  const paint = painter()
  const text = (row: number, frame: number) => `${'lorem ipsum 中文 '.repeat(13)}${row + frame}`
  const took = cpuMs(() => {
    for (let frame = 0; frame < 40; frame++)
      paint.paint({ lines: Array.from({ length: 50 }, (_, row) => [{ text: text(row, frame) }]) }, 200, 50)
  })
  expect(took / 40).toBeLessThan(20)
})

/** The line as cells of text, by the widths alone. */
function fitted({ lines }: Frame, row: number, columns: number): string {
  let text = ''
  let width = 0
  for (const { text: piece } of lines[row] ?? [])
    for (const grapheme of layout.graphemes(piece)) {
      const cells = layout.width(grapheme)
      if (cells === 0 || /\p{Cc}/u.test(grapheme)) continue
      if (width + cells > columns) return text + ' '.repeat(columns - width)
      text += grapheme
      width += cells
    }
  return text + ' '.repeat(columns - width)
}

/** The cells of rows without clusters, whose place an old terminal cannot get wrong. */
function sureCells(terminal: Emulator, last: Frame | undefined): (string | undefined)[] {
  return terminal.cells().map((row, index) => {
    const text = (last?.lines[index] ?? []).map((span) => span.text).join('')
    return layout.graphemes(text).every((grapheme) => [...grapheme].length === 1) ? row : undefined
  })
}
