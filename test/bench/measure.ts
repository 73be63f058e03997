/**
 * Measures everything on the Node that runs it: its own process, so that the bench can do it on several versions.
 * Argument: an `Assignment` as JSON. Writes a `Report` as JSON to standard output.
 */
import { cpus } from 'node:os'
import { measureApi } from './api.ts'
import type { Bench } from './bench.ts'
import { measureDashboard } from './dashboard.ts'
import { measureDeltas } from './deltas.ts'
import { measureFootprint } from './footprint.ts'
import { measureGateway } from './gateway.ts'
import { measureHome, measureMaintenance, measureSearches } from './home.ts'
import { measureTurns } from './home-turns.ts'
import { measureKanban } from './kanban.ts'
import { measureMcp } from './mcp.ts'
import { measureMemory } from './memory.ts'
import { Model } from './model.ts'
import { measureOneShot } from './one-shot.ts'
import { type Options, type Part, parts } from './options.ts'
import { measurePlugins } from './plugins.ts'
import { measureRounds } from './rounds.ts'
import type { Row } from './row.ts'
import { measureStartup } from './startup.ts'
import { measureStore } from './store.ts'
import { measureTerminal } from './terminal.ts'
import { Workspace } from './workspace.ts'

/** What to measure, and where things are. */
export interface Assignment {
  readonly options: Options
  /** The repository, installed and built. */
  readonly root: string
  /** The folder of the package that is measured. */
  readonly installed: string
  /** The bundled model-process.ts. */
  readonly modelProcess: string
  /** An empty folder. */
  readonly scratch: string
}

/** What one Node measured. */
export interface Report {
  readonly node: string
  readonly cpus: number
  readonly runs: number
  readonly seconds: number
  readonly rows: readonly Row[]
}

const measures: Readonly<Record<Part, (bench: Bench) => Promise<readonly Row[]> | readonly Row[]>> = {
  footprint: ({ root }) => measureFootprint(root),
  startup: measureStartup,
  'one-shot': measureOneShot,
  plugins: measurePlugins,
  mcp: measureMcp,
  memory: measureMemory,
  rounds: measureRounds,
  deltas: measureDeltas,
  terminal: measureTerminal,
  api: measureApi,
  gateway: measureGateway,
  store: measureStore,
  home: measureHome,
  long: measureTurns,
  maintenance: measureMaintenance,
  search: measureSearches,
  kanban: measureKanban,
  dashboard: measureDashboard,
}

const assignment = JSON.parse(process.argv[2] ?? '') as Assignment
const started = performance.now()
const rows = await measureAll(assignment)
const seconds = Math.round((performance.now() - started) / 1000)
const report: Report = {
  node: process.version,
  cpus: cpus().length,
  runs: assignment.options.runs,
  seconds,
  rows,
}
process.stdout.write(JSON.stringify(report))

async function measureAll({ options, root, installed, modelProcess, scratch }: Assignment): Promise<Row[]> {
  const workspace = new Workspace(scratch)
  const model = await Model.start(modelProcess)
  const env = workspace.environment(model.url)
  const progress = (text: string) => void process.stderr.write(`measuring on Node ${process.version}: ${text}\n`)
  const bench: Bench = { root, installed, runs: options.runs, workspace, model, env, progress }
  const rows: Row[] = []
  try {
    for (const part of parts) if (options.only.includes(part)) rows.push(...(await measures[part](bench)))
  } finally {
    await model.stop()
  }
  return rows
}
