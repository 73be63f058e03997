import { describe, expect, it } from 'vitest'
import { createFastestRow, createRow, verdict } from './row.ts'

describe('a row', () => {
  it('holds medians, and ours as a multiple of everybody else', () => {
    const row = createRow('work', 'ms', { floor: [10, 20, 30], bare: [40, 40, 40], ours: [20, 40, 60] })
    expect(row.values).toEqual({ floor: 20, bare: 40, ours: 40 })
    expect(row.ratios).toEqual({ floor: 2, bare: 1 })
  })

  it('keeps a target that is a multiple by the ratio, not by the time', () => {
    const target = { max: 1.5, of: 'bare' } as const
    expect(verdict(createRow('work', 'ms', { bare: [100], ours: [149] }, target))).toBe('ok')
    expect(verdict(createRow('work', 'ms', { bare: [100], ours: [151] }, target))).toBe('over')
  })

  it('keeps a target in units by the value', () => {
    expect(verdict(createRow('memory', 'MiB', { ours: [90] }, { max: 90 }))).toBe('ok')
    expect(verdict(createRow('memory', 'MiB', { ours: [91] }, { max: 90 }))).toBe('over')
  })

  it('can hold the fastest runs', () => {
    const row = createFastestRow('work', 'ms', { floor: [30, 10], ours: [15, 20] })
    expect(row).toMatchObject({ work: 'work, fastest run', values: { floor: 10, ours: 15 }, ratios: { floor: 1.5 } })
  })

  it('keeps a target above another contender by the difference', () => {
    const target = { max: 50, above: 'bare' } as const
    expect(verdict(createRow('freeze', 'ms', { bare: [40], ours: [89] }, target))).toBe('ok')
    expect(verdict(createRow('freeze', 'ms', { bare: [40], ours: [91] }, target))).toBe('over')
    expect(verdict(createRow('freeze', 'ms', { ours: [10] }, target))).toBeUndefined()
  })

  it('has no verdict when something was not measured', () => {
    expect(verdict(createRow('work', 'ms', { bare: [100] }, { max: 2, of: 'bare' }))).toBeUndefined()
    expect(verdict(createRow('work', 'ms', { ours: [100] }, { max: 2, of: 'bare' }))).toBeUndefined()
    expect(verdict(createRow('work', 'ms', { ours: [100] }))).toBeUndefined()
  })
})
