import fc from 'fast-check'
import { formatConfigPath, getAtPath, parseConfigPath } from 'svc/sdk/host'
import { describe, expect, it } from 'vitest'

describe('dotted paths', () => {
  it('come back as they were typed, quotes only where a key needs them', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, unit: 'binary' }), { minLength: 1 }), (keys) => {
        expect(parseConfigPath(formatConfigPath(keys))).toEqual(keys)
      }),
    )
    expect(parseConfigPath('a."b.c".0')).toEqual(['a', 'b.c', '0'])
    expect(formatConfigPath(['a', 'b.c', '0'])).toBe('a."b.c".0')
  })

  it.each(['', '.', 'a.', '.a', 'a..b', 'a"b', '"a', '"a"b'])('are none when they are malformed: %j', (text) => {
    expect(parseConfigPath(text)).toBeUndefined()
  })

  it('reach into lists by number only', () => {
    expect(getAtPath({ l: ['x'] }, ['l', '0'])).toBe('x')
    expect(getAtPath({ l: ['x'] }, ['l', 'length'])).toBeUndefined()
    expect(getAtPath({}, ['constructor'])).toBeUndefined()
  })
})
