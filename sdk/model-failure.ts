/** Why a model call failed, classified and said for people: the same for every service that answers over HTTP. */
import { errorCode, errorMessage } from './errors.ts'
import { parseJson } from './model-stream.ts'
import type { ModelFailure } from './providers.ts'

type Kind = ModelFailure['kind']

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
  /** The sentence that says how to change the address, when the user can. */
  readonly change?: string | undefined
  readonly errors: ServiceErrors
  readonly signal: AbortSignal
  /** Milliseconds since 1970, for dates in `Retry-After`. */
  now(): number
  /** Servers may repeat the key they were sent. */
  mask(text: string): string
}

/** What is particular to the errors of one service. */
export interface ServiceErrors {
  /** What a right answer is called: `message`. */
  readonly noun: string
  /** What should be at the address: `the Messages API`. */
  readonly api: string
  /** The header that names the error, when the body does not. */
  readonly codeHeader?: string
  /** What an error means, where that is not told by common words or by its status. */
  kind?(error: {
    readonly status: number
    readonly code: string
    readonly message: string
    readonly wait: number | undefined
  }): Kind | undefined
  /** The status that belongs to the code of an error in the middle of a stream. */
  status?(code: string): number | undefined
  /** How long to wait, where the body says it; in milliseconds. */
  wait?(body: string): number | undefined
  /** A better explanation of an answer than all others. `isPage`: it is HTML. */
  explain?(answer: FailedAnswer & { readonly message: string; readonly isPage: boolean }): ModelFailure | undefined
}

/** An answer that is no stream of events. */
export interface FailedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An error as services write it. */
export interface ServiceError {
  /** There was an `error`, not only some text. */
  readonly isError: boolean
  /** One line, masked, that ends like a sentence; empty when there was none. */
  readonly message: string
  readonly code: string
}

/** Statuses as the services, their imitators and the proxies before them use them. */
const KIND_OF_STATUS: Readonly<Record<number, Kind>> = {
  401: 'auth',
  402: 'billing',
  403: 'auth',
  404: 'model-not-found',
  408: 'timeout',
  413: 'context-overflow',
  429: 'rate-limit',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
}

/** Words weigh more than the status: servers disagree on the status of a spent quota or a full context. */
const KIND_OF_WORDS: readonly (readonly [RegExp, Kind])[] = [
  [/context_length_exceeded|exceed_context_size|context (length|size|window)|prompt is too long/i, 'context-overflow'],
  [/insufficient_quota|credit[_ ]balance|exceeded your current quota|billing/i, 'billing'],
  [/model_not_found|\bmodel\b.{0,80}\b(not found|not exist|not supported)/i, 'model-not-found'],
]

const RETRYABLE: ReadonlySet<Kind> = new Set(['rate-limit', 'overloaded', 'server', 'timeout', 'cut'])

const FIRST_WAIT_MS = 2000
const MAX_WAIT_MS = 60_000
const MAX_RETRY_AFTER_MS = 600_000

/**
 * The one retry policy: milliseconds to wait before a failed call is made again. What the service asks for, at most ten
 * minutes; else 2 s, doubled with every attempt up to 60 s, and up to half of that more, so that not all come back at
 * once. `attempt` counts from 0; `random` is from 0 to 1.
 */
export function retryDelay(failure: Pick<ModelFailure, 'retryAfterMs'>, attempt: number, random: number): number {
  if (failure.retryAfterMs !== undefined) return Math.min(failure.retryAfterMs, MAX_RETRY_AFTER_MS)
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS) * (1 + random / 2)
}

