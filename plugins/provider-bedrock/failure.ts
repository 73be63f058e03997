/**
 * What is particular to errors of Bedrock
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html).
 */
import {
  type FailedCall,
  failureKind,
  type ModelFailure,
  modelFailure,
  readServiceError,
  retryAfterMs,
  serviceFailure,
} from 'svc/sdk'
import type { StreamError } from './assemble.ts'

type Kind = ModelFailure['kind']

/** By the type of the exception, in lower case and without its last word: statuses of several mean something else. */
const KINDS: Readonly<Record<string, Kind>> = {
  accessdenied: 'auth',
  expiredtoken: 'auth',
  unrecognizedclient: 'auth',
  throttling: 'rate-limit',
  modelnotready: 'overloaded',
  serviceunavailable: 'overloaded',
  modeltimeout: 'timeout',
  modelerror: 'server',
  modelstreamerror: 'server',
  internalserver: 'server',
  internalfailure: 'server',
  servicequotaexceeded: 'rate-limit',
  resourcenotfound: 'model-not-found',
}
const WORDS: readonly (readonly [RegExp, Kind])[] = [
  [/input is too long|maximum (context|input) length|prompt is too long/i, 'context-overflow'],
  [/model identifier is invalid|inference profile|end of its life|don't have access to the model/i, 'model-not-found'],
]

/** A status other than 200, or a body that is no event stream. */
export function answerFailure(
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  body: string,
  call: FailedCall,
): ModelFailure {
  const isPage = /^\s*</.test(body)
  const error = readServiceError(isPage ? '' : body, call.mask)
  const type = (headers['x-amzn-errortype'] ?? '').split(':')[0] ?? ''
  if (status < 400 && type === '')
    return garbledFailure(call, 'answered with something that is no event stream', status)
  const code = type || error.code
  const wait = retryAfterMs(headers, call.now())
  return serviceFailure({ ...error, code }, call, { status, wait, kind: kindOf(status, code, error.message) })
}

/** An exception in the middle of a stream. */
export function streamFailure({ name, message }: StreamError, call: FailedCall): ModelFailure {
  const error = readServiceError(JSON.stringify({ message }), call.mask)
  const status = STATUS_OF_NAME[plain(name)] ?? 500
  return serviceFailure({ ...error, code: name }, call, { status, kind: kindOf(status, name, error.message) })
}

/** A stream of something else. Worth another try unless the whole answer was of another kind. */
export function garbledFailure({ who, baseUrl }: FailedCall, what: string, status?: number): ModelFailure {
  const message = `${who} ${what}. Check that ${baseUrl} is Bedrock and nothing between changes its answers.`
  return { ...modelFailure('garbled', message, { status }), retryable: status === undefined }
}

const STATUS_OF_NAME: Readonly<Record<string, number>> = {
  validation: 400,
  accessdenied: 403,
  modeltimeout: 408,
  modelstreamerror: 424,
  throttling: 429,
  internalserver: 500,
  serviceunavailable: 503,
}

/** A full context is a validation exception there, and a wrong model, too. */
function kindOf(status: number, name: string, message: string): Kind {
  const ofWords = WORDS.find(([pattern]) => pattern.test(message))?.[1]
  return ofWords ?? KINDS[plain(name)] ?? failureKind(status, message)
}

function plain(name: string): string {
  return name.toLowerCase().replace(/(exception|error)$/, '')
}
