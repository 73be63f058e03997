/** What is particular to Google's errors (https://ai.google.dev/gemini-api/docs/troubleshooting). */
import {
  type FailedCall,
  failureKind,
  type ModelFailure,
  modelFailure,
  readServiceError,
  retryAfterMs,
  serviceFailure,
} from 'svc/sdk'

type Kind = ModelFailure['kind']

/** A wrong key is a bad request there, and a full context is told in other words. */
const WORDS: readonly (readonly [RegExp, Kind])[] = [
  [/API[ _]key (not valid|expired)|API_KEY_INVALID|API key was reported as leaked/i, 'auth'],
  [/input token count .{0,40}exceeds|exceeds the maximum number of tokens/i, 'context-overflow'],
  [/models\/\S+ is not found|is not supported for generateContent/i, 'model-not-found'],
]

/** A status other than 200, or a body that is no stream. */
export function answerFailure(
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  body: string,
  call: FailedCall,
): ModelFailure {
  const isPage = /^\s*</.test(body)
  const error = readServiceError(isPage ? '' : body, call.mask)
  if (status < 400 && !error.isError) return garbledFailure(call, 'answered with something that is no content', status)
  const wait = retryAfterMs(headers, call.now()) ?? retryDelayMs(body)
  return serviceFailure(error, call, { status, wait, kind: kindOf(status, error.message, wait) })
}

/** An `error` in the middle of a stream; it carries its HTTP status. */
export function streamFailure(error: unknown, call: FailedCall): ModelFailure {
  const body = JSON.stringify({ error })
  const read = readServiceError(body, call.mask)
  const status = /^[45]\d\d$/.test(read.code) ? Number(read.code) : 500
  const wait = retryDelayMs(body)
  return serviceFailure(read, call, { status, wait, kind: kindOf(status, read.message, wait) })
}

/** A stream of something else. Worth another try unless the whole answer was of another kind. */
export function garbledFailure({ who, baseUrl }: FailedCall, what: string, status?: number): ModelFailure {
  const message = `${who} ${what}. Check that ${baseUrl} is Google's API and nothing between changes its answers.`
  return { ...modelFailure('garbled', message, { status }), retryable: status === undefined }
}

/** A quota that comes back by itself has a time; one that has to be paid for has none. */
function kindOf(status: number, message: string, wait: number | undefined): Kind {
  return status === 429 && wait !== undefined ? 'rate-limit' : failureKind(status, message, WORDS)
}

/** `google.rpc.RetryInfo` among the details: `"retryDelay": "34.07s"`. */
function retryDelayMs(body: string): number | undefined {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000)
}
