import { describe, expect, it } from 'vitest'
import { createRow } from './row.ts'
import { figure, table } from './table.ts'

describe('the table', () => {
  it('shows values, ratios, target and mark of a row', () => {
    const [head, , line] = table([
      createRow('one-shot', 'ms', { floor: [40], ours: [60] }, { max: 2, of: 'floor' }),
    ]).split('\n')
    expect(head).toMatch(/^work\s+unit\s+floor\s+bare\s+sdk\s+ours\s+\/ floor\s+\/ bare\s+\/ sdk\s+target$/)
    expect(line).toMatch(/^one-shot\s+ms\s+40\s+-\s+-\s+60\s+1\.50 x\s+-\s+-\s+<= 2 x floor\s+ok$/)
  })

  it('keeps its columns under each other', () => {
    const lines = table([
      createRow('short', 'ms', { ours: [1] }),
      createRow('something with a long name', 'bytes', { ours: [16_000] }, { max: 16_000 }),
    ]).split('\n')
    const ends = lines.slice(2).map((line) => line.search(/ {2}-\s+-\s+-/))
    expect(new Set(ends).size).toBe(1)
  })

  it('names what failed, and why, below, and once for all rows of one run', () => {
    const row = { ...createRow('rounds', 'ms', { floor: [1] }), failures: { ours: 'exit code 1: no such tool' } }
    const lines = table([row, { ...row, work: 'gap' }]).split('\n')
    expect(lines.filter((line) => / failed /.test(line))).toHaveLength(2)
    expect(lines.slice(-2)).toEqual(['', 'rounds: ours failed: exit code 1: no such tool'])
  })
})

describe('a figure', () => {
  it('has the digits that matter', () => {
    expect([0.4567, 4.567, 45.67, 456.7, 16_000, 92, undefined, Number.NaN].map(figure)).toEqual([
      '0.46',
      '4.57',
      '45.7',
      '457',
      '16,000',
      '92',
      '-',
      '-',
    ])
  })
})
