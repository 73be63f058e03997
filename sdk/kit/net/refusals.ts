/** Refusals of services over HTTP. Services know no HTTP, so each front end lists the statuses of the codes that it passes on. */
import { SvcError } from '../../errors.ts'

/**
 * Runs it. An `SvcError` whose code is in `statuses` is thrown again with that HTTP status; any other error as it is.
 * @since 0.2
 */
export async function withStatus<T>(statuses: Readonly<Record<string, number>>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const status = error instanceof SvcError ? statuses[error.code] : undefined
    if (!(error instanceof SvcError) || status === undefined) throw error
    throw new SvcError(error.code, error.message, { status, cause: error })
  }
}

/** The service. Throws `SERVICE_ABSENT` (status 503) without one, with its name. @since 0.2 */
export function requireService<T>(service: T | undefined, name: string): T {
  if (service !== undefined) return service
  throw new SvcError('SERVICE_ABSENT', `The service ${name} is not available: its plugin does not run.`, {
    status: 503,
  })
}
