/** One prompt, one short answer. Also how many bytes the first request of the product has. */
import { askers, type Bench, isRecentNode } from './bench.ts'
import { measureCost } from './child.ts'
import { compare, type Runs } from './compare.ts'
import { type Contender, createFastestRow, createRow, type Row } from './row.ts'

export async function measureOneShot(bench: Bench): Promise<Row[]> {
  bench.progress('one-shot prompt')
  const runs: Runs = {}
  for (const [name, program] of Object.entries(askers(bench, 'one-shot')))
    runs[name as Contender] = async () => {
      const { result, report } = await bench.model.play({ rounds: 0, deltas: 1 }, () => measureCost(program))
      return { ...result, bytes: report.firstBytes }
    }
  const comparison = await compare(runs, bench.runs)
  const { ours: bytes } = comparison.series('bytes')
  const wall = comparison.series('wall')
  const work = 'one-shot prompt'
  return [
    { ...createRow(work, 'ms', wall, { max: isRecentNode ? 1.4 : 1.1, of: 'bare' }), failures: comparison.failures },
    createFastestRow(work, 'ms', wall),
    createRow(`${work}, CPU`, 'ms', comparison.series('cpu')),
    createRow('first request, default tools', 'bytes', bytes ? { ours: bytes } : {}, { max: 16_000 }),
  ]
}
