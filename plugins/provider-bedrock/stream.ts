/** One call of `ConverseStream`: request, events, and every way it can fail, as events. */
import {
  authSentence,
  Clock,
  cutFailure,
  errorCode,
  errorMessage,
  type FailedCall,
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
  Secrets,
} from 'svc/sdk'
import { Answer } from './assemble.ts'
import { answerFailure, garbledFailure, streamFailure } from './failure.ts'
import { frameReader } from './frames.ts'
import { type Host, LABEL, NAME, type resolveService, type Service } from './service.ts'
import { easierRequest, PICTURES, requestBody } from './wire.ts'

const EVENT_STREAM = 'application/vnd.amazon.eventstream'
/** What it takes to make one call. */
interface Errand {
  readonly service: Service
  readonly request: ModelRequest
  readonly host: Host
  readonly call: FailedCall
}

/** Yields one batch for each piece of network data. Never throws. */
export async function* streamConverse(
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
    yield* readAnswer(answered, answer, { signal: call.signal, clock: host.use(Clock), reader: frameReader() })
    return ending(answer, call)
  } catch (error) {
    return [failed(failureOf(error, call))]
  } finally {
    response?.close()
  }
}

function failureOf(error: unknown, call: FailedCall): ModelFailure {
  const isDamaged = errorCode(error) === 'BEDROCK_FRAME_GARBLED' && !call.signal.aborted
  return isDamaged ? garbledFailure(call, `sent what cannot be read: ${errorMessage(error)}`) : netFailure(error, call)
}

/** Asks, and once more without what the service complains about. `body` is that of an answer that is no stream. */
async function send(errand: Errand): Promise<{ readonly response: NetResponse; readonly body?: string }> {
  const { request, host, call } = errand
  const response = await post(errand)
  if (isEventStream(response)) return { response }
  const body = await response.text()
  const easier = response.status === 400 ? easierRequest(request, body) : undefined
  if (!easier) return { response, body }
  host.log.warn('asking again without what was refused', { model: call.model, said: body.slice(0, 300) })
  const second = await post({ ...errand, request: easier })
  return isEventStream(second) ? { response: second } : { response: second, body: await second.text() }
}

function callOf({ baseUrl, isLoopback, key, setting }: Service, request: ModelRequest, host: Host): FailedCall {
  return {
    who: LABEL,
    model: request.model,
    baseUrl,
    isLoopback,
    keyName: key.variable,
    hasKey: key.value !== undefined,
    change: `Bedrock is not in every region: check AWS_REGION${setting ? ` and ${setting}` : ''}.`,
    signal: request.signal,
    now: () => host.use(Clock).now(),
    mask: (text) => host.use(Secrets).mask(text),
  }
}

function post({ service, request, host }: Errand): Promise<NetResponse> {
  return host.use(Net).request({
    url: `${service.baseUrl}/model/${encodeURIComponent(request.model)}/converse-stream`,
    method: 'POST',
    headers: { ...service.headers, 'content-type': 'application/json', accept: EVENT_STREAM },
    body: requestBody(request),
    signal: request.signal,
  })
}

function isEventStream({ status, headers }: NetResponse): boolean {
  return status === 200 && (headers['content-type'] ?? EVENT_STREAM).startsWith(EVENT_STREAM)
}

function newAnswer({ request, host }: Errand): Answer {
  const newId = () => `tooluse_${host.use(Random).hex(8)}`
  return new Answer({ provider: NAME, model: request.model, newId })
}

function ending(answer: Answer, call: FailedCall): readonly ModelEvent[] {
  if (answer.error !== undefined) return [failed(streamFailure(answer.error, call))]
  if (answer.garbled !== undefined)
    return [failed(garbledFailure(call, `sent "${call.mask(answer.garbled.slice(0, 80))}"`))]
  if (answer.miswritten !== undefined)
    return [failed(garbledFailure(call, `could not read what its model wrote (${answer.miswritten})`))]
  return answer.finished ? answer.end() : [failed(cutFailure(call))]
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure }
}
