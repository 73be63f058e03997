import { describe, expect, it } from 'vitest'
import { parts, readOptions } from './options.ts'

describe('the options of the bench', () => {
  it('measure everything when nothing is typed', () => {
    expect(readOptions([])).toEqual({ runs: 15, only: [...parts], json: false })
  })

  it('take a number of runs and some parts', () => {
    expect(readOptions(['--runs', '5', '--only', 'startup, deltas', '--json'])).toEqual({
      runs: 5,
      only: ['startup', 'deltas'],
      json: true,
    })
  })

  it.each([
    [['--runs', '0'], /must be a number/],
    [['--runs', 'many'], /must be a number/],
    [['--only', 'everything'], /there are: footprint, startup/],
    [['--fast'], /--fast/],
  ])('refuse %j with a hint', (argv, said) => {
    expect(() => readOptions(argv)).toThrow(said)
  })
})
