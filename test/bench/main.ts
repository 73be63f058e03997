/** The bench: has each Node measure, and prints the results. */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { installPacked } from '../support/packed.ts'
import type { Assignment, Report } from './measure.ts'
import { type Options, readOptions, usage } from './options.ts'
import { verdict } from './row.ts'
import { table } from './table.ts'

/** Where things are. */
export interface Places {
  /** The repository, installed and built. */
  readonly root: string
  /** The bundled measure.ts and model-process.ts. */
  readonly measure: string
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
  const reports: Report[] = []
  for (const version of options.node) {
    const report = await measureOn(version, options, places)
    reports.push(report)
    if (!options.json) process.stdout.write(formatReport(report))
  }
  if (!options.json) return
  const judged = reports.map((report) => ({
    ...report,
    rows: report.rows.map((row) => ({ ...row, verdict: verdict(row) })),
  }))
  process.stdout.write(`${JSON.stringify(judged, undefined, 2)}\n`)
}

/** The current Node measures the repository, another one the packed program as npm installs it there. */
async function measureOn(version: string, options: Options, places: Places): Promise<Report> {
  const folder = (name: string) => {
    const dir = join(places.scratch, version, name)
    mkdirSync(dir, { recursive: true })
    return dir
  }
  const isCurrent = version === process.versions.node.split('.')[0]
  const dir = folder('installed')
  const node = isCurrent ? process.execPath : await installPacked({ repository: places.root, dir, node: version })
  const assignment: Assignment = {
    options,
    root: places.root,
    installed: isCurrent ? places.root : join(dir, 'node_modules/svc'),
    modelProcess: places.modelProcess,
    scratch: folder('scratch'),
  }
  const child = spawn(node, [places.measure, JSON.stringify(assignment)], { stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(await text(child.stdout)) as Report
}

function formatReport({ node, cpus, runs, seconds, rows }: Report): string {
  const head = `Node ${node}, ${cpus} cores; medians of ${runs} interleaved runs; ${seconds} s`
  return `${table(rows)}\n\n${head}\n\n`
}
