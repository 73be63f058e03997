/** Runs checks side by side, each with a time limit. */
import { type Clock, errorMessage, type Logger, logFault } from 'svc/sdk'
import type { Health, HealthCheck, HealthFinding } from 'svc/sdk/host'
import { withDeadline } from 'svc/sdk/kit/async'

type Reports = Awaited<ReturnType<Health['run']>>

interface CheckDeps {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly log: Logger
  /** The plugin that a check comes from. */
  readonly owner: (check: string) => string | undefined
}

const LIMIT_MS = 10_000

export async function runChecks(checks: readonly HealthCheck[], deps: CheckDeps): Promise<Reports> {
  return Promise.all(
    checks.map(async (check) => ({
      check: check.name,
      title: check.title,
      findings: await runCheck(check, deps),
    })),
  )
}

async function runCheck(
  check: HealthCheck,
  { clock, signal: outer, log, owner }: CheckDeps,
): Promise<readonly HealthFinding[]> {
  const late = () => new Error(`it took longer than ${LIMIT_MS / 1000} s`)
  try {
    return await withDeadline(clock, LIMIT_MS, async (signal) => check.check(signal), late, { signal: outer })
  } catch (error) {
    logFault(log, `the health check ${check.name} failed`, error, owner(check.name))
    const fix = 'Run it again; the folder logs in SVC_HOME has the details.'
    return [{ state: 'problem', text: `This could not be checked: ${errorMessage(error)}`, fix }]
  }
}
