/** Failures as a client may see them: no stack, no secret, no details of unexpected errors. */
import { errorCode, errorMessage, type Logger, SvcError } from 'svc/sdk'
import { type HttpApp, type HttpResponse, jsonResponse } from 'svc/sdk/web'

/** A failure in the form that apps receive. */
export interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param?: string
}

export interface FailureDeps {
  readonly log: Logger
  readonly mask: (text: string) => string
}

/** Errors of ours are for people. Those of the router are about the request; all others are for the log. */
export function toFailure(error: unknown, { log, mask }: FailureDeps): Failure {
  const { code = '', statusCode = 500 } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  if (errorCode(error) !== 'INTERNAL') {
    const { status = 500, param } = error as { status?: number; param?: string }
    return { status, code: errorCode(error), message: mask(errorMessage(error)), ...(param !== undefined && { param }) }
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return {
      status: statusCode,
      code: 'HTTP_BAD_REQUEST',
      message: `The request is malformed: ${errorMessage(error)}.`,
    }
  log.error('a request failed', { error })
  return { status: 500, code: 'HTTP_FAILED', message: 'The server failed while it answered. Its log says why.' }
}

const tooLarge: Failure = {
  status: 413,
  code: 'HTTP_TOO_LARGE',
  message: 'The body is larger than this path takes. Send less.',
}

/** In the words of the app; when those fail, in ours. */
export function failureReply(app: HttpApp | undefined, failure: Failure, log: Logger): HttpResponse {
  try {
    if (app?.failure) return app.failure(failure)
  } catch (error) {
    log.error('a failure could not be told', { app: app?.name, error })
  }
  return jsonResponse({ error: failure.message }, failure.status)
}

/** Nothing is there, or not with this method. */
export function createNotServed(path: string, allowed: readonly string[]): SvcError {
  const shown = path.split('?')[0]?.slice(0, 200) ?? ''
  if (allowed.length === 0)
    return new SvcError('HTTP_NOT_FOUND', `Nothing is served at ${shown}. Check the address.`, { status: 404 })
  return new SvcError('HTTP_METHOD', `${shown} takes only ${allowed.join(', ')}.`, { status: 405 })
}
