/** What the end of a worker means for its run. */
import { RATE_LIMIT_EXIT, type RunEnd, type WorkerReport } from 'svc/sdk/kanban'
import type { WorkerExit } from './worker-process.ts'

/** How a run ends whose worker is gone without having completed, blocked or handed in its task. */
export function judgeEnd(exit: WorkerExit | undefined, report: WorkerReport | undefined): RunEnd {
  const code = report?.exitCode ?? exit?.code ?? undefined
  const details = { exitCode: code ?? null, signal: exit?.signal ?? null }
  if (code === 0)
    return {
      outcome: 'protocol_violation',
      error: 'The worker ended as if it were done, and neither completed nor blocked the task.',
      details,
    }
  if (code === RATE_LIMIT_EXIT)
    return {
      outcome: 'rate_limited',
      error: report?.error ?? 'The model service refused the worker for a while.',
      details,
    }
  return { outcome: 'crashed', error: describe(exit, report), details }
}

function describe(exit: WorkerExit | undefined, report: WorkerReport | undefined): string {
  if (report) return `The worker ended with ${report.exitCode}: ${report.error ?? 'it gave no reason; see its log'}`
  if (exit?.signal) return `The worker was ended by ${exit.signal}.`
  if (typeof exit?.code === 'number') return `The worker ended with ${exit.code} and gave no reason; see its log.`
  return 'The worker is gone and left no report: it was killed, or the machine was restarted.'
}
