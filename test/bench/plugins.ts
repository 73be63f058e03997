/** What plugins of others cost a start. `bare` is the same program in an empty home. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Bench, svc } from './bench.ts'
import { measureCost } from './child.ts'
import { compare } from './compare.ts'
import { Pty } from './pty.ts'
import { createRow, type Row } from './row.ts'
import { LAST_WORDS } from './scenario.ts'
import { median } from './statistics.ts'
import type { Environment } from './workspace.ts'

const MANY = 200
/** The first start bundles the plugins, the second compiles them, and both keep it for the next. */
const FIRST_STARTS = 3
const LISTENERS = 100
const CALLS = 2000

export async function measurePlugins(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  for (const [count, most] of [
    [MANY, 1.5],
    [1, 1.05],
  ] as const) {
    const env = bench.workspace.environmentWithCrowd(count, bench.model.url)
    rows.push(...(await questions(bench, env, count, most)))
    if (count === MANY) rows.push(await pictures(bench, env))
  }
  return [...rows, await hooks(bench), await imports(bench)]
}

async function questions(bench: Bench, env: Environment, count: number, most: number): Promise<Row[]> {
  const work = count === 1 ? 'one-shot prompt, one tool plugin' : `one-shot prompt, ${count} plugins`
  bench.progress(work)
  const ask = async (of: Environment) => {
    const program = svc({ ...bench, env: of }, ['chat', '-q', 'Tell me what you see.'], LAST_WORDS)
    return { ...(await bench.model.play({ rounds: 0, deltas: 1 }, () => measureCost(program))).result }
  }
  for (let start = 0; start < FIRST_STARTS; start++) await ask(env)
  const comparison = await compare({ bare: () => ask(bench.env), ours: () => ask(env) }, bench.runs)
  const target = { max: most, of: 'bare' } as const
  return [
    { ...createRow(work, 'ms', comparison.series('wall'), target), failures: comparison.failures },
    createRow(`${work}, CPU`, 'ms', comparison.series('cpu'), target),
  ]
}

/** Until one can type. */
async function pictures(bench: Bench, env: Environment): Promise<Row> {
  const work = `start to the first picture, ${MANY} plugins`
  bench.progress(work)
  const start = (of: Environment) => async () => {
    const began = performance.now()
    const pty = new Pty(bench.root, svc({ ...bench, env: of }, ['chat'], ''))
    try {
      await pty.hears('Ask something')
      return { ms: performance.now() - began }
    } finally {
      await pty.stop()
    }
  }
  for (let first = 0; first < FIRST_STARTS; first++) await start(env)()
  const comparison = await compare({ bare: start(bench.env), ours: start(env) }, bench.runs)
  const row = createRow(work, 'ms', comparison.series('ms'), { max: 1.5, of: 'bare' })
  return { ...row, failures: comparison.failures }
}

interface Testing {
  readonly testKernel: (options: object) => Promise<AsyncDisposable>
}

/** One call of a hook that a hundred plugins listen to, beside a hundred calls of functions. */
async function hooks(bench: Bench): Promise<Row> {
  bench.progress(`a hook with ${LISTENERS} listeners`)
  const load = (file: string) => import(pathToFileURL(join(bench.installed, file)).href)
  const { testKernel } = (await load('dist/sdk/testing.js')) as Testing
  const { transformHook } = (await load('dist/sdk/index.js')) as { transformHook: (id: string) => object }
  const hook = transformHook('bench:hook')
  type Context = { on(hook: object, listener: unknown): void; call(hook: object, value: string): Promise<string> }
  const listener = (value: string) => value
  let call: (value: string) => Promise<string> = async (value) => value
  const plugins = Array.from({ length: LISTENERS }, (_, at) => ({
    name: `listener-${at}`,
    setup(ctx: Context) {
      ctx.on(hook, listener)
      call = (value) => ctx.call(hook, value)
    },
  }))
  await using _kernel = await testKernel({ with: plugins })
  const timed = async (work: () => unknown) => {
    const began = performance.now()
    for (let count = 0; count < CALLS; count++) await work()
    return { us: ((performance.now() - began) * 1000) / CALLS }
  }
  const functions = Array.from({ length: LISTENERS }, () => listener)
  const comparison = await compare(
    {
      bare: () => timed(() => functions.reduce((value, each) => each(value), 'text')),
      ours: () => timed(() => call('text')),
    },
    bench.runs,
  )
  const row = createRow(`a hook with ${LISTENERS} listeners`, 'us', comparison.series('us'), { max: 100 })
  return { ...row, ratios: {}, failures: comparison.failures }
}

/** Milliseconds of CPU and of waiting, measured in the process that imports. */
async function imports(bench: Bench): Promise<Row> {
  bench.progress('importing svc/sdk')
  const empty = join(bench.workspace.cwd, 'empty.mjs')
  writeFileSync(empty, 'export {}\n')
  const timer = `const began = performance.now(); await import(process.argv[1]); console.log(performance.now() - began)`
  const run = (file: string) => async () => {
    const args = ['--input-type=module', '-e', timer, pathToFileURL(file).href]
    const times = Array.from({ length: 3 }, () => {
      const { stdout } = spawnSync(process.execPath, args, { env: { ...bench.env }, encoding: 'utf8' })
      return Number(stdout)
    })
    return { ms: median(times) }
  }
  const comparison = await compare(
    { floor: run(empty), ours: run(join(bench.installed, 'dist/sdk/index.js')) },
    bench.runs,
  )
  return { ...createRow("import 'svc/sdk'", 'ms', comparison.series('ms'), { max: 10 }), failures: comparison.failures }
}
