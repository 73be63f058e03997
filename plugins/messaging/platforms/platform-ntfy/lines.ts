/** The lines of a topic. */
import { SvcError } from 'svc/sdk'
import { readLines } from 'svc/sdk/kit/net'

/** A message has 4 KiB, and a title, tags and buttons beside it. */
const MAX_BYTES = 1_048_576

/** The lines of a stream without empty ones. Throws `NTFY_STRANGE` if one does not end. */
export async function* readEventLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const onTooLong = () =>
    new SvcError('NTFY_STRANGE', 'A line of the topic does not end. Check NTFY_SERVER_URL.', { status: 502 })
  for await (const line of readLines(bytes, { maxBytes: MAX_BYTES, onTooLong })) if (line.trim()) yield line
}
