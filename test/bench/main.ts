/** The bench: measures, and prints what came of it. */
import { cpus } from 'node:os'
import { measureApi } from './api.ts'
import type { Bench } from './bench.ts'
import { measureDeltas } from './deltas.ts'
import { measureFootprint } from './footprint.ts'
import { measureGateway } from './gateway.ts'
import { measureHome } from './home.ts'
import { measureMemory } from './memory.ts'
import { Model } from './model.ts'
import { measureOneShot } from './one-shot.ts'
import { type Options, type Part, parts, readOptions, usage } from './options.ts'
import { measureRounds } from './rounds.ts'
import { type Row, verdict } from './row.ts'
import { measureStartup } from './startup.ts'
import { table } from './table.ts'
import { measureTerminal } from './terminal.ts'
import { Workspace } from './workspace.ts'

const measures: Readonly<Record<Part, (bench: Bench) => Promise<readonly Row[]> | readonly Row[]>> = {
  footprint: ({ root }) => measureFootprint(root),
  startup: measureStartup,
  'one-shot': measureOneShot,
  memory: measureMemory,
  rounds: measureRounds,
  deltas: measureDeltas,
  terminal: measureTerminal,
  api: measureApi,
  gateway: measureGateway,
  home: measureHome,
}

/** Where things are. */
export interface Places {
  /** The repository, installed and built. */
  readonly root: string
  /** The bundled model-process.ts. */
  readonly modelProcess: string
  /** An empty folder. */
  readonly scratch: string
}

export async function main(argv: readonly string[], places: Places): Promise<void> {
  let options: Options
  try {
    options = readOptions(argv)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${usage}\n`)
    return
  }
  const started = performance.now()
  const rows = await measureAll(options, places)
  const machine = { node: process.version, cpus: cpus().length, runs: options.runs }
  if (options.json) {
    const judged = rows.map((row) => ({ ...row, verdict: verdict(row) }))
    process.stdout.write(`${JSON.stringify({ ...machine, rows: judged }, undefined, 2)}\n`)
    return
  }
  const seconds = Math.round((performance.now() - started) / 1000)
  const head = `Node ${machine.node}, ${machine.cpus} cores; medians of ${options.runs} interleaved runs; ${seconds} s`
  process.stdout.write(`${table(rows)}\n\n${head}\n`)
}

async function measureAll(options: Options, { root, modelProcess, scratch }: Places): Promise<Row[]> {
  const workspace = new Workspace(scratch)
  const model = await Model.start(modelProcess)
  const env = workspace.environment(model.url)
  const progress = (text: string) => void process.stderr.write(`measuring: ${text}\n`)
  const bench: Bench = { root, runs: options.runs, workspace, model, env, progress }
  const rows: Row[] = []
  try {
    for (const part of parts) if (options.only.includes(part)) rows.push(...(await measures[part](bench)))
  } finally {
    await model.stop()
  }
  return rows
}
