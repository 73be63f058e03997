/** What is to be removed, by what plugins know of. */
import { errorMessage, type Logger, logFault } from 'svc/sdk'
import type { Uninstaller, UninstallStep } from 'svc/sdk/operations'

export type Plan = Awaited<ReturnType<Uninstaller['plan']>>

interface PlanDeps {
  readonly signal: AbortSignal
  readonly log: Logger
  /** The plugin that a step comes from. */
  readonly owner: (step: string) => string | undefined
}

const PHASES: readonly UninstallStep['phase'][] = ['running', 'files', 'program']

export async function makePlan(steps: readonly UninstallStep[], { signal, log, owner }: PlanDeps): Promise<Plan> {
  const plan: Plan[number][] = []
  for (const phase of PHASES)
    for (const step of steps.filter((each) => each.phase === phase)) {
      signal.throwIfAborted()
      try {
        plan.push({ step: step.name, phase, items: await step.find(signal) })
      } catch (error) {
        signal.throwIfAborted()
        logFault(log, `the uninstall step ${step.name} failed`, error, owner(step.name))
        plan.push({ step: step.name, phase, items: [{ text: errorMessage(error) }] })
      }
    }
  return plan
}
