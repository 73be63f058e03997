/** How long it takes to say something that needs no work. Floor: `node -e 0`. */
import { type Bench, svc } from './bench.ts'
import { measureCost, type Program } from './child.ts'
import { compare } from './compare.ts'
import { createFastestRow, createRow, type Row, type Target } from './row.ts'

export async function measureStartup(bench: Bench): Promise<Row[]> {
  const crowded = { ...bench, env: bench.workspace.environmentWithPlugins() }
  const version = svc(crowded, ['--version'], '.')
  const help = svc(bench, ['--help'], 'Usage')
  const crowdedHelp = svc(crowded, ['--help'], 'foreign-60')
  return [
    ...(await against(bench, 'svc --version, sixty plugins', version, { max: 1.5, of: 'floor' })),
    ...(await against(bench, 'svc --help', help, { max: 1.4, of: 'floor' })),
    ...(await against(bench, 'svc --help, sixty plugins', crowdedHelp, { max: 2, of: 'floor' })),
  ]
}

async function against(bench: Bench, work: string, ours: Program, target: Target): Promise<Row[]> {
  bench.progress(work)
  const floor = { ...ours, args: ['-e', '0'], prints: '' }
  const comparison = await compare(
    { floor: async () => ({ ...measureCost(floor) }), ours: async () => ({ ...measureCost(ours) }) },
    bench.runs,
  )
  const wall = comparison.series('wall')
  return [
    { ...createRow(work, 'ms', wall, target), failures: comparison.failures },
    createFastestRow(work, 'ms', wall),
    createRow(`${work}, CPU`, 'ms', comparison.series('cpu')),
  ]
}
