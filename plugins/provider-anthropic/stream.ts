/** One call of `POST /v1/messages`: request, events, and every way it can fail, as events. */
import {
  authSentence,
  Clock,
  cutFailure,
  type FailedCall,
  isEventStream,
  KeyReport,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  modelFailure,
  Net,
  type NetResponse,
  netFailure,
  pictureFailure,
  Random,
  readAnswer,
  readServiceError,
  retryAfterMs,
  Secrets,
  serviceFailure,
} from 'svc/sdk'
import { Answer } from './assemble.ts'
import type { Host, resolveService, Service } from './service.ts'
import { easierRequest, PICTURES, requestBody } from './wire.ts'

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

/** What it takes to make one call. */
interface Errand {
  readonly service: Service
  readonly request: ModelRequest
  readonly host: Host
  readonly call: FailedCall
}

/** Yields one batch for each piece of network data. Never throws. */
export async function* streamMessages(
  service: Awaited<ReturnType<typeof resolveService>>,
  request: ModelRequest,
  host: Host,
): AsyncGenerator<readonly ModelEvent[]> {
  if ('failure' in service) {
    yield [failed(service.failure)]
    return
  }
  const report = new KeyReport(service.key)
  try {
    yield report.ended(yield* attempt({ service, request, host, call: callOf(service, request, host) }))
  } finally {
    report.close()
  }
}

/** Returns the events that end the call. */
async function* attempt(errand: Errand): AsyncGenerator<readonly ModelEvent[], readonly ModelEvent[]> {
  const { request, host, call } = errand
  if (!call.hasKey) return [failed(modelFailure('auth', authSentence(call, '')))]
  const unseen = pictureFailure(request.messages, PICTURES, call.who)
  if (unseen) return [failed(unseen)]
  let response: NetResponse | undefined
  try {
    const { response: answered, body } = await send(errand)
    response = answered
    if (body !== undefined) return [failed(answerFailure(answered, body, call))]
    const answer = newAnswer(errand)
    yield* readAnswer(answered, answer, { signal: call.signal, clock: host.use(Clock) })
    return ending(answer, call)
  } catch (error) {
    return [failed(netFailure(error, call))]
  } finally {
    response?.close()
  }
}

/** Asks, and once more without what the service complains about. `body` is that of an answer that is no stream. */
async function send(errand: Errand): Promise<{ readonly response: NetResponse; readonly body?: string }> {
  const { service, request, host, call } = errand
  const response = await post(errand)
  if (isEventStream(response)) return { response }
  const body = await response.text()
  const easier = response.status === 400 ? easierRequest(request, service.vendor, body) : undefined
  if (!easier) return { response, body }
  host.log.warn('asking again without what was refused', { model: call.model, said: body.slice(0, 300) })
  const second = await post({ ...errand, request: easier })
  return isEventStream(second) ? { response: second } : { response: second, body: await second.text() }
}

function callOf({ vendor, baseUrl, isLoopback, key, setting }: Service, request: ModelRequest, host: Host): FailedCall {
  return {
    who: vendor.label,
    model: request.model,
    baseUrl,
    isLoopback,
    keyName: key.variable,
    hasKey: key.value !== undefined,
    change: setting && `If the address is wrong: \`svc config set ${setting} https://host\`.`,
    signal: request.signal,
    now: () => host.use(Clock).now(),
    mask: (text) => host.use(Secrets).mask(text),
  }
}

function post({ service, request, host }: Errand): Promise<NetResponse> {
  return host.use(Net).request({
    url: `${service.baseUrl}/v1/messages`,
    method: 'POST',
    headers: { ...service.headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: requestBody(request, service.vendor, host.config),
    signal: request.signal,
  })
}

function newAnswer({ service, request, host }: Errand): Answer {
  const newId = () => `toolu_${host.use(Random).hex(8)}`
  return new Answer({ provider: service.vendor.id, model: request.model, newId })
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
  const message = `${who} ${what}. Check that ${baseUrl} is the Messages API and nothing between changes its answers.`
  return { ...modelFailure('garbled', message, { status }), retryable: status === undefined }
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure }
}
