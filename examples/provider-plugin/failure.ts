/** Why a call failed, so that the agent knows what to do and the user what to type. */
import { errorCode, errorMessage } from 'svc/sdk'
import type { ModelFailure, ModelRequest } from 'svc/sdk/provider'

type Kind = ModelFailure['kind']

/** Those that may go away by themselves. */
const passing: ReadonlySet<Kind> = new Set(['cut', 'overloaded', 'server', 'timeout'])

const kindOfCode: Readonly<Record<string, Kind>> = {
  NET_UNREACHABLE: 'unreachable',
  NET_TIMEOUT: 'timeout',
  NET_STALLED: 'timeout',
  NET_CLOSED: 'cut',
}

export function failure(kind: Kind, message: string, status?: number): ModelFailure {
  return { kind, message, retryable: passing.has(kind), ...(status !== undefined && { status }) }
}

/** An answer with another status than 200. Its body is `{ "error": "..." }`. */
export function statusFailure(status: number, body: string): ModelFailure {
  const said = /"error"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? `status ${status}`
  if (status === 404) return failure('model-not-found', `Ollama says: ${said}. Get it with \`ollama pull\`.`, status)
  if (status === 503) return failure('overloaded', `Ollama is busy: ${said}.`, status)
  return failure(status >= 500 ? 'server' : 'invalid', `Ollama refused the request: ${said}.`, status)
}

/** What was thrown on the way. */
export function errorFailure(error: unknown, { signal }: ModelRequest): ModelFailure {
  if (signal.aborted) return failure('aborted', 'The call was interrupted.')
  if (error instanceof SyntaxError) return failure('garbled', 'What answers there does not speak as Ollama does.')
  return failure(kindOfCode[errorCode(error)] ?? 'unknown', errorMessage(error))
}
