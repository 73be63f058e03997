/** Measures contenders side by side: A B C, B C A, C A B, ... so that a slow moment of the machine hits all of them. */
import type { Contender, Series } from './row.ts'

/** One run of one contender: measurements by name. */
export type Sample = Readonly<Record<string, number>>
export type Runs = Partial<Record<Contender, () => Promise<Sample>>>

/** What came of a comparison. */
export class Comparison {
  /** Why a contender failed; it is left out from then on. */
  readonly failures: Partial<Record<Contender, string>> = {}
  readonly #samples = new Map<Contender, Sample[]>()

  /** The measurements of one name. */
  series(key: string): Series {
    const entries = [...this.#samples].map(([name, samples]) => [name, samples.map((sample) => sample[key] as number)])
    return Object.fromEntries(entries) as Series
  }

  async take(name: Contender, run: () => Promise<Sample>, purpose: 'warm up' | 'measure'): Promise<void> {
    if (this.failures[name] !== undefined) return
    try {
      const sample = await run()
      if (purpose === 'measure') this.#samples.set(name, [...(this.#samples.get(name) ?? []), sample])
    } catch (error) {
      this.failures[name] = error instanceof Error ? error.message : String(error)
      this.#samples.delete(name)
    }
  }
}

/** One round to warm up, then `rounds` that count. */
export async function compare(runs: Runs, rounds: number): Promise<Comparison> {
  const entries = Object.entries(runs) as [Contender, () => Promise<Sample>][]
  const comparison = new Comparison()
  for (let round = 0; round <= rounds; round++) {
    const first = round % entries.length
    for (const [name, run] of [...entries.slice(first), ...entries.slice(0, first)])
      await comparison.take(name, run, round === 0 ? 'warm up' : 'measure')
  }
  return comparison
}
