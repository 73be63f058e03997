/** One call of a model service: the request, the events of its answer, and every way it can fail, as events. */
import {
  answerFailure,
  authSentence,
  createModelFailure,
  cutFailure,
  type FailedCall,
  garbledFailure,
  miswrittenFailure,
  netFailure,
  type ServiceErrorRules,
  streamFailure,
} from './model-failure.ts'
import { KeyReport, type ModelKey } from './model-key.ts'
import { type ImageLimits, pictureFailure } from './model-request.ts'
import { readAnswer, type StreamParser } from './model-stream.ts'
import type { PluginContext } from './plugin.ts'
import { Clock, Net, type NetRequest, type NetResponse, Random } from './ports.ts'
import type { ModelEvent, ModelFailure, ModelRequest } from './providers.ts'
import { Secrets } from './secrets.ts'
import type { SseReader } from './sse.ts'
import { wireNames } from './wire-names.ts'

/** A call as one wire makes it. @since 0.2 */
export interface ModelCallSpec {
  /** The service as a sentence begins with it: `OpenAI`, `The server at http://host/v1`. */
  readonly who: string
  /** Where it is, for sentences. */
  readonly baseUrl: string
  readonly isLoopback: boolean
  readonly key: ModelKey
  /** It may be asked without a key. */
  readonly keyless?: boolean
  /** A sentence on how to change the address, if the user can. */
  readonly change?: string | undefined
  readonly request: ModelRequest
  readonly pictures: ImageLimits
  /** The beginning of ids for tool calls that come without one. */
  readonly idPrefix: string
  readonly errors: ServiceErrorRules
  /** The stream, if it is not one of server-sent events. */
  readonly stream?: { readonly type: string; reader(): SseReader }
  /** Reads the response of a server that does not stream: one value that `StreamedAnswer.add` accepts. */
  readonly readsWhole?: boolean
  /** The HTTP request; `POST` of JSON by default. */
  post(request: ModelRequest): NetRequest
  /**
   * What to ask instead after status 400 or 422, without what was complained of; undefined when nothing can be left out.
   * Asked again until the service takes it.
   */
  easier?(request: ModelRequest, complaint: string): ModelRequest | undefined
  /** The service has taken the request: reads its answer. */
  answer(newId: () => string): StreamParser
}

/**
 * Makes the call. Yields one batch for each piece of network data. Never throws; an abort closes the connection.
 * @since 0.2
 */
export async function* streamModel(
  call: ModelCallSpec,
  host: Pick<PluginContext<unknown>, 'use' | 'log'>,
): AsyncGenerator<readonly ModelEvent[]> {
  const names = wireNames(call.request)
  if (!names) yield* makeCall(call, host)
  else for await (const batch of makeCall({ ...call, request: names.request }, host)) yield names.restore(batch)
}

async function* makeCall(
  call: ModelCallSpec,
  host: Pick<PluginContext<unknown>, 'use' | 'log'>,
): AsyncGenerator<readonly ModelEvent[]> {
  const report = new KeyReport(call.key)
  const failing = failedCall(call, host)
  let response: NetResponse | undefined
  try {
    const obstacle = obstacleTo(call, failing)
    if (obstacle) {
      yield report.ended([failed(obstacle)])
      return
    }
    const sent = await send(call, host)
    response = sent.response
    if (sent.body === undefined) {
      const { signal } = call.request
      const answer = newAnswer(call, host)
      const reader = call.stream?.reader()
      yield* readAnswer(response, answer, { signal, clock: host.use(Clock), ...(reader ? { reader } : {}) })
      yield report.ended(ending(answer, failing))
    } else yield report.ended(wholeAnswer({ ...response, body: sent.body }, () => newAnswer(call, host), failing, call))
  } catch (error) {
    yield report.ended([failed(netFailure(error, failing))])
  } finally {
    response?.close()
    report.close()
  }
}

