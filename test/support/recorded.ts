/**
 * Streams that were recorded from the services themselves. They are published as fixtures of the AI SDK of Vercel
 * (Apache 2.0; `@ai-sdk/*`, installed for tests under the names `recorded-*`), and are read from there: nothing of them is
 * copied. What they have to mean is written here, by its own decoder and by eye.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Usage } from 'svc/sdk'
import type { ModelEvent, StreamParser } from 'svc/sdk/provider'
import type { SseReader } from '../../sdk/sse.ts'
import { listCuts, replay } from './replay.ts'

/** What a recorded answer has to mean. Texts are told by their length and the beginning of their SHA-256. */
export interface Meaning {
  readonly text?: string
  readonly thoughts?: string
  /** Inputs that are long are told as texts are, by their JSON. */
  readonly calls?: readonly (readonly [id: string, name: string, input: unknown])[]
  readonly images?: number
  readonly usage?: Usage
  readonly end: string
  /** Types of the pieces that have to go back with the conversation. */
  readonly carry?: string
}

const MODULES = join(import.meta.dirname, '../../node_modules')
const LONG_INPUT = 60
/** Larger ones are not cut byte by byte: the reader is the same. */
const LARGE = 40_000

/** The events of each answer in a folder of recordings, by `<file> <number of the answer in the file>`. */
export function recordedIn(folder: string, begins: (event: object) => boolean): ReadonlyMap<string, readonly object[]> {
  const found = new Map<string, object[]>()
  for (const file of readdirSync(join(MODULES, folder)).sort()) {
    if (!file.endsWith('.chunks.txt')) continue
    const lines = readFileSync(join(MODULES, folder, file), 'utf8').split('\n')
    const events = lines.filter((line) => line.trim() !== '').map((line): object => JSON.parse(line))
    let answers = 0
    for (const event of events) {
      if (answers === 0 || begins(event)) answers++
      const name = `${file.replace('.chunks.txt', '')} ${answers}`
      found.set(name, [...(found.get(name) ?? []), event])
    }
  }
  return found
}

/** Whole answers in a folder, as a server sends them that does not stream, by file. */
export function wholeIn(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(join(MODULES, folder)).filter((file) => file.endsWith('.json'))
  return new Map(files.sort().map((file) => [file, readFileSync(join(MODULES, folder, file), 'utf8')]))
}

/** What a whole answer means. */
export function meaningOfWhole(body: string, answer: StreamParser): Meaning {
  answer.add(body)
  return createMeaning([...answer.take(), ...answer.end()])
}

/** What the answer means, for every way of cutting its bytes. */
export function collectMeanings(
  bytes: Buffer,
  answer: () => StreamParser,
  reader?: () => SseReader,
): readonly (readonly [way: string, meaning: Meaning])[] {
  const ways = bytes.length > LARGE ? listCuts(bytes).filter((_, at) => at === 0 || at > 7) : listCuts(bytes)
  return ways.map(([way, pieces]) => [way, createMeaning(replay(pieces, answer(), reader?.()))])
}

function createMeaning(events: readonly ModelEvent[]): Meaning {
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
  const images = events.filter(({ type }) => type === 'image').length
  const usage = events.find((event) => event.type === 'usage')?.usage
  const last = events.at(-1)
  const end = last?.type === 'end' ? last.reason : 'none'
  const carried = last?.type === 'end' ? (last.carry?.data as { pieces?: readonly { type: string }[] }) : undefined
  const text = joinText(events, 'text')
  const thoughts = joinText(events, 'reasoning')
  return {
    ...(text === '' ? {} : { text: digest(text) }),
    ...(thoughts === '' ? {} : { thoughts: digest(thoughts) }),
    ...(calls.length === 0
      ? {}
      : { calls: calls.map(({ id, name, input }) => [id, name, shortenInput(input)] as const) }),
    ...(images === 0 ? {} : { images }),
    ...(usage ? { usage } : {}),
    end,
    ...(carried?.pieces ? { carry: carried.pieces.map(({ type }) => type).join(' ') } : {}),
  }
}

function joinText(events: readonly ModelEvent[], wanted: 'text' | 'reasoning'): string {
  return events.map((event) => (event.type === wanted ? event.text : '')).join('')
}

function shortenInput(input: unknown): unknown {
  const json = JSON.stringify(input)
  return json.length > LONG_INPUT ? digest(json) : input
}

function digest(text: string): string {
  return `${text.length} ${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
}
