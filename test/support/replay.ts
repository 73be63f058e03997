/** Streams of services, cut in every way that a network may cut them, and what comes out of each. */
import type { ModelEvent, StreamParser } from 'svc/sdk/provider'
import { eventReader, type SseReader } from '../../sdk/sse.ts'
import { joined } from './ask-model.ts'

/** One stream in the form of the vendor's documents, and what a person reads in it. */
export interface Recording {
  readonly name: string
  readonly events: readonly object[]
  /** Of the last events; text and reasoning come joined. Left out: it ends with an error. */
  readonly expected?: readonly ModelEvent[]
  /** The error that the service told in the middle. */
  readonly error?: unknown
}

/** The form in JSON of what an SDK declares: enums are their texts, nothing is written to. */
export type Wire<T> = unknown extends T
  ? unknown
  : T extends string
    ? string extends T
      ? string
      : `${T}`
    : T extends number | boolean | null | undefined
      ? T
      : T extends readonly (infer Item)[]
        ? readonly Wire<Item>[]
        : { readonly [Key in keyof T]: Wire<T[Key]> }

/** As server-sent events. `named`: each says its type in its own line; `last`: the data of a last one. */
export function sse(
  events: readonly object[],
  options: { readonly named?: boolean; readonly last?: string; readonly eol?: '\n' | '\r\n' } = {},
): Buffer {
  const { named, last, eol = '\n' } = options
  const data = [...events.map((event) => JSON.stringify(event)), ...(last === undefined ? [] : [last])]
  const type = (at: number) => (named ? `event: ${(events[at] as { type?: string } | undefined)?.type}${eol}` : '')
  return Buffer.from(data.map((each, at) => `${type(at)}data: ${each}${eol}${eol}`).join(''))
}

/** The ways of cutting: whole, byte by byte, and in pieces of 1 to 53 bytes that are the same at every run. */
export function listCuts(bytes: Buffer): readonly (readonly [way: string, pieces: readonly Buffer[]])[] {
  const seeds = [1, 2, 3, 4, 5, 6, 7, 8]
  return [
    ['whole', [bytes]],
    ['byte by byte', [...bytes].map((byte) => Buffer.of(byte))],
    ...seeds.map((seed) => [`in pieces ${seed}`, cutPieces(bytes, seed)] as const),
  ]
}

/** What an answer tells of these pieces, as `streamModel` reads them: nothing behind its last event. */
export function replay(
  pieces: readonly Buffer[],
  answer: StreamParser,
  reader: SseReader = eventReader(),
): readonly ModelEvent[] {
  const events: ModelEvent[] = []
  const feed = (texts: Iterable<string>) => {
    for (const text of texts) if (!answer.done) answer.add(text)
    events.push(...answer.take())
  }
  for (const piece of pieces) feed(reader.push(piece))
  feed(reader.end())
  return answer.error === undefined ? joined([...events, ...answer.end()]) : joined(events)
}

/** A generator of Lehmer. */
function cutPieces(bytes: Buffer, seed: number): Buffer[] {
  const pieces: Buffer[] = []
  let state = seed * 7919
  for (let at = 0; at < bytes.length; ) {
    state = (state * 48_271) % 2_147_483_647
    const end = at + 1 + (state % 53)
    pieces.push(bytes.subarray(at, end))
    at = end
  }
  return pieces
}
