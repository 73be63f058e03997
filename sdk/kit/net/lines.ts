/** Lines of a stream of bytes. */

/** A bound on what a sender may make a reader hold. */
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
 */
export async function* readLines(source: AsyncIterable<Uint8Array>, limit: LineLimit): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  let size = 0
  const keep = (part: Uint8Array) => {
    parts.push(part)
    size += part.length
    if (size > limit.maxBytes) throw limit.onTooLong()
  }
  for await (const chunk of source) {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      keep(rest.subarray(0, end))
      const line = Buffer.concat(parts)
      yield line.toString('utf8', 0, line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length)
      parts = []
      size = 0
      rest = rest.subarray(end + 1)
    }
    keep(rest)
  }
}
