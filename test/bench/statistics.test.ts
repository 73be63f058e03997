import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growthPercent, median, pairedRatio, percentile } from './statistics.ts'

describe('median', () => {
  it('is the middle of an odd count and between the two middles of an even one, in any order', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([8, 2, 4, 6])).toBe(5)
    expect(median([7])).toBe(7)
  })

  it('says that there is none rather than inventing a zero', () => {
    expect(median([])).toBeNaN()
  })

  it('does not touch the numbers it was given', () => {
    const values = [3, 1, 2]
    median(values)
    expect(values).toEqual([3, 1, 2])
  })
})

describe('a percentile', () => {
  it('is one of the numbers, with no more of them above it than was asked for', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
    expect(percentile(hundred, 95)).toBe(95)
    expect(percentile([3, 1, 2], 95)).toBe(3)
    expect(percentile([7], 1)).toBe(7)
    expect(percentile([], 95)).toBeNaN()
  })
})

describe('a paired ratio', () => {
  it('is not moved by a machine that gets slower in the middle of the run', () => {
    const factor = fc.double({ min: 0.5, max: 20, noNaN: true })
    fc.assert(
      fc.property(fc.array(factor, { minLength: 1, maxLength: 30 }), (slowness) => {
        const base = slowness.map((times) => 10 * times)
        const ours = slowness.map((times) => 15 * times)
        expect(pairedRatio(ours, base)).toBeCloseTo(1.5)
      }),
    )
  })

  it('uses the pairs that are there when one side ended early', () => {
    expect(pairedRatio([2, 4], [1, 2, 100])).toBe(2)
    expect(pairedRatio([], [1])).toBeNaN()
  })
})

describe('growth of the gaps', () => {
  it('is none when they stay as they are', () => {
    expect(growthPercent(Array.from({ length: 100 }, () => 4))).toBe(0)
  })

  it('compares the end with the beginning, without the first tenth', () => {
    const warmingUp = Array.from({ length: 10 }, () => 50)
    const early = Array.from({ length: 45 }, () => 4)
    const late = Array.from({ length: 45 }, () => 5)
    expect(growthPercent([...warmingUp, ...early, ...late])).toBeCloseTo(25)
  })

  it('is not fooled by one stall', () => {
    const gaps = Array.from({ length: 100 }, (_, index) => (index === 90 ? 500 : 4))
    expect(growthPercent(gaps)).toBe(0)
  })
})
