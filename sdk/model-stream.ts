/** Reads a streamed answer of a model service: bytes to events to what a wire makes of them. */
import type { ProviderMetadata, Usage } from './messages.ts'
import type { Clock, NetResponse } from './ports.ts'
import type { ModelEvent, ServiceTier } from './providers.ts'
import { eventReader, type SseReader } from './sse.ts'

/** After its last event the connection is only worth keeping when it is free again at once. */
const DRAIN_MS = 100

/** Assembles one answer from the events of a wire. @since 0.2 */
export interface StreamParser {
  /** The service sent its last event. */
  readonly done: boolean
  /** The stop reason was received: nothing is lost after it. */
  readonly finished: boolean
  /** The error event in the stream. Reading stops there. */
  readonly error: unknown
  /** Data that is not of this wire. Reading stops there. */
  readonly garbled: string | undefined
  /** Something came that is of this wire; left out where everything else is `garbled`. */
  readonly recognised?: boolean
  /** Why the service could not read what its model wrote. */
  readonly miswritten?: string | undefined
  /** Takes the data of one event. */
  add(data: string): void
  /** The events since the last call; text in a row is one event. */
  take(): readonly ModelEvent[]
  /** The last events of an answer that is complete. */
  end(): readonly ModelEvent[]
}

/** A received tool call: `input` is a value, or its JSON text, whole or joined from deltas. @since 0.2 */
export interface PartialToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** How an answer ended, for `AnswerParts.end`. @since 0.2 */
export interface AnswerEnd {
  readonly calls: readonly PartialToolCall[]
  /** Counts as received: anything but numbers is ignored. */
  readonly usage?: { readonly [Count in keyof Usage]?: unknown }
  /** The tier that the service says it used. */
  readonly tier?: ServiceTier | undefined
  readonly carry?: ProviderMetadata | undefined
  /** `length`: the output limit cut it. */
  readonly stopped: 'stop' | 'length' | 'filtered'
}

/** The handling of the parts of an answer that all wires share: each has one of these inside its `StreamParser`. @since 0.2 */
export class AnswerBuilder {
  #newId: () => string
  #events: ModelEvent[] = []
  #textType: 'text' | 'reasoning' = 'text'
  #text = ''

  /** `newId` names calls that came without an id, or with one that another call of the answer has. */
  constructor(newId: () => string) {
    this.#newId = newId
  }

  /** Adds to the text or the reasoning; what comes in a row is one event. */
  append(type: 'text' | 'reasoning', text: string): void {
    if (type !== this.#textType) this.#flush()
    this.#textType = type
    this.#text += text
  }

  /** Adds an event behind what there is. */
  add(event: ModelEvent): void {
    this.#flush()
    this.#events.push(event)
  }

  /** The events since the last call. */
  take(): ModelEvent[] {
    this.#flush()
    const events = this.#events
    this.#events = []
    return events
  }

  /**
   * The final events of a complete answer: remaining text, tool calls, usage, end. Arguments that are not JSON stay
   * unchanged, so that the error can be reported to the model; a call cut by the output limit is dropped, so that it never runs.
   * One that came twice, with the same id and input, is one call.
   */
  end({ calls, usage, tier, carry, stopped }: AnswerEnd): ModelEvent[] {
    const events = this.take()
    const ids = new Set<string>()
    for (const { id: given, name, input } of readCalls(calls, stopped)) {
      const id = given === '' || ids.has(given) ? this.#newId() : given
      ids.add(id)
      events.push({ type: 'tool-call', call: { id, name: name || 'unnamed', input } })
    }
    const counted = Object.entries(usage ?? {}).filter(([, count]) => typeof count === 'number' && count >= 0)
    if (counted.length > 0) events.push({ type: 'usage', usage: Object.fromEntries(counted), ...(tier && { tier }) })
    const reason = stopped === 'stop' && ids.size > 0 ? 'tool-calls' : stopped
    events.push(carry ? { type: 'end', reason, carry } : { type: 'end', reason })
    return events
  }

  #flush(): void {
    if (this.#text === '') return
    this.#events.push({ type: this.#textType, text: this.#text })
    this.#text = ''
  }
}

/** With their inputs as values, each once, and without those that were cut. */
function readCalls(calls: readonly PartialToolCall[], stopped: AnswerEnd['stopped']): PartialToolCall[] {
  const read = new Map<unknown, PartialToolCall>()
  for (const { id, name, input } of calls) {
    const parsed = readArguments(input)
    const call = { id, name, input: parsed ? parsed.value : input }
    // A call without an id cannot be distinguished from another one with the same input.
    if (parsed || stopped !== 'length') read.set(id === '' ? call : createCallKey(call), call)
  }
  return [...read.values()]
}

/** Input that is nested too deeply to serialize is a separate call. */
function createCallKey(call: PartialToolCall): unknown {
  try {
    return JSON.stringify(call)
  } catch {
    return call
  }
}

/** The value of a JSON text, or undefined if the text is not JSON. @since 0.2 */
export function tryParseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Undefined if the text is not JSON. Calls without arguments are sent as an empty text. */
function readArguments(input: unknown): { readonly value: unknown } | undefined {
  if (typeof input !== 'string') return { value: input }
  return input.trim() === '' ? { value: {} } : tryParseJson(input)
}

/**
 * Feeds the answer until it is done, broken or out of bytes, and closes the response. Yields one batch for each piece
 * of network data. Throws what `Net` and the reader throw, but not what comes after a finished answer. `reader` is for
 * services whose events are not server-sent events.
 */
export async function* readAnswer(
  response: NetResponse,
  answer: StreamParser,
  options: { readonly signal: AbortSignal; readonly clock: Clock; readonly reader?: SseReader },
): AsyncGenerator<readonly ModelEvent[]> {
  const { signal, clock, reader = eventReader() } = options
  const body = response.body[Symbol.asyncIterator]()
  try {
    let isOver = false
    while (!isOver && !answer.done && !isBroken(answer)) {
      const { value, done } = await body.next()
      isOver = done === true
      feed(answer, done ? reader.end() : reader.push(value))
      const batch = answer.take()
      if (batch.length > 0) yield batch
    }
  } catch (error) {
    if (!answer.finished || signal.aborted) throw error
  } finally {
    await release(response, body, { answer, clock })
  }
}

/** How the bytes were cut must not decide whether what comes behind the last event counts. */
function feed(answer: StreamParser, events: Iterable<string>): void {
  for (const data of events) {
    if (answer.done || isBroken(answer)) return
    answer.add(data)
  }
}

/** Keeps the connection of an orderly answer for the next call, and closes any other. */
async function release(
  response: NetResponse,
  body: AsyncIterator<Uint8Array>,
  { answer, clock }: { readonly answer: StreamParser; readonly clock: Clock },
): Promise<void> {
  if (answer.done && !isBroken(answer)) await drain(body, clock)
  // Closing first: a read under way would hold up the return for as long as the server is silent.
  response.close()
  await body.return?.()
}

function isBroken({ error, garbled }: StreamParser): boolean {
  return error !== undefined || garbled !== undefined
}

/** Waits for the orderly end of the body, so that the next call finds its connection open. */
async function drain(body: AsyncIterator<Uint8Array>, clock: Clock): Promise<void> {
  let cancel = () => {}
  const limit = new Promise<true>((resolve) => {
    cancel = clock.after(DRAIN_MS, () => resolve(true))
  })
  // What comes after the last event is of no interest, and neither is how it fails.
  const next = () =>
    body.next().then(
      ({ done }) => done === true,
      () => true,
    )
  while (!(await Promise.race([next(), limit])));
  cancel()
}
