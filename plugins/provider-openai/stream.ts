/** One call of `POST /chat/completions`: request, events, and every way it can fail, as events. */
import {
  Clock,
  cutFailure,
  isEventStream,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  Net,
  type NetResponse,
  netFailure,
  Random,
  readAnswer,
  Secrets,
} from 'svc/sdk'
import { Answer } from './assemble.ts'
import { type Endpoint, type Host, requestTo } from './endpoint.ts'
import { answerFailure, type ChatCall, chatCall, garbledFailure, missingKey, streamFailure } from './failure.ts'
import { requestBody } from './wire.ts'

/** Local models may read a long prompt for minutes before the first byte. */
const LOCAL_IDLE_MS = 600_000

/** Yields one batch for each piece of network data. Never throws. */
export async function* streamChat(
  endpoint: Endpoint,
  request: ModelRequest,
  host: Host,
): AsyncGenerator<readonly ModelEvent[]> {
  const call = chatCall(endpoint, {
    model: request.model,
    signal: request.signal,
    now: () => host.use(Clock).now(),
    mask: (text) => host.use(Secrets).mask(text),
  })
  if (endpoint.entry.kind === 'hosted' && endpoint.key === undefined) {
    yield [failed(missingKey(call))]
    return
  }
  let response: NetResponse | undefined
  try {
    response = await post(endpoint, request, host)
    if (isEventStream(response)) yield* events(response, call, host)
    else yield await wholeAnswer(response, call, host)
  } catch (error) {
    yield [failed(netFailure(error, call))]
  } finally {
    response?.close()
  }
}

function post(endpoint: Endpoint, request: ModelRequest, host: Host): Promise<NetResponse> {
  const { url, headers } = requestTo(endpoint, '/chat/completions')
  return host.use(Net).request({
    url,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: requestBody(request, endpoint.entry),
    signal: request.signal,
    ...(endpoint.entry.kind === 'local' || endpoint.isLoopback ? { idleMs: LOCAL_IDLE_MS } : {}),
  })
}

async function* events(response: NetResponse, call: ChatCall, host: Host): AsyncGenerator<readonly ModelEvent[]> {
  const answer = newAnswer(host)
  yield* readAnswer(response, answer, { signal: call.signal, clock: host.use(Clock) })
  yield ending(answer, call)
}

function ending(answer: Answer, call: ChatCall): readonly ModelEvent[] {
  if (answer.error !== undefined) return [failed(streamFailure(answer.error, call))]
  if (answer.garbled !== undefined)
    return [failed(garbledFailure(call, `sent "${call.mask(answer.garbled.slice(0, 80))}"`))]
  if (answer.finished && !answer.recognised)
    return [failed(garbledFailure(call, 'sent events that are no chat completion'))]
  return answer.finished ? answer.end() : [failed(cutFailure(call))]
}

/** An error, or the whole answer at once from a server that does not stream. */
async function wholeAnswer(response: NetResponse, call: ChatCall, host: Host): Promise<readonly ModelEvent[]> {
  const body = await response.text()
  const answer = newAnswer(host)
  if (response.status === 200) answer.add(body)
  if (answer.recognised && !answer.broken) return answer.end()
  return [failed(answerFailure({ status: response.status, headers: response.headers, body }, call))]
}

function newAnswer(host: Host): Answer {
  return new Answer(() => `call_${host.use(Random).hex(8)}`)
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure }
}