/** A failure of a kind; whether it is worth another try follows from the kind. */
export function modelFailure(
  kind: Kind,
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

/** What an error means by its words, else by its HTTP status. */
export function failureKind(status: number, text: string): Kind {
  const ofWords = KIND_OF_WORDS.find(([pattern]) => pattern.test(text))?.[1]
  return ofWords ?? KIND_OF_STATUS[status] ?? (status >= 500 ? 'server' : 'invalid')
}

/** A status other than 200, or a body that is no stream. */
export function answerFailure(answer: FailedAnswer, call: FailedCall): ModelFailure {
  const { status, headers, body } = answer
  const { noun, codeHeader, wait, explain } = call.errors
  const isPage = /^\s*</.test(body)
  const read = readServiceError(isPage ? '' : body, call.mask)
  const explained = explain?.({ ...answer, isPage, message: read.message })
  if (explained) return explained
  const named = codeHeader === undefined ? '' : (headers[codeHeader]?.split(':')[0] ?? '')
  if (status < 400 && !read.isError && named === '')
    return garbledFailure(call, `answered with something that is no ${noun}`, status)
  const error = { ...read, code: named || read.code }
  return serviceFailure(error, call, { status, wait: retryAfterMs(headers, call.now()) ?? wait?.(body) })
}

/** An `error` in the middle of a stream; its code may be an HTTP status. There are no headers in a stream. */
export function streamFailure(error: unknown, call: FailedCall): ModelFailure {
  const body = JSON.stringify({ error })
  const read = readServiceError(body, call.mask)
  const said = /^[45]\d\d$/.test(read.code) ? Number(read.code) : call.errors.status?.(read.code)
  return serviceFailure(read, call, { status: said ?? 500, wait: call.errors.wait?.(body) })
}

/** Something else than an answer. Worth another try unless all of it was of another kind: it has a `status` then. */
export function garbledFailure({ who, baseUrl, errors }: FailedCall, what: string, status?: number): ModelFailure {
  const message = `${who} ${what}. Check that ${baseUrl} is ${errors.api} and nothing between changes its answers.`
  return { ...modelFailure('garbled', message, { status }), retryable: status === undefined }
}

/** The failure that a service has explained with an error. `wait` is what it asks for, in milliseconds. */
function serviceFailure(
  error: ServiceError,
  call: FailedCall,
  { status, wait }: { readonly status: number; readonly wait: number | undefined },
): ModelFailure {
  const { message, code } = error
  const kind = call.errors.kind?.({ status, code, message, wait }) ?? failureKind(status, `${code} ${message}`)
  const said = message === '' ? `status ${status}.` : message
  return modelFailure(kind, failureSentence(kind, said, call, wait), { status, retryAfterMs: wait, code })
}

/** What `Net` throws, and whoever takes the bytes of the stream apart. */
export function netFailure(error: unknown, call: FailedCall): ModelFailure {
  if (call.signal.aborted) return modelFailure('aborted', 'The call was interrupted.')
  const said = call.mask(errorMessage(error))
  switch (errorCode(error)) {
    case 'NET_UNREACHABLE':
      return unreachable(error, said, call)
    case 'NET_TIMEOUT':
    case 'NET_STALLED':
      return modelFailure('timeout', `${said} Send the message again.`)
    case 'NET_CLOSED':
      return modelFailure('cut', `${said} Send the message again.`)
    case 'NET_TOO_LARGE':
    case 'EVENT_TOO_LARGE':
      return modelFailure('garbled', `${call.who} sent more than an answer: ${said}`)
    default:
      // What is no fault of the network was thrown by whoever took the bytes apart.
      return errorCode(error)?.startsWith('NET_') === false
        ? garbledFailure(call, `sent what cannot be read: ${said.replace(/\.$/, '')}`)
        : modelFailure('unknown', `The call of ${call.baseUrl} failed: ${said}`)
  }
}

/** A stream that was closed in good order, but before its end. */
export function cutFailure({ who }: FailedCall): ModelFailure {
  return modelFailure('cut', `${who} ended its answer in the middle. Send the message again.`)
}

/** No key, or not the right one. `said` is what the service said to the one it got. */
export function authSentence({ who, keyName, hasKey }: FailedCall, said: string): string {
  if (keyName === undefined) return `${who} lets nobody in: ${said}`
  const command = `\`svc config set ${keyName} <key>\``
  return hasKey
    ? `${who} did not accept the key in ${keyName}: ${said} Set the right one with ${command}.`
    : `${who} wants an API key. Type ${command}.`
}

/** As services write it: `{error: {message, type, code}}`, `{error: text}`, `{message}`, `{detail}` or plain text. */
export function readServiceError(body: string, mask: (text: string) => string): ServiceError {
  const { error, message, detail } = parseObject(body)
  const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
  const words = inner['message'] ?? error ?? message ?? detail ?? ''
  const text = typeof words === 'string' ? words : JSON.stringify(words)
  return {
    isError: Boolean(error),
    message: oneLine(mask(text)),
    code: mask(String(inner['code'] || inner['type'] || '')).slice(0, 100),
  }
}

/** How long a server asks to wait: `Retry-After` (RFC 9110, 10.2.3: seconds or a date) or OpenAI's `retry-after-ms`. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '')
  if (exact >= 0) return exact
  const text = headers['retry-after']?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function failureSentence(kind: Kind, said: string, call: FailedCall, wait: number | undefined): string {
  const { who, model } = call
  const again = wait === undefined ? 'Try again in a moment.' : `Try again in ${Math.ceil(wait / 1000)} s.`
  switch (kind) {
    case 'auth':
      return authSentence(call, said)
    case 'billing':
      return `${who} wants to be paid: ${said} Check your plan and credit there, or set another model.provider.`
    case 'rate-limit':
      return `${who} limits how often it may be asked: ${said} ${again}`
    case 'overloaded':
      return `${who} is busy: ${said} ${again}`
    case 'context-overflow':
      return `This conversation is longer than ${model} can read: ${said} Start a new one or use a model that reads more.`
    case 'model-not-found':
      return `${who} has no model "${model}": ${said} Set another with \`svc config set model.default <model>\`.`
    case 'invalid':
      return `${who} did not accept the request: ${said}`
    default:
      return `${who} failed: ${said} ${again}`
  }
}

function unreachable(error: unknown, said: string, call: FailedCall): ModelFailure {
  const code = String((error as { cause?: { code?: unknown } }).cause?.code ?? '')
  const isLasting = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|^EPROTO|^ERR_SSL|^HPE_/.test(code)
  const isDown = call.isLoopback && code === 'ECONNREFUSED'
  return {
    ...modelFailure('unreachable', unreachableSentence(call, said, code)),
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

function parseObject(text: string): { error?: unknown; message?: unknown; detail?: unknown } {
  const parsed = parseJson(text)
  if (!parsed) return { message: text }
  // Google puts its error into a list.
  const first: unknown = Array.isArray(parsed.value) ? parsed.value[0] : parsed.value
  return typeof first === 'object' && first !== null ? first : {}
}

/** At most 300 characters that end like a sentence. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length > 300) return `${line.slice(0, 300)}...`
  return line === '' || /[.!?]$/.test(line) ? line : `${line}.`
}
