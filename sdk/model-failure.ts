/** Classifies failures of model calls and describes them for people: the same for every HTTP service. */

import { errorCode, errorMessage } from './errors.ts'
import { backoff } from './kit/async/backoff.ts'
import { readServiceError, type ServiceError } from './model-error-body.ts'
import { type ErrorRule, judgeError } from './model-error-rules.ts'
import { saidWait } from './model-wait.ts'
import type { ModelFailure } from './providers.ts'

/** A call that went wrong. */
export interface FailedCall {
  /** The service as a sentence begins with it: `OpenAI`, `The server at http://host/v1`. */
  readonly who: string
  readonly model: string
  readonly baseUrl: string
  readonly isLoopback: boolean
  /** The variable that holds its key, when it has one, and whether that was sent. */
  readonly keyName: string | undefined
  readonly hasKey: boolean
  /** A sentence on how to change the address, if the user can. */
  readonly change?: string | undefined
  readonly errors: ServiceErrorRules
  readonly signal: AbortSignal
  /** Milliseconds since 1970, for dates in `Retry-After`. */
  now(): number
  /** Servers may repeat the key they were sent. */
  mask(text: string): string
}

/** Rules for the errors of one service. @since 0.2 */
export interface ServiceErrorRules {
  /** What a right answer is called: `message`. */
  readonly noun: string
  /** What should be at the address: `the Messages API`. */
  readonly api: string
  /** The header that names the error, when the body does not. */
  readonly codeHeader?: string
  /** Error rules of this service. They are checked before the common ones. */
  readonly rules?: readonly ErrorRule[]
  /** The status that belongs to the code of an error in the middle of a stream. */
  status?(code: string): number | undefined
  /** A better explanation of an answer than all others. `isPage`: it is HTML. */
  explain?(
    answer: ServiceErrorResponse & { readonly message: string; readonly isPage: boolean },
  ): ModelFailure | undefined
}

/** A response that is not an event stream. @since 0.2 */
export interface ServiceErrorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const RETRYABLE: ReadonlySet<ModelFailure['kind']> = new Set(['rate-limit', 'overloaded', 'server', 'timeout', 'cut'])

const RETRY = { firstMs: 2000, maxMs: 60_000, jitter: 0.5 }
const MAX_RETRY_AFTER_MS = 600_000

/**
 * The one retry policy: milliseconds to wait before a failed call is made again. What the service asks for, at most ten
 * minutes; else 2 s, doubled with every attempt up to 60 s, and up to half of that more, so that not all come back at
 * once. `attempt` counts from 0; `random` is from 0 to 1.
 * @since 0.2
 */
export function retryDelayMs(failure: Pick<ModelFailure, 'retryAfterMs'>, attempt: number, random: number): number {
  if (failure.retryAfterMs !== undefined) return Math.min(failure.retryAfterMs, MAX_RETRY_AFTER_MS)
  return backoff(RETRY, attempt + 1, random)
}

