/** Writes a reply: at once, or piece by piece as fast as the client reads. */
import type { ServerResponse } from 'node:http'
import type { HttpResponse } from 'svc/sdk/web'

/** Resolves when everything was passed to the connection or the client has disconnected. */
export async function sendReply(
  response: ServerResponse,
  reply: HttpResponse,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { status = 200, body = '' } = reply
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    const sized = status === 204 || status === 304 ? headers : { ...headers, 'content-length': String(length) }
    response.writeHead(status, sized).end(body)
    return
  }
  response.writeHead(status, headers)
  if (response.req.method === 'HEAD') response.end()
  else await sendPieces(response, body)
}

/** Stops the body if the client disconnects. Throws errors of the body: the reply is then truncated, which the client notices. */
async function sendPieces(response: ServerResponse, body: AsyncIterable<string | Uint8Array>): Promise<void> {
  response.flushHeaders()
  let wake = () => {}
  /** One listener for all waits: a race for each piece would leave something behind for each. */
  const orGone = <T>(wait: (done: (value: T) => void, fail: (error: unknown) => void) => void) =>
    new Promise<T | undefined>((resolve, reject) => {
      wake = () => resolve(undefined)
      if (response.closed) wake()
      else wait(resolve, reject)
    })
  response.once('close', () => wake())
  const pieces = body[Symbol.asyncIterator]()
  let isOver = false
  try {
    while (!response.closed) {
      const next = await orGone<IteratorResult<string | Uint8Array>>((done, fail) => pieces.next().then(done, fail))
      isOver = next?.done === true
      if (!next || isOver) break
      if (!response.write(next.value)) await orGone<void>((done) => response.once('drain', done))
    }
    response.end()
  } finally {
    // Not waited for: a body that is busy ends when its signal says so.
    if (!isOver) Promise.resolve(pieces.return?.()).catch(() => {})
  }
}
