/** One call of `POST /chat/completions`: request, events, and every way it can fail, as events. */
import {
  Clock,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  Net,
  type NetResponse,
  Random,
  Secrets,
} from 'svc/sdk'
import { Answer } from './assemble.ts'
import { type Endpoint, type Host, requestTo } from './endpoint.ts'
import {
  answerFailure,
  cutFailure,
  type FailedCall,
  garbledFailure,
  missingKey,
  streamFailure,
  transportFailure,
} from './failure.ts'
import { EventReader } from './sse.ts'
import { requestBody } from './wire.ts'

/** Local models may read a long prompt for minutes before the first byte. */
const LOCAL_IDLE_MS = 600_000
/** After `[DONE]` the connection is only worth keeping when it is free again at once. */
const DRAIN_MS = 100

/** Yields one batch for each piece of network data. Never throws. */
export async function* streamChat(
  endpoint: Endpoint,
  request: ModelRequest,
  host: Host,
): AsyncGenerator<readonly ModelEvent[]> {
  if (endpoint.entry.kind === 'hosted' && endpoint.key === undefined) {
    yield [failed(missingKey(endpoint))]
    return
  }
  const call: FailedCall = {
    endpoint,
    model: request.model,
    signal: request.signal,
    now: () => host.use(Clock).now(),
    mask: (text) => host.use(Secrets).mask(text),
  }
  let response: NetResponse | undefined
  try {
    response = await post(endpoint, request, host)
    if (isStream(response)) yield* events(response, call, host)
    else yield await wholeAnswer(response, call, host)
  } catch (error) {
    yield [failed(transportFailure(error, call))]
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
    body: requestBody(request, endpoint.entry.limitField),
    signal: request.signal,
    ...(endpoint.entry.kind === 'local' || endpoint.isLoopback ? { idleMs: LOCAL_IDLE_MS } : {}),
  })
}

function isStream({ status, headers }: NetResponse): boolean {
  return status === 200 && (headers['content-type'] ?? 'text/event-stream').startsWith('text/event-stream')
}

async function* events(response: NetResponse, call: FailedCall, host: Host): AsyncGenerator<readonly ModelEvent[]> {
  const answer = newAnswer(host)
  const body = response.body[Symbol.asyncIterator]()
  try {
    yield* batches(body, answer)
  } catch (error) {
    if (!answer.finished || call.signal.aborted) throw error
  } finally {
    if (answer.done && !isBroken(answer)) await drain(body, host)
    // Closing first: a read under way would hold up the return for as long as the server is silent.
    response.close()
    await body.return?.()
  }
  yield ending(answer, call)
}

/** Feeds the answer until it is done, broken or out of bytes. */
async function* batches(body: AsyncIterator<Uint8Array>, answer: Answer): AsyncGenerator<readonly ModelEvent[]> {
  const reader = new EventReader()
  while (!answer.done && !isBroken(answer)) {
    const { value, done } = await body.next()
    for (const data of done ? reader.end() : reader.push(value)) answer.add(data)
    const batch = answer.take()
    if (batch.length > 0) yield batch
    if (done) return
  }
}

/** Waits for the orderly end of the body, so that the next call finds its connection open. */
async function drain(body: AsyncIterator<Uint8Array>, host: Host): Promise<void> {
  let cancel = () => {}
  const limit = new Promise<true>((resolve) => {
    cancel = host.use(Clock).after(DRAIN_MS, () => resolve(true))
  })
  // What comes after [DONE] is of no interest, and neither is how it fails.
  const next = () =>
    body.next().then(
      ({ done }) => done === true,
      () => true,
    )
  while (!(await Promise.race([next(), limit])));
  cancel()
}

function ending(answer: Answer, call: FailedCall): readonly ModelEvent[] {
  if (answer.error !== undefined) return [failed(streamFailure(answer.error, call))]
  if (answer.garbled !== undefined)
    return [failed(garbledFailure(call, `sent "${call.mask(answer.garbled.slice(0, 80))}"`))]
  if (answer.finished && !answer.recognised)
    return [failed(garbledFailure(call, 'sent events that are no chat completion'))]
  return answer.finished ? answer.end() : [failed(cutFailure(call))]
}

/** An error, or the whole answer at once from a server that does not stream. */
async function wholeAnswer(response: NetResponse, call: FailedCall, host: Host): Promise<readonly ModelEvent[]> {
  const body = await response.text()
  const answer = newAnswer(host)
  if (response.status === 200) answer.add(body)
  if (answer.recognised && !isBroken(answer)) return answer.end()
  return [failed(answerFailure({ status: response.status, headers: response.headers, body }, call))]
}

function newAnswer(host: Host): Answer {
  return new Answer(() => `call_${host.use(Random).hex(8)}`)
}

function isBroken({ error, garbled }: Answer): boolean {
  return error !== undefined || garbled !== undefined
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure }
}
