/** Stages as a program runs them: each is a process of its own, whose end and last line say how it went. */
import { SvcError, tryParseJson } from 'svc/sdk'
import { type ChildOptions, runProgram } from '../child-program.ts'
import type { StageLine } from './bootstrap.ts'
import {
  type BootstrapManifest,
  type BootstrapStage,
  manifestSchema,
  resultSchema,
  type StageResult,
} from './stages.ts'

export type ProgramOptions = Omit<ChildOptions, 'signal' | 'onLine' | 'timeoutMs'>

const MANIFEST_MS = 30_000
/** A stage may download. */
const STAGE_MS = 600_000
const TAIL = 5

/** Asks a program for its stages. Throws `DESKTOP_STAGE`. */
export async function askManifest(
  command: readonly string[],
  options: ProgramOptions,
  signal: AbortSignal,
): Promise<BootstrapManifest> {
  const words = [...command, 'desktop', 'stages', '--json']
  const end = await runProgram(words, { ...options, signal, timeoutMs: MANIFEST_MS })
  const parsed = manifestSchema.safeParse(tryParseJson(end.lines.at(-1) ?? '')?.value)
  if (end.code === 0 && parsed.success) return parsed.data
  throw new SvcError('DESKTOP_STAGE', `The program did not say which stages it has: ${reason(end)}`)
}

/** Runs one. A result that says "failed" is returned; throws `DESKTOP_STAGE` when there is none. */
export async function runStageProgram(
  { command, stage }: { readonly command: readonly string[]; readonly stage: BootstrapStage },
  options: ProgramOptions,
  { signal, onLine }: { readonly signal: AbortSignal; onLine(line: StageLine): void },
): Promise<StageResult> {
  const words = [...command, 'desktop', 'stage', stage.name, '--json', '--non-interactive']
  let last = ''
  const end = await runProgram(words, {
    ...options,
    signal,
    timeoutMs: STAGE_MS,
    onLine: (line, stream) => {
      if (stream === 'stdout') last = line
      onLine({ line, stream })
    },
  })
  const result = resultSchema.safeParse(tryParseJson(last)?.value).data
  if (result?.stage === stage.name && result.ok === (end.code === 0)) return result
  throw new SvcError('DESKTOP_STAGE', `The stage ended without a result: ${reason(end)}`)
}

function reason({
  code,
  problem,
  lines,
}: {
  code: number | undefined
  problem: string | undefined
  lines: readonly string[]
}) {
  const tail = lines.slice(-TAIL).join(' | ')
  return `${problem ?? `exit ${code}`}${tail ? `. Its last lines: ${tail}` : ''}`
}
