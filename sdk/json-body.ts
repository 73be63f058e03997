/** JSON that others send: its size and shape are known before the parser, which nothing can interrupt, begins. */

/** Limits of a body. @since 0.2 */
export interface JsonBodyLimits {
  /** Bytes without those of pictures, which are strings that begin with `data:image/` (default 1 MiB). */
  readonly maxPlainBytes?: number
  /** Values in all lists and objects together (default 50,000). */
  readonly maxValues?: number
  /** Lists and objects within each other (default 100). */
  readonly maxDepth?: number
}

/**
 * The value, or why it could not be read: `limit` names the limit in a sentence; `malformed` means not JSON in UTF-8.
 * @since 0.2
 */
export type JsonBodyResult =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'limit'; readonly reason: string }
  | { readonly kind: 'malformed' }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const PICTURE = Buffer.from('data:image/')
const opening = new Set([0x5b, 0x7b])
const closing = new Set([0x5d, 0x7d])

/**
 * Parses what stays within the limits. One pass over the bytes comes before; nothing is allocated for what is refused.
 * @since 0.2
 */
export function parseJsonBody(bytes: Uint8Array, limits: JsonBodyLimits = {}): JsonBodyResult {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const reason = overLimit(body, limits)
  if (reason !== undefined) return { kind: 'limit', reason }
  try {
    return { kind: 'value', value: JSON.parse(body.toString('utf8')) }
  } catch {
    return { kind: 'malformed' }
  }
}

function overLimit(
  body: Buffer,
  { maxPlainBytes = 1_048_576, maxValues = 50_000, maxDepth = 100 }: JsonBodyLimits,
): string | undefined {
  const shape = { depth: 0, values: 0, pictures: 0 }
  for (let at = 0; at < body.length; at++) {
    at = pass(body, at, shape)
    if (shape.depth > maxDepth) return `The body has more than ${maxDepth} lists and objects within each other.`
    if (shape.values > maxValues) return `The body has more than ${maxValues} values.`
  }
  const plain = body.length - shape.pictures
  if (plain <= maxPlainBytes) return undefined
  return `The body has ${plain} bytes without its pictures, and at most ${maxPlainBytes} are taken.`
}

/** Counts what begins at `at`; returns its last byte. */
function pass(body: Buffer, at: number, shape: { depth: number; values: number; pictures: number }): number {
  const byte = body[at] as number
  if (byte === QUOTE) {
    const end = endOfString(body, at + 1)
    if (body.subarray(at + 1, at + 1 + PICTURE.length).equals(PICTURE)) shape.pictures += end - at
    return end
  }
  if (opening.has(byte)) {
    shape.depth++
    shape.values++
  } else if (closing.has(byte)) shape.depth--
  else if (byte === COMMA) shape.values++
  return at
}

/** Where the closing quote is: one behind an even number of backslashes. */
function endOfString(body: Buffer, from: number): number {
  for (let at = body.indexOf(QUOTE, from); at >= 0; at = body.indexOf(QUOTE, at + 1)) {
    let backslashes = 0
    while (at - backslashes > from && body[at - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return body.length
}
