/** What the two wires have in common: how a call is written and its answer read. */
import type { ImageContent } from 'svc/sdk'
import { type ImageLimits, type ModelRequest, type StreamParser, unsupportedImageText } from 'svc/sdk/provider'
import type { CatalogEntry } from './catalog.ts'
import type { Options } from './options.ts'

/** https://platform.openai.com/docs/guides/images-vision; what other servers take is seldom more. */
export const PICTURES: ImageLimits = {
  types: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  maxBytes: 20 * 2 ** 20,
}

/** One of the ways to ask. */
export interface Wire {
  /** What may be left out of a request when a server does not take it, by its path in the body. */
  options(request: ModelRequest, entry: CatalogEntry): Options
  /** The body as JSON; the same request and options always give the same bytes. */
  body(request: ModelRequest, entry: CatalogEntry, options: Options): string
  answer(request: ModelRequest, entry: CatalogEntry, newId: () => string): StreamParser
}

/** The picture of a data URL; addresses of pictures elsewhere are not followed. */
export function parseImageUrl(url: unknown): ImageContent | undefined {
  const [, mediaType = '', data = ''] = /^data:(image\/[\w.+-]+);base64,(.+)$/s.exec(String(url)) ?? []
  return data === '' ? undefined : { mediaType, data }
}

/** A picture as a data URL, or the words that stand for one that cannot be seen. */
export function formatPicture(image: ImageContent): { readonly url: string } | { readonly text: string } {
  const text = unsupportedImageText(image, PICTURES)
  return text === undefined ? { url: `data:${image.mediaType};base64,${image.data}` } : { text }
}

type Write = <T extends object>(item: T, toJson: (item: T) => string) => string

/**
 * Writes each thing once for an entry: messages and tools never change, and a conversation is sent again at each step.
 * Each wire has its own writers, because the formats differ.
 */
export function writers(): (entry: object) => Write {
  const written = new WeakMap<object, WeakMap<object, string>>()
  return (entry) => {
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
}
