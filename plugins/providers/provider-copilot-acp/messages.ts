/** One JSON message a line, as the stream of the protocol. What is no message is left out and logged. */
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { tryParseJson } from 'svc/sdk'
import { splitLines } from 'svc/sdk/kit/net'
import type { Deps } from './place.ts'
import type { Line } from './program.ts'

/** The longest message: an answer with pictures. */
const MAX_BYTES = 32 * 2 ** 20
const MAX_REPORTED = 20

export function toStream({ input, output }: Pick<Line, 'input' | 'output'>, { log }: Pick<Deps, 'log'>): Stream {
  const lines = splitLines(output, { maxBytes: MAX_BYTES, keepsRest: true })[Symbol.asyncIterator]()
  let reported = 0
  const readable = new ReadableStream<AnyMessage>({
    async pull(controller) {
      for (;;) {
        const { value: line, done } = await lines.next().catch(() => ({ value: undefined, done: true }))
        if (done) return controller.close()
        const message = tryParseJson(line ?? '')?.value
        if (typeof message === 'object' && message !== null && !Array.isArray(message))
          return controller.enqueue(message as AnyMessage)
        if (line?.trim() !== '' && reported++ < MAX_REPORTED)
          log.warn('Copilot CLI wrote what is no message', { line: line?.slice(0, 200) })
      }
    },
  })
  const writable = new WritableStream<AnyMessage>({
    write: (message) =>
      new Promise<void>((resolve, reject) => {
        input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
      }),
  })
  return { readable, writable }
}
