import { describe, expect, it } from 'vitest'
import { typedValue } from '../../../../plugins/configuration/config/typed-value.ts'

describe('typed values', () => {
  it.each([
    ['true', true],
    ['Yes', true],
    ['off', false],
    ['5', 5],
    ['-1.5', -1.5],
    ['null', null],
    ['plain words', 'plain words'],
    ['"5"', '5'],
    ['[a, 1, [true]]', ['a', 1, [true]]],
    ['{a: 1, b: [x]}', { a: 1, b: ['x'] }],
    ['a: b', 'a: b'],
    ['- a', '- a'],
    ['@daily', '@daily'],
    ['*alias', '*alias'],
    ['a # b', 'a # b'],
    ['', ''],
    ['9007199254740993', '9007199254740993'],
    ['[123456789012345678]', ['123456789012345678']],
    ['http://h:80/v1', 'http://h:80/v1'],
    ['${A}', '${A}'],
  ])('are what a person means: %j', (text, value) => {
    expect(typedValue(text)).toEqual(value)
  })

  it('stay text where text is wanted, in lists too', () => {
    expect(typedValue('5', { type: 'string' })).toBe('5')
    expect(typedValue('on', { anyOf: [{ type: 'string' }, { type: 'null' }] })).toBe('on')
    expect(typedValue('[007, yes, "x"]', { type: 'array', items: { type: 'string' } })).toEqual(['007', 'yes', 'x'])
    expect(typedValue('5', { anyOf: [{ type: 'string' }, { type: 'number' }] })).toBe(5)
  })

  it('refuse a list that is not closed', () => {
    expect(() => typedValue('[a')).toThrow(/is not a list or mapping/)
  })
})
