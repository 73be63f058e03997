/** Lines of a stream of bytes. */
import { SvcError } from 'svc/sdk'

/** A message has 4 KiB, and a title, tags and buttons beside it. */
const LONGEST = 1_048_576

/** Without their ends and without empty ones; what stands behind the last end is not a whole line and left out. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const part of bytes) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim()) yield line
    if (rest.length > LONGEST)
      throw new SvcError('NTFY_STRANGE', 'A line of the topic does not end. Check NTFY_SERVER_URL.', { status: 502 })
  }
}
