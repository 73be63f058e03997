import fc from 'fast-check'
import { formatPath, parsePath, valueAt } from 'svc/sdk'
import { describe, expect, it } from 'vitest'

describe('dotted paths', () => {
  it('come back as they were typed, quotes only where a key needs them', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, unit: 'binary' }), { minLength: 1 }), (keys) => {
        expect(parsePath(formatPath(keys))).toEqual(keys)
      }),
    )
    expect(parsePath('a."b.c".0')).toEqual(['a', 'b.c', '0'])
    expect(formatPath(['a', 'b.c', '0'])).toBe('a."b.c".0')
  })

  it.each(['', '.', 'a.', '.a', 'a..b', 'a"b', '"a', '"a"b'])('are none when they are malformed: %j', (text) => {
    expect(parsePath(text)).toBeUndefined()
  })

  it('reach into lists by number only', () => {
    expect(valueAt({ l: ['x'] }, ['l', '0'])).toBe('x')
    expect(valueAt({ l: ['x'] }, ['l', 'length'])).toBeUndefined()
    expect(valueAt({}, ['constructor'])).toBeUndefined()
  })
})
