/** One call of `POST /v1/messages`: request, events, and every way it can fail, as events. */
import {
  authSentence,
  Clock,
  cutFailure,
  type FailedCall,
  isEventStream,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  modelFailure,
  Net,
  type NetResponse,
  netFailure,
  Random,
  readAnswer,
  readServiceError,
  retryAfterMs,
  Secrets,
  serviceFailure,
} from 'svc/sdk'
import { Answer } from './assemble.ts'
import { type Host, KEY_NAME, LABEL, type resolveService, type Service } from './service.ts'
import { requestBody } from './wire.ts'

/** Types of errors that come in the middle of a stream, as statuses (https://docs.anthropic.com/en/api/errors). */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
}

/** Yields one batch for each piece of network data. Never throws. */
export async function* streamMessages(
  service: ReturnType<typeof resolveService>,
  request: ModelRequest,
  host: Host,
): AsyncGenerator<readonly ModelEvent[]> {
  if ('problem' in service) {
    yield [failed(modelFailure('invalid', `${service.problem}. Type \`svc config edit\` to change it.`))]
    return
  }
  const call = callOf(service, request, host)
  if (!call.hasKey) {
    yield [failed(modelFailure('auth', authSentence(call, '')))]
    return
  }
  let response: NetResponse | undefined
  try {
    response = await post(service, request, host)
    if (isEventStream(response)) yield* events(response, call, host)
    else yield [failed(answerFailure(response, await response.text(), call))]
  } catch (error) {
    yield [failed(netFailure(error, call))]
  } finally {
    response?.close()
  }
}

function callOf({ baseUrl, isLoopback, key, setting }: Service, request: ModelRequest, host: Host): FailedCall {
  return {
    who: LABEL,
    model: request.model,
    baseUrl,
    isLoopback,
    keyName: KEY_NAME,
    hasKey: key !== undefined,
    change: setting && `If the address is wrong: \`svc config set ${setting} https://host\`.`,
    signal: request.signal,
    now: () => host.use(Clock).now(),
    mask: (text) => host.use(Secrets).mask(text),
  }
}

function post({ baseUrl, headers }: Service, request: ModelRequest, host: Host): Promise<NetResponse> {
  return host.use(Net).request({
    url: `${baseUrl}/v1/messages`,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: requestBody(request),
    signal: request.signal,
  })
}

async function* events(response: NetResponse, call: FailedCall, host: Host): AsyncGenerator<readonly ModelEvent[]> {
  const answer = new Answer(() => `toolu_${host.use(Random).hex(8)}`)
  yield* readAnswer(response, answer, { signal: call.signal, clock: host.use(Clock) })
  yield ending(answer, call)
}

function ending(answer: Answer, call: FailedCall): readonly ModelEvent[] {
  if (answer.error !== undefined) return [failed(streamFailure(answer.error, call))]
  if (answer.garbled !== undefined) return [failed(garbled(call, `sent "${call.mask(answer.garbled.slice(0, 80))}"`))]
  if (answer.finished && !answer.recognised) return [failed(garbled(call, 'sent events that are no message'))]
  return answer.finished ? answer.end() : [failed(cutFailure(call))]
}

function streamFailure(error: unknown, call: FailedCall): ModelFailure {
  const read = readServiceError(JSON.stringify({ error }), call.mask)
  return serviceFailure(read, call, { status: STATUS_OF_TYPE[read.code] ?? 500 })
}

function answerFailure({ status, headers }: NetResponse, body: string, call: FailedCall): ModelFailure {
  const isPage = /^\s*</.test(body)
  const error = readServiceError(isPage ? '' : body, call.mask)
  if (status < 400 && !error.isError) return garbled(call, 'answered with something that is no message', status)
  return serviceFailure(error, call, { status, wait: retryAfterMs(headers, call.now()) })
}

function garbled({ who, baseUrl }: FailedCall, what: string, status?: number): ModelFailure {
  const message = `${who} ${what}. Check that ${baseUrl} is Anthropic's API and nothing between changes its answers.`
  return { ...modelFailure('garbled', message, { status }), retryable: status === undefined }
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure }
}
