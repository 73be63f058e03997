/** What was typed after `npm run bench --`. */
import { parseArgs } from 'node:util'

/** The parts of the bench, in the order they run. */
export const parts = [
  'footprint',
  'startup',
  'one-shot',
  'plugins',
  'mcp',
  'memory',
  'rounds',
  'deltas',
  'terminal',
  'api',
  'gateway',
  'store',
  'home',
  'long',
  'maintenance',
  'search',
  'kanban',
  'dashboard',
] as const
export type Part = (typeof parts)[number]

export interface Options {
  /** Measured rounds of every comparison, after one that is thrown away. */
  readonly runs: number
  readonly only: readonly Part[]
  /** Major versions of Node to measure on, one after the other. */
  readonly node: readonly string[]
  readonly json: boolean
}

export const usage = `npm run bench -- [--runs <count>] [--only <part,...>] [--node <version,...>] [--json]
  parts: ${parts.join(', ')}`

/** Throws an error whose message says what is wrong. */
export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      runs: { type: 'string', default: '15' },
      only: { type: 'string', default: parts.join(',') },
      node: { type: 'string', default: process.versions.node.split('.')[0] as string },
      json: { type: 'boolean', default: false },
    },
  })
  if (!/^[1-9]\d{0,3}$/.test(values.runs)) throw new Error(`--runs is "${values.runs}"; it must be a number from 1 on.`)
  const only = values.only.split(',').map((name) => {
    const part = parts.find((candidate) => candidate === name.trim())
    if (!part) throw new Error(`--only names "${name}"; there are: ${parts.join(', ')}.`)
    return part
  })
  const node = values.node.split(',').map((version) => version.trim())
  if (!node.every((version) => /^\d\d$/.test(version)))
    throw new Error(`--node is "${values.node}"; it must name major versions: 20,24.`)
  return { runs: Number(values.runs), only, node, json: values.json }
}
