/** Messages on the wire: one line of JSON each. */
import { SvcError } from 'svc/sdk'

const NEWLINE = 10

/** The whole lines of a stream of bytes. Throws `CONTROL_TOO_LARGE` once a line is over `limit` bytes. */
export async function* lines(source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  let size = 0
  const keep = (part: Uint8Array) => {
    parts.push(part)
    size += part.length
    if (size > limit) throw new SvcError('CONTROL_TOO_LARGE', `A message is over ${limit} bytes.`)
  }
  for await (const chunk of source) {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      keep(rest.subarray(0, end))
      yield Buffer.concat(parts).toString('utf8')
      parts = []
      size = 0
      rest = rest.subarray(end + 1)
    }
    keep(rest)
  }
}

/** A message as one line. */
export function toLine(message: unknown): string {
  return `${JSON.stringify(message)}\n`
}