/** What makes asking pointless: nothing is sent. */
function obstacleTo(
  { key, keyless, request, pictures, who }: ModelCallSpec,
  call: FailedCall,
): ModelFailure | undefined {
  if (key.value === undefined && keyless !== true) return createModelFailure('auth', authSentence(call, ''))
  return pictureFailure(request.messages, pictures, who)
}

/** Repeats the request until the service rejects no option that can be left out. `body` is the body of a response that is not a stream. */
async function send(
  call: ModelCallSpec,
  host: Pick<PluginContext<unknown>, 'use' | 'log'>,
): Promise<{ readonly response: NetResponse; readonly body?: string }> {
  const net = host.use(Net)
  const type = call.stream?.type ?? 'text/event-stream'
  for (let { request } = call; ; ) {
    const { headers, ...posted } = call.post(request)
    const response = await net.request({
      method: 'POST',
      headers: addHeaders(request.headers, { 'content-type': 'application/json', accept: type, ...headers }),
      ...posted,
      signal: request.signal,
    })
    if (response.status === 200 && (response.headers['content-type'] ?? type).startsWith(type)) return { response }
    const body = await response.text()
    const isRefused = response.status === 400 || response.status === 422
    const easier = isRefused ? call.easier?.(request, body) : undefined
    if (!easier) return { response, body }
    // Masked before it is cut, so that no half of a secret is left.
    const said = host.use(Secrets).mask(body).slice(0, 300)
    host.log.warn('asking again without what was refused', { service: call.baseUrl, model: request.model, said })
    request = easier
  }
}

/** Headers that say how the body is sent and to whom: never those of a plugin. */
const RESERVED = /^(authorization|connection|content-.*|host|proxy-.*|te|trailer|transfer-encoding|upgrade)$/

/** The headers of the wire with those that listeners set for this request. */
function addHeaders(
  given: Readonly<Record<string, string>> = {},
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const taken = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  const added = Object.entries(given)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !taken.has(name) && !RESERVED.test(name))
  return { ...Object.fromEntries(added), ...own }
}

function newAnswer(call: ModelCallSpec, host: Pick<PluginContext<unknown>, 'use' | 'log'>): StreamParser {
  return call.answer(() => `${call.idPrefix}${host.use(Random).hex(8)}`)
}

function ending(answer: StreamParser, call: FailedCall): readonly ModelEvent[] {
  const { error, garbled, miswritten, finished, recognised } = answer
  if (error !== undefined) return [failed(streamFailure(error, call))]
  if (garbled !== undefined) return [failed(garbledFailure(call, `sent "${call.mask(garbled).slice(0, 80)}"`))]
  if (miswritten !== undefined) return [failed(miswrittenFailure(call, miswritten))]
  if (finished && recognised === false)
    return [failed(garbledFailure(call, `sent events that are no ${call.errors.noun}`))]
  return finished ? answer.end() : [failed(cutFailure(call))]
}

/** An error, or the whole answer at once from a server that does not stream. */
function wholeAnswer(
  { status, headers, body }: Pick<NetResponse, 'status' | 'headers'> & { readonly body: string },
  newAnswer: () => StreamParser,
  failing: FailedCall,
  { readsWhole }: ModelCallSpec,
): readonly ModelEvent[] {
  if (status === 200 && readsWhole) {
    const answer = newAnswer()
    answer.add(body)
    if (answer.recognised && answer.error === undefined && answer.garbled === undefined) return answer.end()
  }
  return [failed(answerFailure({ status, headers, body }, failing))]
}

function failedCall(call: ModelCallSpec, host: Pick<PluginContext<unknown>, 'use' | 'log'>): FailedCall {
  const { who, baseUrl, isLoopback, change, errors, key, request } = call
  return {
    who,
    baseUrl,
    isLoopback,
    change,
    errors,
    model: request.model,
    signal: request.signal,
    keyName: key.variable,
    hasKey: key.value !== undefined,
    now: () => host.use(Clock).now(),
    mask: (text) => host.use(Secrets).mask(text),
  }
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure }
}
