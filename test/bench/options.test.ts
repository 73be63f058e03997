import { describe, expect, it } from 'vitest'
import { parts, readOptions } from './options.ts'

const [current] = process.versions.node.split('.')

describe('the options of the bench', () => {
  it('measure everything when nothing is typed', () => {
    expect(readOptions([])).toEqual({ runs: 15, only: [...parts], node: [current], json: false })
  })

  it('take a number of runs and some parts', () => {
    expect(readOptions(['--runs', '5', '--only', 'startup, deltas', '--node', '20,24', '--json'])).toEqual({
      runs: 5,
      only: ['startup', 'deltas'],
      node: ['20', '24'],
      json: true,
    })
  })

  it.each([
    [['--runs', '0'], /must be a number/],
    [['--runs', 'many'], /must be a number/],
    [['--only', 'everything'], /there are: footprint, startup/],
    [['--node', 'newest'], /must name major versions/],
    [['--fast'], /--fast/],
  ])('refuse %j with a hint', (argv, said) => {
    expect(() => readOptions(argv)).toThrow(said)
  })
})
