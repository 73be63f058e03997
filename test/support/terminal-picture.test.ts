import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getShape } from './docs/drawn-characters.ts'
import { terminalCells } from './docs/terminal-cells.ts'
import { terminalPicture } from './docs/terminal-picture.ts'

function getLastStyle(capture: string) {
  return terminalCells(capture, 80)[0]?.at(-1)?.style
}

function picture(
  capture: string,
  more: { columns?: number; rows?: number; cursor?: { row: number; column: number } } = {},
) {
  return terminalPicture({ capture, columns: 20, rows: 3, title: 'a title', description: 'a <screen>', ...more })
}

/** Texts with the places where they stand. */
function texts(svg: string) {
  return [...svg.matchAll(/<text[^>]* x="([0-9.]+)" y="([0-9.]+)"(?: textLength="([0-9.]+)")?>([^<]*)<\/text>/g)]
    .filter(([, , y]) => y !== '21')
    .map(([, x, , length, text]) => ({ text, x: Number(x), ...(length ? { length: Number(length) } : {}) }))
}

test.for([
  ['\x1b[38;2;1;2;255mx', { color: '#0102ff' }],
  ['\x1b[38:2::1:2:255mx', { color: '#0102ff' }],
  ['\x1b[48;2;16;32;48mx', { background: '#102030' }],
  ['\x1b[38;5;196mx', { color: '#ff0000' }],
  ['\x1b[48;5;244mx', { background: '#808080' }],
  ['\x1b[1;2;3;4;7;9mx', { bold: true, dim: true, italic: true, underline: true, inverse: true, strike: true }],
  ['\x1b[38;2;1;2;3;1mx', { color: '#010203', bold: true }],
  ['\x1b[31;42m\x1b[39;49mx', {}],
  ['\x1b[1;31m\x1b[mx', {}],
  ['\x1b[1;31m\x1b[0mx', {}],
] as const)('a cell after %j looks as the terminal was told', ([capture, style]) => {
  expect(getLastStyle(capture)).toEqual(style)
})

test('the sixteen colours are those of the palette, the bright ones brighter', () => {
  const plain = getLastStyle('\x1b[31mx')?.color
  const bright = getLastStyle('\x1b[91mx')?.color
  expect(plain).toMatch(/^#[0-9a-f]{6}$/)
  expect(bright).not.toBe(plain)
  expect(getLastStyle('\x1b[38;5;1mx')?.color).toBe(plain)
  expect(getLastStyle('\x1b[101mx')?.background).toBe(bright)
})

test('a look holds over the end of a line until it is taken back', () => {
  const [first, second] = terminalCells('\x1b[1ma\nb\x1b[22mc', 80)
  expect(first?.[0]?.style.bold).toBe(true)
  expect(second?.map(({ style }) => style.bold === true)).toEqual([true, false])
})

test('a link and sequences that are not about looks leave only their text', () => {
  const capture = 'a\x1b]8;id=1;https://example.org/x\x1b\\b\x1b]8;;\x07c\x1b[2Jd\x1b(Be'
  expect(terminalCells(capture, 80)[0]?.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('wide characters take two cells, marks and what is joined none of their own', () => {
  const cells = terminalCells('a京e\u0301👩‍🚀b', 80)[0] ?? []
  expect(cells.map(({ text, column, width }) => [text, column, width])).toEqual([
    ['a', 0, 1],
    ['京', 1, 2],
    ['e\u0301', 3, 1],
    ['👩‍🚀', 4, 2],
    ['b', 6, 1],
  ])
})

test('what is beyond the last column or the last row is not on the picture', () => {
  expect(terminalCells('abc京', 4)[0]?.map(({ text }) => text)).toEqual(['a', 'b', 'c'])
  expect(texts(picture('one\ntwo\nthree\nfour')).map(({ text }) => text)).toEqual(['one', 'two', 'three'])
})

test('words stand at their cells and are as long as their cells in every font', () => {
  const width = (texts(picture('ab'))[0]?.length ?? 0) / 2
  const start = texts(picture('ab'))[0]?.x ?? 0
  const [first, second] = texts(picture('two words   end'))
  expect(first).toMatchObject({ text: 'two words', x: start })
  expect(first?.length).toBeCloseTo(9 * width)
  expect(second?.text).toBe('end')
  expect(second?.x).toBeCloseTo(start + 12 * width)
})

test('a wide character stands in the middle of its two cells and moves nothing after it', () => {
  const [wide, after] = texts(picture('京ab'))
  const [, plain] = texts(picture('x  ab'))
  expect(wide?.text).toBe('京')
  expect((after?.x ?? 0) - (wide?.x ?? 0)).toBeCloseTo((after?.length ?? 0) / 2)
  expect(plain?.x).toBeGreaterThan(after?.x ?? 0)
})

test('an inverse cell swaps its colours', () => {
  const svg = picture('\x1b[7;38;2;1;2;3;48;2;4;5;6mx')
  expect(svg).toContain('{fill:#010203}')
  expect(svg).toContain('{fill:#040506}')
  const behind = svg.indexOf('<path')
  expect(svg.slice(behind, svg.indexOf('/>', behind))).toContain(`class="${/\.(\w+)\{fill:#010203\}/.exec(svg)?.[1]}"`)
})

test('the background of blanks is painted, too', () => {
  expect(picture('\x1b[44m   \x1b[0m')).toMatch(/<path class="s0" d="M12 32h25\.2v18H12z"\/>/)
})

test('frames and bars are drawn and not written', () => {
  const svg = picture('╭──╮\n│ab│\n╰█░╯')
  expect(texts(svg).map(({ text }) => text)).toEqual(['ab'])
  const place = { x: 0, y: 0, width: 8, height: 16 }
  expect(getShape('─', { ...place, width: 80 })?.path).toBe('M0 8h80')
  expect(getShape('┘', place)?.path).toBe('M4 8v-8M4 8h-4')
  expect(getShape('╭', place)?.path).toBe('M4 16Q4 8 8 8')
  expect(getShape('▂', place)?.path).toBe('M0 12h8v4h-8z')
  expect(getShape('▌', place)?.path).toBe('M0 0h4v16h-4z')
  expect(getShape('░', place)?.opacity).toBeLessThan(getShape('▓', place)?.opacity ?? 0)
  expect(getShape('a', place)).toBeUndefined()
})

test('the cursor is on the picture unless it is hidden', () => {
  expect(picture('x')).not.toContain('<path class="c"')
  expect(picture('x', { cursor: { row: 1, column: 2 } })).toContain('<path class="c" d="M28.8 50h')
})

test('text that looks like markup stays text', () => {
  const svg = picture('<script>&"')
  expect(svg).toContain('&lt;script&gt;&amp;&quot;')
  expect(svg).toContain('<title>a &lt;screen&gt;</title>')
  expect(svg).not.toContain('<script')
})

test('whatever is on the screen, the picture is closed, without scripts or addresses, and the same each time', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom(
      '\x1b[1m',
      '\x1b[38;2;9;8;7m',
      '\x1b[48;5;200m',
      '\x1b[7m',
      '\x1b[0m',
      '\x1b[38;5m',
      '\x1b',
      '│─┼',
      '\n',
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const svg = picture(pieces.join(''))
      expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/)
      expect(svg).not.toMatch(/<script|<foreignObject|href=|NaN|undefined|[\x00-\x09\x0b-\x1f]/)
      expect(svg.match(/<text/g)?.length ?? 0).toBe(svg.match(/<\/text>/g)?.length ?? 0)
      expect(picture(pieces.join(''))).toBe(svg)
    }),
  )
})
