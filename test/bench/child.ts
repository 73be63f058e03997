/** Runs one program to its end and measures it from outside. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Environment } from './workspace.ts'

const LIMIT_MS = 120_000
const MAX_OUTPUT = 64 * 2 ** 20

/** A Node program, and what it must print for its run to count. */
export interface Program {
  readonly args: readonly string[]
  readonly env: Environment
  readonly cwd: string
  /** Part of its standard output. */
  readonly prints: string
}

/** What a run took, in milliseconds. */
export interface Cost {
  /** From its start to its end, as a user waits for it. */
  readonly wall: number
  /** User and system time of all its threads: other load on the machine changes it less. */
  readonly cpu: number
}

/**
 * Node does not tell what a child used, the shell does. It writes to descriptor 3: start and end in seconds, and between
 * them user and system time.
 */
const MEASURE = `TIMEFORMAT='%3U %3S'
exec 4>&2 2>&3
start=$EPOCHREALTIME
time "$@" 2>&4 3>&- 4>&-
status=$?
echo "$start $EPOCHREALTIME" >&3
exit $status`

/** Measures a run from outside. Throws when it fails or does not print what it should. */
export function measureCost(program: Program): Cost {
  const args = ['-c', MEASURE, 'bash', process.execPath, ...program.args]
  const result = spawnSync('bash', args, settings(program, ['ignore', 'pipe', 'pipe', 'pipe']))
  check(result, program)
  const [user, system, start, end] = String(result.output[3]).trim().split(/\s+/).map(Number) as number[]
  if (end === undefined) throw new Error(`the shell measured nothing: ${result.output[3]}`)
  const ms = (from = 0, to = 0) => (to - from) * 1000
  return { wall: ms(start, end), cpu: ms(0, (user ?? 0) + (system ?? 0)) }
}

/** Milliseconds from its start to its end. Throws as `measureCost` does. */
export function wallMs(program: Program): number {
  return measureCost(program).wall
}

/** MiB of memory it held at its peak (`ru_maxrss`). `baseline` is the folder of the scripts. */
export function peakMiB(program: Program, baseline: string): number {
  const args = ['--require', join(baseline, 'report-peak.cjs'), ...program.args]
  const result = spawnSync(process.execPath, args, settings(program, ['ignore', 'pipe', 'pipe', 'pipe']))
  check(result, program)
  return Number(result.output[3]) / 1024
}

function settings({ env, cwd }: Program, stdio: ('ignore' | 'pipe')[]) {
  return { env, cwd, stdio, encoding: 'utf8' as const, timeout: LIMIT_MS, maxBuffer: MAX_OUTPUT }
}

function check(result: ReturnType<typeof spawnSync>, { prints }: Program): void {
  if (result.error) throw result.error
  if (result.status === 0 && String(result.stdout).includes(prints)) return
  const said = String(result.stderr).trim().split('\n').slice(-3).join(' | ')
  const how = result.status === 0 ? `it did not print "${prints}"` : `exit code ${result.status ?? result.signal}`
  throw new Error(said ? `${how}: ${said}` : how)
}
