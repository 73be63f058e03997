/** Turns with tools: each round is a call of the tool `terminal`, a command that is run, and another request. */
import { askers, type Bench } from './bench.ts'
import { wallMs } from './child.ts'
import { type Comparison, compare, type Runs } from './compare.ts'
import { type Contender, createFastestRow, createRow, type Row, type Target } from './row.ts'
import { growthPercent, median } from './statistics.ts'

/** Long turns take long: a third of the runs is enough for them. */
const LONG_SHARE = 3

export async function measureRounds(bench: Bench): Promise<Row[]> {
  const short = await turns(bench, 20, bench.runs)
  const long = await turns(bench, 100, Math.ceil(bench.runs / LONG_SHARE))
  const row = (work: string, unit: string, comparison: Comparison, key: string, target?: Target): Row => ({
    ...createRow(work, unit, comparison.series(key), target),
    failures: comparison.failures,
  })
  return [
    row('20 tool rounds', 'ms', short, 'ms', { max: 1.5, of: 'bare' }),
    row('100 tool rounds', 'ms', long, 'ms'),
    row('gap between rounds', 'ms', long, 'gap', { max: 2 }),
    createFastestRow('gap between rounds', 'ms', long.series('gap')),
    { ...row('growth of the gap over 100 rounds', '%', long, 'growth', { max: 10 }), ratios: {} },
  ]
}

async function turns(bench: Bench, rounds: number, count: number): Promise<Comparison> {
  bench.progress(`${rounds} tool rounds`)
  const runs: Runs = {}
  for (const [name, program] of Object.entries(askers(bench, 'rounds')))
    runs[name as Contender] = async () => {
      const { result, report } = await bench.model.play({ rounds, deltas: 1 }, () => wallMs(program))
      if (report.requests !== rounds + 1) throw new Error(`${report.requests} requests came instead of ${rounds + 1}`)
      return { ms: result, gap: median(report.gaps), growth: growthPercent(report.gaps) }
    }
  return compare(runs, count)
}
