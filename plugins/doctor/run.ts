/** Runs checks side by side, each with a time limit. */
import { type Clock, errorMessage, type Health, type HealthCheck, type HealthFinding } from 'svc/sdk'

type Reports = Awaited<ReturnType<Health['run']>>

const LIMIT_MS = 10_000
const USUAL_ORDER = 50

export async function runChecks(
  checks: readonly HealthCheck[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Reports> {
  const sorted = [...checks].sort((one, two) => (one.order ?? USUAL_ORDER) - (two.order ?? USUAL_ORDER))
  return Promise.all(
    sorted.map(async (check) => ({
      check: check.name,
      title: check.title,
      findings: await findingsOf(check, clock, signal),
    })),
  )
}

async function findingsOf(check: HealthCheck, clock: Clock, outer: AbortSignal): Promise<readonly HealthFinding[]> {
  const late = new AbortController()
  let cancel = () => {}
  const timeout = new Promise<never>((_, reject) => {
    cancel = clock.after(LIMIT_MS, () => {
      late.abort()
      reject(new Error(`it took longer than ${LIMIT_MS / 1000} s`))
    })
  })
  timeout.catch(() => undefined)
  try {
    return await Promise.race([check.check(AbortSignal.any([outer, late.signal])), timeout])
  } catch (error) {
    const fix = 'Run it again; the folder logs in SVC_HOME has the details.'
    return [{ state: 'problem', text: `This could not be checked: ${errorMessage(error)}`, fix }]
  } finally {
    cancel()
  }
}
