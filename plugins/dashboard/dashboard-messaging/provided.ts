/** Services that may be absent. */
import { SvcError } from 'svc/sdk'

/** Throws `DASHBOARD_MESSAGING_ABSENT`. */
export function orAbsent<T>(service: T | undefined, what: string): T {
  if (service !== undefined) return service
  const message = `The service ${what} is not there: its plugin does not run.`
  throw new SvcError('DASHBOARD_MESSAGING_ABSENT', message, { status: 503 })
}
