/** What one more piece of a streamed answer costs: a long answer less a short one, divided by the pieces. */
import { askers, type Bench } from './bench.ts'
import { wallMs } from './child.ts'
import { compare, type Runs } from './compare.ts'
import { type Contender, createRow, type Row } from './row.ts'

const DELTAS = 20_000

export async function measureDeltas(bench: Bench): Promise<Row[]> {
  bench.progress(`${DELTAS} deltas`)
  const runs: Runs = {}
  for (const [name, program] of Object.entries(askers(bench, 'one-shot'))) {
    const answer = async (deltas: number) =>
      (await bench.model.play({ rounds: 0, deltas }, () => wallMs(program))).result
    runs[name as Contender] = async () => {
      const short = await answer(1)
      return { us: (((await answer(DELTAS)) - short) * 1000) / DELTAS }
    }
  }
  const comparison = await compare(runs, bench.runs)
  return [
    { ...createRow('a delta of 20,000', 'us', comparison.series('us'), { max: 5 }), failures: comparison.failures },
  ]
}
