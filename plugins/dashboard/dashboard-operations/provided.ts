/** Services that may be absent, and refusals of services with the status that HTTP has for them. */
import { SvcError } from 'svc/sdk'

const STATUS: Readonly<Record<string, number>> = {
  APPROVAL_UNKNOWN: 404,
  APPROVAL_CHOICE: 400,
  CHECKPOINT_UNKNOWN: 404,
  CHECKPOINT_PATH: 400,
  LOG_FILE_UNKNOWN: 404,
  PLUGIN_LEFT_OUT: 409,
  CONFIG_CHANGE_DENIED: 403,
}

/** Throws `DASHBOARD_ABSENT`. */
export function orAbsent<T>(service: T | undefined, what: string): T {
  if (service !== undefined) return service
  throw new SvcError('DASHBOARD_ABSENT', `The service ${what} is not there: its plugin does not run.`, { status: 503 })
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
