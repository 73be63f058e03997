/** One prompt, one short answer. Also how many bytes the first request of the product has. */
import { askers, type Bench } from './bench.ts'
import { wallMs } from './child.ts'
import { compare, type Runs } from './compare.ts'
import { type Contender, type Row, rowOf } from './row.ts'

export async function measureOneShot(bench: Bench): Promise<Row[]> {
  bench.progress('one-shot prompt')
  const runs: Runs = {}
  for (const [name, program] of Object.entries(askers(bench, 'one-shot')))
    runs[name as Contender] = async () => {
      const { result, report } = await bench.model.play({ rounds: 0, deltas: 1 }, () => wallMs(program))
      return { ms: result, bytes: report.firstBytes }
    }
  const comparison = await compare(runs, bench.runs)
  const { ours: bytes } = comparison.series('bytes')
  return [
    {
      ...rowOf('one-shot prompt', 'ms', comparison.series('ms'), { max: 1.2, of: 'bare' }),
      failures: comparison.failures,
    },
    rowOf('first request, default tools', 'bytes', bytes ? { ours: bytes } : {}, { max: 16_000 }),
  ]
}
