import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculate, showNumber } from '../../../../plugins/providers/provider-demo/arithmetic.ts'

/** An expression as it is written, and what it is worth by the rules of the host language. */
interface Expression {
  readonly text: string
  readonly value: number
}

const gap = fc.constantFrom('', ' ', '  ')
const operators: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '^': (a, b) => a ** b,
  ' mod ': (a, b) => a % b,
  ' plus ': (a, b) => a + b,
  ' times ': (a, b) => a * b,
  '×': (a, b) => a * b,
  ' divided by ': (a, b) => a / b,
}
/** What has no value, or too large a one, has none in whatever it is part of. */
function combine(sign: string, a: number, b: number): number {
  const value = operators[sign]?.(a, b) ?? Number.NaN
  return [a, b, value].every(Number.isFinite) ? value : Number.NaN
}

const number = fc.oneof(
  fc.nat(1000).map((value) => ({ text: String(value), value })),
  fc.nat(99_999).map((value) => ({ text: (value / 100).toFixed(2), value: Number((value / 100).toFixed(2)) })),
  fc.integer({ min: 1000, max: 9_999_999 }).map((value) => ({ text: value.toLocaleString('en'), value })),
)
/** Every part in parentheses, so that the value follows from the tree and not from a second set of rules. */
const { tree } = fc.letrec<{ tree: Expression }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    number,
    fc.tuple(tie('tree'), fc.constantFrom(...Object.keys(operators)), tie('tree'), gap).map(([a, sign, b, space]) => ({
      text: `(${a.text}${space}${sign}${space}${b.text})`,
      value: combine(sign, a.value, b.value),
    })),
    tie('tree').map(({ text, value }) => ({ text: `(-${text})`, value: -value })),
    tie('tree').map(({ text, value }) => ({ text: `(${text}%)`, value: value / 100 })),
  ),
}))

describe('arithmetic', () => {
  test('of any tree of numbers gives the value of the tree', () => {
    fc.assert(
      fc.property(tree, fc.nat(9), ({ text, value }, more) => {
        const result = calculate(`${text} + ${more}`)
        if (Number.isFinite(value)) expect(result).toEqual({ value: value + more })
        else expect(result?.problem ?? '').not.toBe('')
      }),
      { numRuns: 1000 },
    )
  })

  test('knows which operator binds tighter, and in which direction', () => {
    const sign = fc.constantFrom('+', '-', '*', '/')
    const terms = fc.array(fc.tuple(sign, fc.integer({ min: 1, max: 99 })), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), terms, (first, rest) => {
        let sum = 0
        let product = first
        const steps: Record<string, (value: number) => void> = {
          '*': (value) => (product *= value),
          '/': (value) => (product /= value),
          '+': (value) => ([sum, product] = [sum + product, value]),
          '-': (value) => ([sum, product] = [sum + product, -value]),
        }
        for (const [operator, value] of rest) steps[operator]?.(value)
        const text = [String(first), ...rest.map(([operator, value]) => `${operator} ${value}`)].join(' ')
        expect(calculate(text)?.value).toBeCloseTo(sum + product, 6)
      }),
    )
  })

  test.each([
    ['12*(3+4)', 84],
    ['-2^2', -4],
    ['2^3^2', 512],
    ['2**-1', 0.5],
    ['15% of 80', 12],
    ['50%', 0.5],
    ['7 % 4', 3],
    ['200 + 10%', 200.1],
    ['3 x 4', 12],
    ['5 squared', 25],
    ['2³', 8],
    ['the square root of 16', 4],
    ['1,234,567 * 2', 2_469_134],
    ['1e3 + .5', 1000.5],
    ['−3 − −4', 1],
    ['2 * pi', 2 * Math.PI],
  ])('reads %s', (text, value) => {
    expect(calculate(text)).toEqual({ value })
  })

  test.each([
    '1/0',
    '1e999 + 1',
    '1/(9^9^9)',
    '5 % 0',
    'sqrt -1',
    '(-8)^0.5',
    '9^9^9',
    `${'('.repeat(200)}1+1${')'.repeat(200)}`,
  ])('says that %s has no answer', (text) => {
    expect(calculate(text)?.problem).toBeTypeOf('string')
  })

  test.each(['', '5', 'what', '1 +', '(1 + 2', '1 2', '1,5 + 1', '+', '()', 'a + b', '1 + process.exit()', '2 of'])(
    'takes %j for no calculation',
    (text) => {
      expect(calculate(text)).toBeUndefined()
    },
  )

  test('takes no text amiss', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.,+-*/^%() exm', 'pi', 'of ', 'sqrt ') }), (text) => {
        const result = calculate(text)
        if (result?.value !== undefined) expect(Number.isFinite(result.value)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})

test('numbers are shown without noise and without losing digits that are known', () => {
  expect([0.1 + 0.2, 1 / 3, 12_345_678 * 87_654_321, -0, 1e21].map(showNumber)).toEqual([
    '0.3',
    '0.333333333333333',
    '1082152022374638',
    '0',
    '1e+21',
  ])
})
