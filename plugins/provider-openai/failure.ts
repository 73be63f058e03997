/** Why a call failed, where it is not the same for every service: a wrong path, and answers of something else. */
import {
  authSentence,
  type FailedAnswer,
  type FailedCall,
  type ModelFailure,
  modelFailure,
  readServiceError,
  retryAfterMs,
  serviceFailure,
} from 'svc/sdk'
import type { Endpoint } from './endpoint.ts'
import { changeSentence, nameOf, wrongPathSentence } from './sentences.ts'

/** A call of one endpoint that went wrong. */
export interface ChatCall extends FailedCall {
  readonly endpoint: Endpoint
}

/** What failures of a call are told with. */
export function chatCall(endpoint: Endpoint, call: Pick<FailedCall, 'model' | 'signal' | 'now' | 'mask'>): ChatCall {
  const { baseUrl, isLoopback, key, keyName, setting } = endpoint
  const fixed = { who: nameOf(endpoint), baseUrl, isLoopback, keyName, hasKey: key !== undefined }
  return { endpoint, ...fixed, change: changeSentence(setting), ...call }
}

/** An answer with an error status, or one that is not what was asked for. */
export function answerFailure(answer: FailedAnswer, call: ChatCall): ModelFailure {
  const { status, body } = answer
  const isPage = /^\s*</.test(body)
  const error = readServiceError(isPage ? '' : body, call.mask)
  const lost = lostWith(answer, isPage, error.message)
  if (lost !== undefined) return modelFailure('invalid', wrongPathSentence(call.endpoint, lost), { status })
  if (status < 400 && !error.isError)
    return modelFailure('garbled', garbledSentence(call, `answered with something that is no ${wireNoun(call)}`), {
      status,
    })
  return serviceFailure(error, call, { status, wait: retryAfterMs(answer.headers, call.now()) })
}

/** Codes of errors in a stream, as statuses (`ResponseError.code` in the reference of the Responses API). */
const STATUS_OF_CODE: readonly (readonly [RegExp, number])[] = [
  [/^rate_limit_exceeded$/, 429],
  [/overloaded|slow_down/, 503],
  [/^(invalid|image|empty_image|unsupported|failed_to_download|data_residency|bio_policy)/, 400],
]

/** An `error` in the middle of a stream; its code may be an HTTP status. */
export function streamFailure(error: unknown, call: ChatCall): ModelFailure {
  const read = readServiceError(JSON.stringify({ error }), call.mask)
  const isStatus = /^[45]\d\d$/.test(read.code)
  const status = isStatus ? Number(read.code) : STATUS_OF_CODE.find(([code]) => code.test(read.code))?.[1]
  return serviceFailure(read, call, { status: status ?? 500, wait: saidWait(read.message) })
}

/** There are no headers in a stream: OpenAI says in words how long to wait. */
function saidWait(message: string): number | undefined {
  const [, count, unit] = /try again in (\d+(?:\.\d+)?)\s?(ms|s)\b/i.exec(message) ?? []
  return count === undefined ? undefined : Math.ceil(Number(count) * (unit === 'ms' ? 1 : 1000))
}

/** What an answer is called. */
export function wireNoun({ endpoint }: ChatCall): string {
  return endpoint.wire === 'chat' ? 'chat completion' : 'response of the Responses API'
}

/** A stream of something else. */
export function garbledFailure(call: ChatCall, what: string): ModelFailure {
  return { ...modelFailure('garbled', garbledSentence(call, what)), retryable: true }
}

/** No key where one is always needed: nothing is sent. */
export function missingKey(call: ChatCall): ModelFailure {
  return modelFailure('auth', authSentence(call, ''))
}

/** What shows that the address is wrong. LM Studio answers 200 to paths it does not know. */
function lostWith({ status, headers }: FailedAnswer, isPage: boolean, message: string): string | undefined {
  if (status >= 300 && status < 400) return `sends callers on to ${headers['location'] ?? 'another address'}`
  if (isPage && (status < 400 || status === 404)) return 'answered with a web page'
  const isUnknown = status === 404 ? !/model/i.test(message) : status < 400 && /unexpected endpoint/i.test(message)
  return isUnknown ? 'does not know this path' : undefined
}

function garbledSentence({ endpoint }: ChatCall, what: string): string {
  return `${nameOf(endpoint)} ${what}. Check that ${endpoint.baseUrl} is an OpenAI-compatible API.`
}
