/** Runs checks concurrently, each with a time limit. */
import { type Clock, errorMessage, type Logger, logFault } from 'svc/sdk'
import type { Health, HealthCheck } from 'svc/sdk/host'
import { runEach } from 'svc/sdk/kit/async'

type Report = Awaited<ReturnType<Health['run']>>[number]

interface CheckDeps {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly log: Logger
  /** The plugin that a check comes from. */
  readonly owner: (check: string) => string | undefined
}

const LIMIT_MS = 10_000

export function runChecks(
  checks: readonly HealthCheck[],
  { clock, signal, log, owner }: CheckDeps,
): Promise<readonly Report[]> {
  return runEach<HealthCheck, Report>(checks, {
    ...{ clock, signal, timeoutMs: LIMIT_MS },
    run: async (check, ends) => ({ check: check.name, title: check.title, findings: await check.check(ends) }),
    failed({ name, title }, error) {
      logFault(log, `the health check ${name} failed`, error, owner(name))
      const text = `This could not be checked: ${errorMessage(error)}`
      const fix = 'Run it again; the folder logs in SVC_HOME has the details.'
      return { check: name, title, findings: [{ state: 'problem', text, fix }] }
    },
  })
}
