import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markup } from '../../../../../plugins/messaging/platforms/platform-signal/markup.ts'
import { parseStyled } from '../../../../../plugins/messaging/platforms/platform-signal/styles.ts'

const marked = (marks: readonly [string, string] | undefined, text: string) => `${marks?.[0]}${text}${marks?.[1]}`
const bold = (text: string) => marked(markup.bold, text)
const italic = (text: string) => marked(markup.italic, text)

test('styles become ranges in UTF-16 units beside the bare text', () => {
  expect(parseStyled(`a ${bold('b')} 😀 ${italic('c')}`)).toEqual({
    text: 'a b 😀 c',
    styles: ['2:1:BOLD', '7:1:ITALIC'],
  })
  expect(parseStyled(marked(markup.code, 'x = 1'))).toEqual({ text: 'x = 1', styles: ['0:5:MONOSPACE'] })
  expect(parseStyled(marked(markup.strike, 'no'))).toEqual({ text: 'no', styles: ['0:2:STRIKETHROUGH'] })
})

test('a style stands in another, and the same in itself', () => {
  expect(parseStyled(bold(`a${italic('b')}`))).toEqual({ text: 'ab', styles: ['1:1:ITALIC', '0:2:BOLD'] })
  expect(parseStyled(bold(`a${bold('b')}`)).styles).toEqual(['1:1:BOLD', '0:2:BOLD'])
})

test('a style that is not ended lasts to the end, one that was not begun or is empty is none', () => {
  expect(parseStyled(`a${markup.bold?.[0]}bc`)).toEqual({ text: 'abc', styles: ['1:2:BOLD'] })
  expect(parseStyled(`a${markup.bold?.[1]}bc`)).toEqual({ text: 'abc', styles: [] })
  expect(parseStyled(bold(''))).toEqual({ text: '', styles: [] })
})

test('a block of code keeps its lines and loses its language', () => {
  expect(parseStyled(markup.fence?.('a\n  b', 'python') ?? '')).toEqual({ text: 'a\n  b', styles: ['0:5:MONOSPACE'] })
})

test('whatever people write makes no style, and every range is within its text', () => {
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(text, (words) => {
      expect(parseStyled(markup.escape?.(words) ?? '').styles).toEqual([])
    }),
  )
  const mark = fc.integer({ min: 0xfdd0, max: 0xfdef }).map((code) => String.fromCharCode(code))
  fc.assert(
    fc.property(fc.array(fc.oneof(mark, text)), (parts) => {
      const result = parseStyled(parts.join(''))
      for (const style of result.styles) {
        const [start = 0, length = 0] = style.split(':').map(Number)
        expect(length).toBeGreaterThan(0)
        expect(start + length).toBeLessThanOrEqual(result.text.length)
      }
    }),
  )
})
