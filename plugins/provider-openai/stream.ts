/** One call of a model over either wire: request, events, and every way it can fail, as events. */
import {
  Clock,
  cutFailure,
  imageTooLarge,
  isEventStream,
  KeyReport,
  type Message,
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
import type { Wire, WireAnswer } from './answer.ts'
import { Answer } from './assemble.ts'
import { type Endpoint, type Host, pathOf, requestTo, withKey } from './endpoint.ts'
import {
  answerFailure,
  type ChatCall,
  chatCall,
  garbledFailure,
  missingKey,
  streamFailure,
  wireNoun,
} from './failure.ts'
import { Refusals, type Target } from './options.ts'
import { responsesWire } from './responses-wire.ts'
import { chatOptions, requestBody } from './wire.ts'

/** Local models may read a long prompt for minutes before the first byte. */
const LOCAL_IDLE_MS = 600_000
/** The largest picture that a service takes; OpenAI takes 50 MB in one request. */
const MAX_IMAGE_BYTES = 20 * 2 ** 20
/** Fields that are the conversation's own. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['model', 'messages', 'input', 'stream'])

const chatWire: Wire = {
  options: chatOptions,
  body: requestBody,
  answer: (_request, entry, newId) => new Answer(newId, entry),
}

/** What the calls of one provider have in common. */
export interface Caller {
  readonly host: Host
  /** Made by the first call. */
  refusals?: Refusals
}

/** Yields one batch for each piece of network data. Never throws. */
export async function* streamModel(
  unkeyed: Endpoint,
  request: ModelRequest,
  caller: Caller,
): AsyncGenerator<readonly ModelEvent[]> {
  const { host } = caller
  caller.refusals ??= new Refusals()
  const endpoint = await withKey(unkeyed, host)
  if ('failure' in endpoint) {
    yield [failed(endpoint.failure)]
    return
  }
  const call = chatCall(endpoint, {
    model: request.model,
    signal: request.signal,
    now: () => host.use(Clock).now(),
    mask: (text) => host.use(Secrets).mask(text),
  })
  const attempt = new Attempt(call, request, host)
  try {
    const obstacle = obstacleTo(call, request.messages)
    if (obstacle) yield attempt.ended([failed(obstacle)])
    else yield* attempt.run(caller.refusals)
  } catch (error) {
    yield attempt.ended([failed(netFailure(error, call))])
  } finally {
    attempt.close()
  }
}

/** What makes asking pointless. */
function obstacleTo(call: ChatCall, messages: readonly Message[]): ModelFailure | undefined {
  const { entry, key } = call.endpoint
  if (entry.kind === 'hosted' && key === undefined) return missingKey(call)
  return imageTooLarge(messages, { who: call.who, maxBytes: MAX_IMAGE_BYTES })
}

/** A request under way, with its response and the key that it took. */
class Attempt {
  #call: ChatCall
  #request: ModelRequest
  #host: Host
  #response: NetResponse | undefined
  #report: KeyReport

  constructor(call: ChatCall, request: ModelRequest, host: Host) {
    this.#call = call
    this.#request = request
    this.#host = host
    this.#report = new KeyReport(call.endpoint)
  }

  async *run(refusals: Refusals): AsyncGenerator<readonly ModelEvent[]> {
    const { endpoint, signal } = this.#call
    const wire = endpoint.wire === 'chat' ? chatWire : responsesWire
    const answer = wire.answer(this.#request, endpoint.entry, () => `call_${this.#host.use(Random).hex(8)}`)
    const { response, body } = await this.#send(wire, refusals)
    if (body === undefined && isEventStream(response)) {
      yield* readAnswer(response, answer, { signal, clock: this.#host.use(Clock) })
      yield this.ended(ending(answer, this.#call))
    } else yield this.ended(wholeAnswer(response, body ?? (await response.text()), answer, this.#call))
  }

  /** Tells the key how the call ended. */
  ended(events: readonly ModelEvent[]): readonly ModelEvent[] {
    return this.#report.ended(events)
  }

  close(): void {
    this.#response?.close()
    this.#report.close()
  }

  /** Without what the server refuses: asked again until it complains about nothing that can be left out. */
  async #send(wire: Wire, refusals: Refusals): Promise<{ response: NetResponse; body?: string }> {
    const { entry, extraBody } = this.#call.endpoint
    const target = targetOf(this.#call.endpoint, this.#request)
    const wanted = wire.options(this.#request, entry)
    const more = Object.entries(extraBody).filter(([name]) => !OWN_FIELDS.has(name))
    for (;;) {
      const allowed = refusals.allowed(wanted, target)
      const options = more.length === 0 ? allowed : new Map([...allowed, ...more])
      const response = await this.#post(wire.body(this.#request, entry, options))
      this.#response = response
      if (response.status !== 400 && response.status !== 422) return { response }
      const body = await response.text()
      // What the user wants to be sent is not left out, so that the error is seen.
      const fields = refusals.learn(body, allowed, target)
      if (fields.length === 0) return { response, body }
      this.#host.log.warn('the server refuses fields; it is asked without them from now on', { fields, ...target })
    }
  }

  #post(body: string): Promise<NetResponse> {
    const { endpoint, signal } = this.#call
    const { url, headers } = requestTo(endpoint, pathOf(endpoint), this.#request.model)
    return this.#host.use(Net).request({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
      body,
      signal,
      ...(endpoint.entry.kind === 'local' || endpoint.isLoopback ? { idleMs: LOCAL_IDLE_MS } : {}),
    })
  }
}

function targetOf({ baseUrl }: Endpoint, { model, conversation }: ModelRequest): Target {
  return { server: `${baseUrl} ${model}`, conversation }
}

function ending(answer: WireAnswer, call: ChatCall): readonly ModelEvent[] {
  if (answer.error !== undefined) return [failed(streamFailure(answer.error, call))]
  if (answer.garbled !== undefined)
    return [failed(garbledFailure(call, `sent "${call.mask(answer.garbled.slice(0, 80))}"`))]
  if (answer.finished && !answer.recognised)
    return [failed(garbledFailure(call, `sent events that are no ${wireNoun(call)}`))]
  return answer.finished ? answer.end() : [failed(cutFailure(call))]
}

/** An error, or the whole answer at once from a server that does not stream. */
function wholeAnswer(response: NetResponse, body: string, answer: WireAnswer, call: ChatCall): readonly ModelEvent[] {
  if (response.status === 200) answer.add(body)
  if (answer.recognised && !answer.broken) return answer.end()
  return [failed(answerFailure({ status: response.status, headers: response.headers, body }, call))]
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure }
}
