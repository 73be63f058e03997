/** Services that may be absent, and refusals of services with the status that HTTP has for them. */
import { SvcError } from 'svc/sdk'

const STATUS: Readonly<Record<string, number>> = {
  CRON_SCHEDULE: 400,
  CRON_NEVER: 400,
  CRON_INPUT: 400,
  CRON_AMBIGUOUS: 400,
  CRON_UNKNOWN: 404,
  CRON_REFUSED: 409,
  TOOLSETS_UNKNOWN: 404,
  TOOLSETS_CLOSED: 409,
  SKILL_NOT_FOUND: 404,
  SKILL_INVALID: 400,
  CONFIG_INVALID: 400,
  CONFIG_CHANGE_DENIED: 403,
}

/** Throws `DASHBOARD_NOT_THERE`. */
export function orAbsent<T>(service: T | undefined, what: string): T {
  if (service !== undefined) return service
  throw new SvcError('DASHBOARD_NOT_THERE', `${what} are not available: their plugin does not run.`, { status: 503 })
}

/** Runs it; what is refused about the request is the client's. */
export async function withStatus<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const status = error instanceof SvcError ? STATUS[error.code] : undefined
    if (!(error instanceof SvcError) || status === undefined) throw error
    throw new SvcError(error.code, error.message, { status, cause: error })
  }
}
