/** One call of `:streamGenerateContent`: request, events, and every way it can fail, as events. */
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
  Secrets,
} from 'svc/sdk'
import { Answer } from './assemble.ts'
import { answerFailure, garbledFailure, streamFailure } from './failure.ts'
import { type Host, LABEL, type resolveService, type Service } from './service.ts'
import { requestBody } from './wire.ts'

/** Signatures kept for calls; older ones are of turns that are over. */
const MAX_SIGNATURES = 2000

/** What outlives one call: the signatures that have to be sent back with the calls they came with. */
export interface Memory {
  readonly host: Host
  readonly signatures: Map<string, string>
}

/** Yields one batch for each piece of network data. Never throws. */
export async function* streamContent(
  service: ReturnType<typeof resolveService>,
  request: ModelRequest,
  memory: Memory,
): AsyncGenerator<readonly ModelEvent[]> {
  if ('problem' in service) {
    yield [failed(modelFailure('invalid', `${service.problem}. Type \`svc config edit\` to change it.`))]
    return
  }
  const call = callOf(service, request, memory.host)
  if (!call.hasKey) {
    yield [failed(modelFailure('auth', authSentence(call, '')))]
    return
  }
  let response: NetResponse | undefined
  try {
    response = await post(service, request, memory)
    if (isEventStream(response)) yield* events(response, call, memory)
    else yield [failed(answerFailure(response, await response.text(), call))]
  } catch (error) {
    yield [failed(netFailure(error, call))]
  } finally {
    response?.close()
  }
}

function callOf(service: Service, request: ModelRequest, host: Host): FailedCall {
  const { baseUrl, isLoopback, key, keyName, setting } = service
  return {
    who: LABEL,
    model: request.model,
    baseUrl,
    isLoopback,
    keyName,
    hasKey: key !== undefined,
    change: setting && `If the address is wrong: \`svc config set ${setting} https://host/v1beta\`.`,
    signal: request.signal,
    now: () => host.use(Clock).now(),
    mask: (text) => host.use(Secrets).mask(text),
  }
}

function post({ baseUrl, headers }: Service, request: ModelRequest, memory: Memory): Promise<NetResponse> {
  const model = encodeURIComponent(request.model.replace(/^models\//, ''))
  return memory.host.use(Net).request({
    url: `${baseUrl}/models/${model}:streamGenerateContent?alt=sse`,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: requestBody(request, memory.signatures),
    signal: request.signal,
  })
}

async function* events(
  response: NetResponse,
  call: FailedCall,
  { host, signatures }: Memory,
): AsyncGenerator<readonly ModelEvent[]> {
  const answer = new Answer(
    () => `call_${host.use(Random).hex(8)}`,
    (id, signature) => remember(signatures, id, signature),
  )
  yield* readAnswer(response, answer, { signal: call.signal, clock: host.use(Clock) })
  yield ending(answer, call)
}

function remember(signatures: Map<string, string>, id: string, signature: string): void {
  const [oldest] = signatures.keys()
  if (signatures.size >= MAX_SIGNATURES && oldest !== undefined) signatures.delete(oldest)
  signatures.set(id, signature)
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
