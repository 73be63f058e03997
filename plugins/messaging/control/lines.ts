/** Messages on the wire: one line of JSON each. */
import { SvcError } from 'svc/sdk'
import { readLines } from 'svc/sdk/kit/net'

/** The whole lines of a stream of bytes. Throws `CONTROL_TOO_LARGE` if a line is over `limit` bytes. */
export function lines(source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<string> {
  const onTooLong = () => new SvcError('CONTROL_TOO_LARGE', `A message is over ${limit} bytes.`)
  return readLines(source, { maxBytes: limit, onTooLong })
}

/** A message as one line. */
export function toLine(message: unknown): string {
  return `${JSON.stringify(message)}\n`
}
