/** Why a call failed, classified. The words are in sentences.ts. */
import { errorCode, errorMessage, type ModelFailure } from 'svc/sdk'
import type { Endpoint } from './endpoint.ts'
import { retryAfterMs } from './retry-after.ts'
import { authSentence, nameOf, sentence, unreachableSentence, wrongPathSentence } from './sentences.ts'

/** A call that went wrong. */
export interface FailedCall {
  readonly endpoint: Endpoint
  readonly model: string
  readonly signal: AbortSignal
  /** Milliseconds since 1970, for dates in `Retry-After`. */
  now(): number
  /** Servers may repeat the key they were sent. */
  mask(text: string): string
}

/** An answer that is no stream of events. */
export interface FailedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Kind = ModelFailure['kind']

/** Statuses as OpenAI, its imitators and the proxies before them use them. */
const KIND_OF_STATUS: Readonly<Record<number, Kind>> = {
  401: 'auth',
  402: 'billing',
  403: 'auth',
  404: 'model-not-found',
  408: 'timeout',
  413: 'context-overflow',
  429: 'rate-limit',
  503: 'overloaded',
  529: 'overloaded',
}

/** Words weigh more than the status: servers disagree on the status of a spent quota or a full context. */
const KIND_OF_WORDS: readonly (readonly [RegExp, Kind])[] = [
  [/context_length_exceeded|exceed_context_size|context (length|size|window)|prompt is too long/i, 'context-overflow'],
  [/insufficient_quota|credit_balance|exceeded your current quota|billing/i, 'billing'],
  [/model_not_found|\bmodel\b.{0,80}\b(not found|not exist|not supported)/i, 'model-not-found'],
]

const RETRYABLE: ReadonlySet<Kind> = new Set(['rate-limit', 'overloaded', 'server', 'timeout', 'cut'])

/** An answer with an error status, or one that is not what was asked for. */
export function answerFailure(answer: FailedAnswer, call: FailedCall): ModelFailure {
  const { status, body } = answer
  const isPage = /^\s*</.test(body)
  const wire = readError(isPage ? '' : body, call)
  const lost = lostWith(answer, isPage, wire.message)
  if (lost !== undefined) return failure('invalid', wrongPathSentence(call.endpoint, lost), status)
  if (status < 400 && !wire.isError)
    return failure('garbled', garbledSentence(call, 'answered with something that is no chat completion'), status)
  return errorFailure(wire, status, call, retryAfterMs(answer.headers, call.now()))
}

/** An `error` in the middle of a stream; its code may be an HTTP status. */
export function streamFailure(error: unknown, call: FailedCall): ModelFailure {
  const wire = readError(JSON.stringify({ error }), call)
  return errorFailure(wire, /^[45]\d\d$/.test(wire.code) ? Number(wire.code) : 500, call, undefined)
}

/** What `Net` throws. */
export function transportFailure(error: unknown, call: FailedCall): ModelFailure {
  if (call.signal.aborted) return failure('aborted', 'The call was interrupted.')
  const said = call.mask(errorMessage(error))
  switch (errorCode(error)) {
    case 'NET_UNREACHABLE':
      return unreachable(error, said, call)
    case 'NET_TIMEOUT':
    case 'NET_STALLED':
      return failure('timeout', `${said} Send the message again.`)
    case 'NET_CLOSED':
      return failure('cut', `${said} Send the message again.`)
    case 'NET_TOO_LARGE':
    case 'PROVIDER_EVENT_TOO_LARGE':
      return failure('garbled', garbledSentence(call, `sent more than an answer: ${said}`))
    default:
      return failure('unknown', `The call of ${call.endpoint.baseUrl} failed: ${said}`)
  }
}

/** A stream that was closed in good order, but before its end. */
export function cutFailure(call: FailedCall): ModelFailure {
  return failure('cut', `${nameOf(call.endpoint)} ended its answer in the middle. Send the message again.`)
}

/** A stream of something else. */
export function garbledFailure(call: FailedCall, what: string): ModelFailure {
  return { ...failure('garbled', garbledSentence(call, what)), retryable: true }
}

/** No key where one is always needed: nothing is sent. */
export function missingKey(endpoint: Endpoint): ModelFailure {
  return failure('auth', authSentence(endpoint, ''))
}

function failure(kind: Kind, message: string, status?: number, wait?: number): ModelFailure {
  return {
    kind,
    message,
    retryable: RETRYABLE.has(kind),
    ...(status === undefined ? {} : { status }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  }
}

function errorFailure(wire: WireError, status: number, call: FailedCall, wait: number | undefined): ModelFailure {
  const text = `${wire.code} ${wire.message}`
  const ofWords = KIND_OF_WORDS.find(([words]) => words.test(text))?.[1]
  const kind = ofWords ?? KIND_OF_STATUS[status] ?? (status >= 500 ? 'server' : 'invalid')
  const said = wire.message === '' ? `status ${status}.` : wire.message
  return failure(kind, sentence(kind, said, call, wait), status, wait)
}

/** What shows that the address is wrong. LM Studio answers 200 to paths it does not know. */
function lostWith({ status, headers }: FailedAnswer, isPage: boolean, message: string): string | undefined {
  if (status >= 300 && status < 400) return `sends callers on to ${headers['location'] ?? 'another address'}`
  if (isPage && (status < 400 || status === 404)) return 'answered with a web page'
  const isUnknown = status === 404 ? !/model/i.test(message) : status < 400 && /unexpected endpoint/i.test(message)
  return isUnknown ? 'does not know this path' : undefined
}

function unreachable(error: unknown, said: string, call: FailedCall): ModelFailure {
  const code = String((error as { cause?: { code?: unknown } }).cause?.code ?? '')
  const isLasting = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|^EPROTO|^ERR_SSL|^HPE_/.test(code)
  const isDown = call.endpoint.isLoopback && code === 'ECONNREFUSED'
  return {
    ...failure('unreachable', unreachableSentence(call.endpoint, said, code)),
    retryable: !isLasting && !isDown,
  }
}

function garbledSentence({ endpoint }: FailedCall, what: string): string {
  return `${nameOf(endpoint)} ${what}. Check that ${endpoint.baseUrl} is an OpenAI-compatible API.`
}

interface WireError {
  /** There was an `error`, not only some text. */
  readonly isError: boolean
  readonly message: string
  readonly code: string
}

/** As servers write it: `{error: {message, type, code}}`, `{error: text}`, `{message}`, `{detail}` or plain text. */
function readError(body: string, { mask }: FailedCall): WireError {
  const { error, message, detail } = parseObject(body)
  const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
  const words = inner['message'] ?? error ?? message ?? detail ?? ''
  const text = typeof words === 'string' ? words : JSON.stringify(words)
  const code = String(inner['code'] || inner['type'] || '')
  return { isError: Boolean(error), message: oneLine(mask(text)), code }
}

function parseObject(text: string): { error?: unknown; message?: unknown; detail?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    // Google puts its error into a list.
    const first: unknown = Array.isArray(value) ? value[0] : value
    return typeof first === 'object' && first !== null ? first : {}
  } catch {
    return { message: text }
  }
}

/** At most 300 characters that end like a sentence. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length > 300) return `${line.slice(0, 300)}...`
  return line === '' || /[.!?]$/.test(line) ? line : `${line}.`
}
