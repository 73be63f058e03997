/** What the work of stages is written with. */
import { SvcError } from 'svc/sdk'
import { type ChildEnd, runProgram } from '../child-program.ts'
import type { ProgramOptions } from './stage-program.ts'

/** What a stage works with. */
export interface StageDeps extends ProgramOptions {
  /** The root home, absolute. */
  readonly home: string
  /** Of the user: `~`. */
  readonly userFolder: string
  /** The folder of the installation, with its package.json. */
  readonly root: string
  /** Runs svc: its words up to the command. */
  readonly program: readonly string[]
  /** Whether a person can be asked. */
  readonly isInteractive: boolean
  readonly signal: AbortSignal
  log(line: string): void
  /** Hands the terminal over to a command of svc. Returns its exit code. */
  converse(words: readonly string[]): Promise<number>
}

/** Why it had nothing to do, or undefined when it is done. Throws with a sentence for people. */
export type StageWork = (deps: StageDeps) => Promise<{ readonly skipped: string } | undefined>

const PROBE_MS = 10_000

/** What a program says of its version. Throws `DESKTOP_STAGE` when it is there and does not work; undefined when it is missing. */
export async function askVersion(name: string, deps: StageDeps, flag = '--version'): Promise<string | undefined> {
  const end = await runProgram([name, flag], { ...deps, timeoutMs: PROBE_MS })
  if (end.code === 0) return end.lines[0]?.trim() ?? ''
  if (end.code === undefined && /ENOENT/.test(end.problem ?? '')) return undefined
  throw broken(`${name} ${flag}`, end)
}

export function broken(what: string, { code, problem, lines }: ChildEnd): SvcError {
  const tail = lines.slice(-3).join(' | ')
  return new SvcError('DESKTOP_STAGE', `${what} does not work: ${problem ?? `exit ${code}`}${tail ? `: ${tail}` : ''}`)
}
