/** Measures contenders side by side: A B C, B C A, C A B, ... so that a slow moment of the machine hits all of them. */
import type { Contender, Series } from './row.ts'

/** One run of one contender: measurements by name. */
export type Sample = Readonly<Record<string, number>>
export type Runs = Partial<Record<Contender, () => Promise<Sample>>>

/** What came of a comparison. */
export interface Compared {
  /** The measurements of one name. */
  series(name: string): Series
  /** Contenders that failed are left out from then on. */
  readonly failures: Partial<Record<Contender, string>>
}

/** One round to warm up, then `rounds` that count. */
export async function compare(runs: Runs, rounds: number, onRound: (done: number) => void): Promise<Compared> {
  const names = Object.keys(runs) as Contender[]
  const samples = new Map<Contender, Sample[]>(names.map((name) => [name, []]))
  const failures: Partial<Record<Contender, string>> = {}
  for (let round = 0; round <= rounds; round++) {
    for (let place = 0; place < names.length; place++) {
      const name = names[(place + round) % names.length] as Contender
      if (failures[name] !== undefined) continue
      try {
        const sample = await runs[name]?.()
        if (round > 0 && sample) samples.get(name)?.push(sample)
      } catch (error) {
        failures[name] = error instanceof Error ? error.message : String(error)
        samples.delete(name)
      }
    }
    onRound(round)
  }
  return { series: (key) => seriesOf(samples, key), failures }
}

function seriesOf(samples: ReadonlyMap<Contender, readonly Sample[]>, key: string): Series {
  const entries = [...samples].map(([name, list]) => [name, list.map((sample) => sample[key] ?? Number.NaN)] as const)
  return Object.fromEntries(entries)
}
