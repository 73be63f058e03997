/** The arithmetic of the bench. Pure. */

/** The middle of some numbers; NaN when there are none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const upper = sorted.length >> 1
  const high = sorted[upper] ?? Number.NaN
  return sorted.length % 2 === 1 ? high : ((sorted[upper - 1] ?? Number.NaN) + high) / 2
}

/** The value that so many percent do not exceed; NaN when there are none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? Number.NaN
}

/** How many times `base` the other is: the median over pairs measured one after the other, so that drift cancels out. */
export function pairedRatio(values: readonly number[], base: readonly number[]): number {
  const pairs = Math.min(values.length, base.length)
  return median(Array.from({ length: pairs }, (_, index) => (values[index] as number) / (base[index] as number)))
}

/**
 * By how many percent a series of gaps grew from its first part to its last. The first tenth is left out: code is still
 * being compiled then. A fifth of the series each is compared.
 */
export function growthPercent(gaps: readonly number[]): number {
  const skipped = Math.ceil(gaps.length / 10)
  const size = Math.ceil(gaps.length / 5)
  const early = median(gaps.slice(skipped, skipped + size))
  return (median(gaps.slice(-size)) / early - 1) * 100
}
