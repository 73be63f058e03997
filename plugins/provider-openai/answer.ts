/** What the two wires have in common: how a call is written and its answer read. */
import type { Image, ModelEvent, ModelRequest, StreamedAnswer } from 'svc/sdk'
import type { CatalogEntry } from './catalog.ts'
import type { Options } from './options.ts'

/** An answer in the making, of either wire. */
export interface WireAnswer extends StreamedAnswer {
  /** The error that the server sent in the middle of its answer. */
  readonly error: unknown
  /** Data that is nothing of this wire. */
  readonly garbled: string | undefined
  /** At least one event was of this wire. */
  readonly recognised: boolean
  /** The last events of an answer that is complete. */
  end(): ModelEvent[]
}

/** One of the ways to ask. */
export interface Wire {
  /** What may be left out of a request when a server does not take it, by its path in the body. */
  options(request: ModelRequest, entry: CatalogEntry): Options
  /** The body as JSON; the same request and options always give the same bytes. */
  body(request: ModelRequest, entry: CatalogEntry, options: Options): string
  answer(request: ModelRequest, entry: CatalogEntry, newId: () => string): WireAnswer
}

/** The picture of a data URL; addresses of pictures elsewhere are not followed. */
export function imageOf(url: unknown): Image | undefined {
  const [, mediaType = '', data = ''] = /^data:(image\/[\w.+-]+);base64,(.+)$/s.exec(String(url)) ?? []
  return data === '' ? undefined : { mediaType, data }
}

/** A picture as a data URL. */
export function dataUrl({ mediaType, data }: Image): string {
  return `data:${mediaType};base64,${data}`
}

const written = new WeakMap<object, WeakMap<object, string>>()

/** Writes each thing once for an entry: messages and tools never change, and a conversation is sent again at each step. */
export function writerOf(entry: object): <T extends object>(item: T, toJson: (item: T) => string) => string {
  const known = written.get(entry) ?? new WeakMap<object, string>()
  written.set(entry, known)
  return (item, toJson) => {
    const before = known.get(item)
    if (before !== undefined) return before
    const text = toJson(item)
    known.set(item, text)
    return text
  }
}
