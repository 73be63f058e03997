/** Lines of a stream of bytes. */

/** A bound on what a sender may make a reader hold. @since 0.1 */
export interface LineLimit {
  /** The longest line in bytes. */
  readonly maxBytes: number
  /** Returns the error to throw for a longer line. */
  onTooLong(): Error
}

const NEWLINE = 10
const CARRIAGE_RETURN = 13

/**
 * The lines of UTF-8 text that end with LF or CRLF, without their ends. Bytes may be cut anywhere, inside a character too.
 * What follows the last end is not a whole line and left out.
 * @since 0.1
 */
export async function* readLines(source: AsyncIterable<Uint8Array>, limit: LineLimit): AsyncGenerator<string> {
  for await (const line of splitLines(source, { maxBytes: limit.maxBytes })) {
    if (line === undefined) throw limit.onTooLong()
    yield line
  }
}

/**
 * The same lines; undefined stands for one that is longer than `maxBytes`: it comes as soon as that is known, and the rest of the
 * line is discarded. With `keepsRest` what follows the last end is a line, too.
 * @since 0.2
 */
export async function* splitLines(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, keepsRest }: { readonly maxBytes: number; readonly keepsRest?: boolean },
): AsyncGenerator<string | undefined> {
  let parts: Uint8Array[] = []
  let size = 0
  const isTooLong = () => size > maxBytes
  /** Returns whether the line became too long by this part. */
  const add = (part: Uint8Array): boolean => {
    const was = isTooLong()
    size += part.length
    if (isTooLong()) parts = []
    else parts.push(part)
    return isTooLong() && !was
  }
  for await (const chunk of source) {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      if (add(rest.subarray(0, end))) yield undefined
      else if (!isTooLong()) yield toText(parts)
      parts = []
      size = 0
      rest = rest.subarray(end + 1)
    }
    if (add(rest)) yield undefined
  }
  if (keepsRest && size > 0 && !isTooLong()) yield toText(parts)
}

function toText(parts: readonly Uint8Array[]): string {
  const line = Buffer.concat(parts)
  return line.toString('utf8', 0, line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length)
}
