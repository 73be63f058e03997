import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPath, nearest, parsePath, valueAt } from '../../../plugins/config/config-path.ts'

describe('dotted paths', () => {
  it('come back as they were typed, quotes only where a key needs them', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (keys) => {
        expect(parsePath(formatPath(keys))).toEqual(keys)
      }),
    )
    expect(parsePath('a."b.c".0')).toEqual(['a', 'b.c', '0'])
    expect(formatPath(['a', 'b.c', '0'])).toBe('a."b.c".0')
  })

  it.each(['', '.', 'a.', '.a', 'a..b', 'a"b', '"a', '"a"b'])('refuse what is malformed: %j', (text) => {
    expect(() => parsePath(text)).toThrow(/is not a key/)
  })

  it('reach into lists by number only', () => {
    expect(valueAt({ l: ['x'] }, ['l', '0'])).toBe('x')
    expect(valueAt({ l: ['x'] }, ['l', 'length'])).toBeUndefined()
    expect(valueAt({}, ['constructor'])).toBeUndefined()
  })

  it('have a nearest name when a slip is likely', () => {
    expect(nearest('tiemout', ['timeout', 'token'])).toBe('timeout')
    expect(nearest('volume', ['station'])).toBeUndefined()
  })
})
