/** JSON messages, one a line, as the stream of the protocol: a bad line is answered and costs nothing else. */
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import type { CliContext } from 'svc/sdk'

/** The longest message: a prompt with pictures. */
const MAX_LINE = 32 * 2 ** 20
/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600

/** `sent` is told of each message once it is written. */
export function openLineStream(io: CliContext, sent: (message: AnyMessage) => void): Stream {
  const write = async (message: object) => {
    io.out(`${JSON.stringify(message)}\n`)
    await io.drained()
  }
  const lines = io.lines(MAX_LINE)[Symbol.asyncIterator]()
  const readable = new ReadableStream<AnyMessage>({
    async pull(controller) {
      for (;;) {
        const { value: line, done } = await lines.next()
        if (done) return controller.close()
        const read = readMessage(line)
        if (read === undefined) continue
        if (!('reject' in read)) return controller.enqueue(read.message)
        await write({ jsonrpc: '2.0', id: null, error: read.reject })
      }
    },
  })
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      await write(message)
      sent(message)
    },
  })
  return { readable, writable }
}

type Read = { readonly message: AnyMessage } | { readonly reject: { readonly code: number; readonly message: string } }

/** `line` is undefined when it was too long. A blank line is no message. */
function readMessage(line: string | undefined): Read | undefined {
  if (line === undefined) {
    const message = `The message is over ${MAX_LINE / 2 ** 20} MiB; it was left out.`
    return { reject: { code: INVALID_REQUEST, message } }
  }
  if (line.trim() === '') return undefined
  try {
    const message: unknown = JSON.parse(line)
    if (typeof message === 'object' && message !== null && !Array.isArray(message))
      return { message: message as AnyMessage }
    return { reject: { code: INVALID_REQUEST, message: 'A message is one JSON object; there are no batches.' } }
  } catch {
    return { reject: { code: PARSE_ERROR, message: 'The line is not JSON. Send one JSON object on one line.' } }
  }
}
