import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeTexts } from '../../../../plugins/configuration/yaml-edit/merge.ts'

describe('merging two edits of one text', () => {
  it('takes both when they touch different lines, next to each other too', () => {
    expect(mergeTexts('a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nC\n')).toEqual({ text: 'A\nb\nC\n' })
    expect(mergeTexts('a\nb\n', 'A\nb\n', 'a\nB\n')).toEqual({ text: 'A\nB\n' })
    expect(mergeTexts('a\nb\n', 'a\n', 'a\nb\nc\n')).toEqual({ text: 'a\nc\n' })
  })

  it('takes the same edit once', () => {
    expect(mergeTexts('a\nb\n', 'x\nb\n', 'x\nb\n')).toEqual({ text: 'x\nb\n' })
  })

  it('names the line that both touch', () => {
    expect(mergeTexts('a\nb\nc\n', 'a\nx\nc\n', 'a\ny\nc\n')).toEqual({ conflictLine: 2 })
    expect(mergeTexts('a\n', 'a\nx\n', 'a\ny\n')).toEqual({ conflictLine: 2 })
  })

  it('gives the other side when one side is the base', () => {
    const text = fc.string({ unit: fc.constantFrom('a\n', 'b\n', 'c\r\n', 'd') })
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(mergeTexts(base, base, other)).toEqual({ text: other })
        expect(mergeTexts(base, other, base)).toEqual({ text: other })
        expect(mergeTexts(base, other, other)).toEqual({ text: other })
      }),
    )
  })

  it('keeps every line that neither side touched, in order', () => {
    const numbered = Array.from({ length: 12 }, (_, at) => `line ${at}\n`)
    const edited = (side: string, at: number) =>
      numbered.map((line, index) => (index === at ? `${side}\n` : line)).join('')
    fc.assert(
      fc.property(fc.nat(11), fc.nat(11), (left, right) => {
        const merge = mergeTexts(numbered.join(''), edited('left', left), edited('right', right))
        const lines = left === right ? { conflictLine: left + 1 } : undefined
        const wanted = numbered.map((line, at) => (at === left ? 'left\n' : at === right ? 'right\n' : line)).join('')
        expect(merge).toEqual(lines ?? { text: wanted })
      }),
    )
  })
})
