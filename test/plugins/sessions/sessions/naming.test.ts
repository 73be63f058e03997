import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTitle, sessionId } from '../../../../plugins/sessions/sessions/naming.ts'

describe('the id of a session', () => {
  it('is its local day and time and six random digits', () => {
    const random = { next: () => 0, uuid: () => '', hex: (bytes: number) => 'abcdef'.slice(0, bytes * 2) }
    expect(sessionId(new Date(2026, 2, 4, 5, 6, 7).getTime(), random)).toBe('20260304_050607_abcdef')
  })
})

describe('a title', () => {
  it('is the first line with something on it', () => {
    expect(createTitle('\r\n\t fix it \r\nplease')).toBe('fix it')
    expect(createTitle(' \n\n ')).toBeUndefined()
  })

  it('holds nothing that a terminal would obey or a database could not keep', () => {
    expect(createTitle('a\u001b[31mb\0c\ud800d')).toBe('a [31mb c d')
  })

  it('is at most 80 characters long, never cuts one in half, and is a title itself', () => {
    const unit = fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0xd7f0, max: 0xe010 }))
    const anyText = fc.array(unit, { maxLength: 200 }).map((units) => String.fromCharCode(...units))
    fc.assert(
      fc.property(anyText, (text) => {
        const title = createTitle(text)
        if (title === undefined) return
        expect([...title].length).toBeLessThanOrEqual(80)
        expect(createTitle(title)).toBe(title)
      }),
    )
    expect(createTitle('\u{1f600}'.repeat(100))).toBe('\u{1f600}'.repeat(80))
  })
})
