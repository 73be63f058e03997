/** Looks at the checks of a task in the process of the dispatcher, after its worker has ended. */
import { errorMessage } from 'svc/sdk'
import type { Task, TaskCheck, TaskEvidence } from 'svc/sdk/kanban'
import { checkFile } from './check-files.ts'
import { checkHttp } from './check-http.ts'
import type { CheckDeps, CheckResult } from './checks.ts'
import { type ProgramEnd, runProgram } from './run-program.ts'

const MAX_DETAIL = 500

/** All of them, in order; the first that is not met does not keep the others from being looked at. Rejects when the signal aborts. */
export async function verify(
  { checks }: Pick<Task, 'checks'>,
  workspace: string,
  deps: CheckDeps,
  signal: AbortSignal,
): Promise<readonly TaskEvidence[]> {
  const evidence: TaskEvidence[] = []
  for (const [index, check] of checks.entries()) {
    await deps.beforeEach?.()
    const { isMet, detail } = await look(check, workspace, deps, signal)
    signal.throwIfAborted()
    const line = deps.mask(detail).replace(/\s+/g, ' ').trim().slice(0, MAX_DETAIL)
    evidence.push({ check: index, isMet, detail: line, at: deps.clock.now() })
  }
  return evidence
}

/** What cannot be looked at is not met. */
async function look(check: TaskCheck, workspace: string, deps: CheckDeps, signal: AbortSignal): Promise<CheckResult> {
  try {
    switch (check.type) {
      case 'command':
        return await checkCommand(check, workspace, deps, signal)
      case 'file':
      case 'hash':
        return await checkFile(check, workspace, signal)
      case 'http':
        return await checkHttp(check, deps, signal)
      default:
        return { isMet: false, detail: `there is no check of the kind ${JSON.stringify((check as TaskCheck).type)}` }
    }
  } catch (error) {
    signal.throwIfAborted()
    deps.log.info('a check could not be looked at', { type: check.type, error })
    return { isMet: false, detail: `it could not be looked at: ${errorMessage(error)}` }
  }
}

async function checkCommand(
  check: Extract<TaskCheck, { type: 'command' }>,
  workspace: string,
  { environment, clock, timeoutMs }: CheckDeps,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { command, exitCode = 0 } = check
  const limit = check.timeoutMs ?? timeoutMs
  const run = { command: ['/bin/sh', '-c', command], cwd: workspace, environment, timeoutMs: limit, signal, clock }
  const end = await runProgram(run)
  const isMet = end.kind === 'exited' && end.code === exitCode
  return { isMet, detail: `${JSON.stringify(command)} ${describeEnd(end, limit)}${isMet ? '' : lastWords(end)}` }
}

function describeEnd({ kind, code, detail, sha256 }: ProgramEnd, limitMs: number): string {
  if (kind === 'timeout') return `did not end within ${limitMs / 1000} s`
  if (kind === 'not-started') return `could not be started: ${detail}`
  return `${detail ?? `ended with ${code}`}, output SHA-256 ${sha256.slice(0, 16)}`
}

function lastWords({ tail }: ProgramEnd): string {
  const lines = tail.trim().split('\n').slice(-3).join(' / ')
  return lines === '' ? '' : `: ${lines}`
}
