/** Refusals of the writer of the configuration, with the status that HTTP has for them. */
import { SvcError } from 'svc/sdk'

const STATUS: Readonly<Record<string, number>> = {
  CONFIG_INVALID: 400,
  CONFIG_UNREADABLE: 400,
  CONFIG_PATH: 400,
  CONFIG_EDIT_CONFLICT: 409,
  CONFIG_UNDO_CONFLICT: 409,
  CONFIG_CHANGE_DENIED: 403,
  CREDENTIALS_PLACEHOLDER: 400,
  CREDENTIALS_UNKNOWN: 404,
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
