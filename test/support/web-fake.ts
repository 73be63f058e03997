/** A fake web service on loopback: a backend's test says what it answers, this says how it comes and what goes wrong. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as it came in. */
export interface WebRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  /** The same as it came, for forms with files. */
  readonly bytes: Buffer
}

/** A whole answer. */
export interface WebAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** A running service. While `fault` is set it stands in for the answers; `stall` begins one and falls silent. */
export interface WebFake {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Oldest first. */
  readonly requests: readonly WebRequest[]
  fault: WebAnswer | 'cut' | 'stall' | undefined
  /** Resolves when an answer has fallen silent. */
  readonly stalled: Promise<void>
  close(): Promise<void>
}

/** Starts it on a free port. */
export async function startWebFake(reply: (request: WebRequest) => WebAnswer): Promise<WebFake> {
  const requests: WebRequest[] = []
  let fallSilent = () => {}
  const stalled = new Promise<void>((resolve) => {
    fallSilent = resolve
  })
  const serve = async (incoming: http.IncomingMessage, response: http.ServerResponse) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://fake')
    const { method = 'GET', headers } = incoming
    const bytes = Buffer.concat(parts)
    const body = bytes.toString('utf8')
    const request = { method, path: pathname, query: searchParams, headers, body, bytes }
    requests.push(request)
    const { fault } = fake
    if (fault === 'cut') response.writeHead(200).write('{"results"', () => response.destroy())
    else if (fault === 'stall') response.writeHead(200).write('{"results"', fallSilent)
    else send(response, fault ?? reply(request))
  }
  // A client that went away is no fault of the service.
  const server = http.createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const fake: WebFake = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fault: undefined,
    stalled,
    async close() {
      server.closeAllConnections()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
  return fake
}

function send(response: http.ServerResponse, { status = 200, headers, body }: WebAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}
