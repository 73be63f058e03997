/** Why a model call failed, classified and said for people: the same for every service that answers over HTTP. */
import { errorCode, errorMessage } from './errors.ts'
import type { Image, Message } from './messages.ts'
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

/** What an error means by its words (an own table of the service first), else by its HTTP status. */
export function failureKind(
  status: number,
  text: string,
  words: readonly (readonly [RegExp, Kind])[] = [],
): ModelFailure['kind'] {
  const ofWords = [...words, ...KIND_OF_WORDS].find(([pattern]) => pattern.test(text))?.[1]
  return ofWords ?? KIND_OF_STATUS[status] ?? (status >= 500 ? 'server' : 'invalid')
}

/** The failure that a service has explained with an error. `wait` is what it asks for, in milliseconds. */
export function serviceFailure(
  error: ServiceError,
  call: FailedCall,
  { status, kind, wait }: { readonly status: number; readonly kind?: Kind; readonly wait?: number | undefined },
): ModelFailure {
  const found = kind ?? failureKind(status, `${error.code} ${error.message}`)
  const said = error.message === '' ? `status ${status}.` : error.message
  return modelFailure(found, failureSentence(found, said, call, wait), { status, retryAfterMs: wait, code: error.code })
}

/** What `Net` throws, and a stream that has no end to its events. */
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
      return modelFailure('unknown', `The call of ${call.baseUrl} failed: ${said}`)
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

/** The pictures that a service takes. */
export interface PictureLimits {
  /** Media types, such as `image/png`. */
  readonly types: readonly string[]
  /** Of one picture. */
  readonly maxBytes: number
}

/** What a picture is called in its place when the service does not take it; undefined when it does. */
export function unseenPicture(image: Image, { types, maxBytes }: PictureLimits): string | undefined {
  if (!types.includes(image.mediaType)) return `[a picture of type ${image.mediaType}, which this model cannot see]`
  const bytes = pictureBytes(image)
  return bytes <= maxBytes ? undefined : `[a picture of ${megabytes(bytes)}, too large for this model]`
}

/**
 * The failure of a call whose last message is the user's and has a picture that the service does not take: nothing needs
 * to be sent. Pictures further up are no reason to fail, or the conversation could never go on: they are put in words.
 */
export function pictureFailure(
  messages: readonly Message[],
  limits: PictureLimits,
  who: string,
): ModelFailure | undefined {
  const last = messages.at(-1)
  const image = last?.role === 'user' ? last.images?.find((each) => unseenPicture(each, limits)) : undefined
  if (!image) return undefined
  const kinds = limits.types.map((type) => type.replace('image/', '').toUpperCase()).join(', ')
  const why = limits.types.includes(image.mediaType)
    ? `A picture has ${megabytes(pictureBytes(image))}, and ${who} takes ${megabytes(limits.maxBytes)} at most`
    : `A picture is of type ${image.mediaType}, and ${who} takes ${kinds}`
  return modelFailure('invalid', `${why}. Nothing was sent. Change the picture and send it again.`)
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
  try {
    const value: unknown = JSON.parse(text)
    // Google puts its error into a list.
    const first: unknown = Array.isArray(value) ? value[0] : value
    return typeof first === 'object' && first !== null ? first : {}
  } catch {
    return { message: text }
  }
}

/** Four characters of base64 are three bytes. */
function pictureBytes({ data }: Image): number {
  return Math.ceil(data.length * 0.75)
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2).replace(/\.?0+$/, '')} MB`
}

/** At most 300 characters that end like a sentence. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length > 300) return `${line.slice(0, 300)}...`
  return line === '' || /[.!?]$/.test(line) ? line : `${line}.`
}