/** A failure of a kind; whether it is worth another try follows from the kind. @since 0.2 */
export function createModelFailure(
  kind: ModelFailure['kind'],
  message: string,
  more: {
    readonly status?: number | undefined
    readonly retryAfterMs?: number | undefined
    readonly code?: string | undefined
  } = {},
): ModelFailure {
  const { status, retryAfterMs: wait, code } = more
  return {
    kind,
    message,
    retryable: RETRYABLE.has(kind),
    ...(status === undefined ? {} : { status }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(code ? { code } : {}),
  }
}

/** A status other than 200, or a body that is not a stream. */
export function answerFailure(answer: ServiceErrorResponse, call: FailedCall): ModelFailure {
  const { status, headers, body } = answer
  const { noun, codeHeader, explain } = call.errors
  const isPage = /^\s*</.test(body)
  const read = readServiceError(body, call.mask)
  const explained = explain?.({ ...answer, isPage, message: read.message })
  if (explained) return explained
  const named = codeHeader === undefined ? '' : (headers[codeHeader]?.split(':')[0] ?? '')
  if (status < 400 && !read.isError && named === '')
    return garbledFailure(call, `answered with something that is no ${noun}`, status)
  const error = named === '' ? read : { ...read, code: named, codes: [named, ...read.codes] }
  return serviceFailure(error, call, { status, headers })
}

/** An `error` in the middle of a stream; its code may be an HTTP status. A stream has no headers. */
export function streamFailure(error: unknown, call: FailedCall): ModelFailure {
  const read = readServiceError(JSON.stringify({ error }), call.mask)
  const said = /^[45]\d\d$/.test(read.code) ? Number(read.code) : call.errors.status?.(read.code)
  return serviceFailure(read, call, { status: said ?? 500, headers: {} })
}

/** The service could not read what its model wrote: the next try may go well. */
export function miswrittenFailure(call: FailedCall, said: string): ModelFailure {
  return { ...createModelFailure('garbled', miswrittenSentence(call, call.mask(said))), retryable: true }
}

/** Something else than an answer. Worth another try unless all of it was of another kind: it has a `status` then. */
export function garbledFailure({ who, baseUrl, errors }: FailedCall, what: string, status?: number): ModelFailure {
  const message = `${who} ${what}. Check that ${baseUrl} is ${errors.api} and nothing between changes its answers.`
  return { ...createModelFailure('garbled', message, { status }), retryable: status === undefined }
}

/** The failure that a service has explained with an error. */
function serviceFailure(
  error: ServiceError,
  call: FailedCall,
  { status, headers }: Pick<ServiceErrorResponse, 'status' | 'headers'>,
): ModelFailure {
  const { message, code, text } = error
  const asked = saidWait({ headers, status, parsed: error.parsed, text }, call.now())
  const { kind, lasting } = judgeError({ status, codes: error.codes, text, wait: asked }, call.errors.rules)
  const said = message === '' ? `status ${status}.` : message
  const wait = lasting ? undefined : asked
  const failure = createModelFailure(kind, failureSentence(kind, said, call, lasting ? 'lasting' : wait), {
    status,
    retryAfterMs: wait,
    code,
  })
  // A call before the named time is refused again; no user waits at a screen for longer than this.
  const isTooLong = wait !== undefined && wait > MAX_RETRY_AFTER_MS
  return { ...failure, retryable: kind === 'garbled' || (failure.retryable && !lasting && !isTooLong) }
}

/** Errors thrown by `Net` and by the parser of the stream. */
export function netFailure(error: unknown, call: FailedCall): ModelFailure {
  if (call.signal.aborted) return createModelFailure('aborted', 'The call was interrupted.')
  const said = call.mask(errorMessage(error))
  switch (errorCode(error)) {
    case 'NET_UNREACHABLE':
      return unreachable(error, said, call)
    case 'NET_TIMEOUT':
    case 'NET_STALLED':
      return createModelFailure('timeout', `${said} Send the message again.`)
    case 'NET_CLOSED':
      return createModelFailure('cut', `${said} Send the message again.`)
    case 'NET_TOO_LARGE':
    case 'EVENT_TOO_LARGE':
      return createModelFailure('garbled', `${call.who} sent more than an answer: ${said}`)
    default:
      // Other errors than those of the network were thrown by the parser.
      return errorCode(error)?.startsWith('NET_') === false
        ? garbledFailure(call, `sent what cannot be read: ${said.replace(/\.$/, '')}`)
        : createModelFailure('unknown', `The call of ${call.baseUrl} failed: ${said}`)
  }
}

/** A stream that was closed in good order, but before its end. */
export function cutFailure({ who }: FailedCall): ModelFailure {
  return createModelFailure('cut', `${who} ended its answer in the middle. Send the message again.`)
}

/** A missing or wrong key. `said` is the error of the service for the key. */
export function authSentence({ who, keyName, hasKey }: FailedCall, said: string): string {
  if (keyName === undefined) return `${who} refuses access: ${said}`
  const command = `\`svc config set ${keyName} <key>\``
  return hasKey
    ? `${who} did not accept the key in ${keyName}: ${said} Set the right one with ${command}.`
    : `${who} wants an API key. Type ${command}.`
}

function failureSentence(
  kind: ModelFailure['kind'],
  said: string,
  call: FailedCall,
  wait: number | 'lasting' | undefined,
): string {
  const { who, model } = call
  const again = againSentence(wait)
  switch (kind) {
    case 'auth':
      return authSentence(call, said)
    case 'billing':
      return `${who} rejected the request because of billing: ${said} Check your plan and credit there, or set another model.provider.`
    case 'rate-limit':
      return `${who} is rate-limiting requests: ${said} ${again}`
    case 'overloaded':
      return `${who} is busy: ${said} ${again}`
    case 'context-overflow':
      return `This conversation is longer than ${model} can read: ${said} Start a new one or use a model that reads more.`
    case 'payload-too-large':
      return `This conversation has more bytes than ${who} takes: ${said} Start a new one, or leave pictures out.`
    case 'picture-refused':
      return `${model} did not take a picture: ${said}`
    case 'model-not-found':
      return `${who} has no model "${model}": ${said} Set another with \`svc config set model.default <model>\`.`
    case 'invalid':
      return `${who} did not accept the request: ${said}`
    case 'filtered':
      return `${who} held back what was asked of ${model}: ${said} Ask in another way or choose another model.`
    case 'garbled':
      return miswrittenSentence(call, said)
    default:
      return `${who} failed: ${said} ${again}`
  }
}

function againSentence(wait: number | 'lasting' | undefined): string {
  if (wait === 'lasting') return 'Waiting a moment does not help: come back later, or set another model.'
  if (wait === undefined) return 'Try again in a moment.'
  const seconds = Math.ceil(wait / 1000)
  if (seconds <= 600) return `Try again in ${seconds} s.`
  return seconds <= 7200
    ? `Try again in ${Math.ceil(seconds / 60)} min.`
    : `Try again in ${Math.ceil(seconds / 3600)} h.`
}

function miswrittenSentence({ who, model }: FailedCall, said: string): string {
  return `${who} could not read what ${model} wrote: ${said}${/[.!?]$/.test(said) ? '' : '.'} Ask again or choose another model.`
}

function unreachable(error: unknown, said: string, call: FailedCall): ModelFailure {
  const code = String((error as { cause?: { code?: unknown } }).cause?.code ?? '')
  const isLasting = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|^EPROTO|^ERR_SSL|^HPE_/.test(code)
  const isDown = call.isLoopback && code === 'ECONNREFUSED'
  return {
    ...createModelFailure('unreachable', unreachableSentence(call, said, code)),
    retryable: !isLasting && !isDown,
  }
}

function unreachableSentence({ change, isLoopback, baseUrl }: FailedCall, said: string, code: string): string {
  const advice = change === undefined ? '' : ` ${change}`
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code))
    return `${said} Its certificate is not trusted; name the file of your own authority in NODE_EXTRA_CA_CERTS.`
  if (/^EPROTO|^ERR_SSL|^HPE_/.test(code))
    return `${said} What answers there does not speak ${baseUrl.startsWith('https') ? 'HTTPS' : 'HTTP'}.${advice}`
  const check = isLoopback ? 'Check that the server runs.' : 'Check your network connection and that the server runs.'
  return `${said} ${check}${advice}`
}
