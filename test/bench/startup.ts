/** How long it takes to say something that needs no work. Floor: `node -e 0`. */
import { type Bench, svc } from './bench.ts'
import { type Program, wallMs } from './child.ts'
import { compare } from './compare.ts'
import { type Row, rowOf, type Target } from './row.ts'

export async function measureStartup(bench: Bench): Promise<Row[]> {
  const crowded = { ...bench, env: bench.workspace.environmentWithPlugins() }
  const version = svc(crowded, ['--version'], '.')
  const help = svc(bench, ['--help'], 'Usage')
  const crowdedHelp = svc(crowded, ['--help'], 'foreign-60')
  return [
    await against(bench, 'svc --version, sixty plugins', version, { max: 1.5, of: 'floor' }),
    await against(bench, 'svc --help', help, { max: 2, of: 'floor' }),
    await against(bench, 'svc --help, sixty plugins', crowdedHelp, { max: 2, of: 'floor' }),
  ]
}

async function against(bench: Bench, work: string, ours: Program, target: Target): Promise<Row> {
  bench.progress(work)
  const floor = { ...ours, args: ['-e', '0'], prints: '' }
  const comparison = await compare(
    { floor: async () => ({ ms: wallMs(floor) }), ours: async () => ({ ms: wallMs(ours) }) },
    bench.runs,
  )
  return { ...rowOf(work, 'ms', comparison.series('ms'), target), failures: comparison.failures }
}
