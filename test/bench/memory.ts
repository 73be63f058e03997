/** Memory at the peak of a one-shot prompt. Apart from the timed runs, because asking for it costs time. */
import { askers, type Bench, getBaselineFolder } from './bench.ts'
import { peakMiB } from './child.ts'
import { compare, type Runs } from './compare.ts'
import { type Contender, createRow, type Row } from './row.ts'

/** Memory varies little from run to run. */
const RUNS = 3

export async function measureMemory(bench: Bench): Promise<Row[]> {
  bench.progress('memory of a one-shot prompt')
  const runs: Runs = {}
  for (const [name, program] of Object.entries(askers(bench, 'one-shot')))
    runs[name as Contender] = async () => {
      const peak = () => peakMiB(program, getBaselineFolder(bench))
      return { mib: (await bench.model.play({ rounds: 0, deltas: 1 }, peak)).result }
    }
  const comparison = await compare(runs, RUNS)
  return [
    {
      ...createRow('peak memory of one-shot', 'MiB', comparison.series('mib'), { max: 90 }),
      failures: comparison.failures,
    },
  ]
}
