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

/** Milliseconds from its start to its end. Throws when it fails or does not print what it should. */
export function wallMs(program: Program): number {
  const started = performance.now()
  const result = spawnSync(process.execPath, program.args, settings(program, ['ignore', 'pipe', 'pipe']))
  const ms = performance.now() - started
  check(result, program)
  return ms
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
