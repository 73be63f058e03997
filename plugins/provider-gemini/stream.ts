/** One call of `:streamGenerateContent`: request, events, and every way it can fail, as events. */
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
  Secrets,
} from 'svc/sdk'
import { Answer } from './assemble.ts'
import { answerFailure, garbledFailure, streamFailure } from './failure.ts'
import { type Host, LABEL, NAME, type resolveService, type Service } from './service.ts'
import { easierRequest, PICTURES, requestBody } from './wire.ts'

/** What it takes to make one call. */
interface Errand {
  readonly service: Service
  readonly request: ModelRequest
  readonly host: Host
  readonly call: FailedCall
}

/** Yields one batch for each piece of network data. Never throws. */
export async function* streamContent(
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

function callOf(service: Service, request: ModelRequest, host: Host): FailedCall {
  const { baseUrl, isLoopback, key, setting } = service
  return {
    who: LABEL,
    model: request.model,
    baseUrl,
    isLoopback,
    keyName: key.variable,
    hasKey: key.value !== undefined,
    change: setting && `If the address is wrong: \`svc config set ${setting} https://host/v1beta\`.`,
    signal: request.signal,
    now: () => host.use(Clock).now(),
    mask: (text) => host.use(Secrets).mask(text),
  }
}

function post({ service, request, host }: Errand): Promise<NetResponse> {
  const model = encodeURIComponent(request.model.replace(/^models\//, ''))
  return host.use(Net).request({
    url: `${service.baseUrl}/models/${model}:streamGenerateContent?alt=sse`,
    method: 'POST',
    headers: { ...service.headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: requestBody(request),
    signal: request.signal,
  })
}

function newAnswer({ request, host }: Errand): Answer {
  const newId = () => `call_${host.use(Random).hex(8)}`
  return new Answer({ provider: NAME, model: request.model, newId })
}

function ending(answer: Answer, call: FailedCall): readonly ModelEvent[] {
  if (answer.error !== undefined) return [failed(streamFailure(answer.error, call))]
  if (answer.garbled !== undefined)
    return [failed(garbledFailure(call, `sent "${call.mask(answer.garbled.slice(0, 80))}"`))]
  if (answer.miswritten !== undefined)
    return [failed(garbledFailure(call, `could not read a tool call of its model (${answer.miswritten})`))]
  return answer.finished ? answer.end() : [failed(cutFailure(call))]
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure }
}
