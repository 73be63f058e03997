/**
 * A scripted service on loopback that streams server-sent events: the ground on which the fakes of Anthropic and Gemini
 * stand. They say what the bytes are; this says how they come, and all that can go wrong on the way.
 */
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A request as it came in. */
export interface ServiceRequest {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

/** An answer: `bytes` as events with a way to send them, or a whole body with a status. */
export type ServiceAnswer =
  | {
      readonly events: string | Uint8Array
      /** Default: `text/event-stream`. */
      readonly contentType?: string
      readonly how?: 'cut' | 'stall' | 'slow' | undefined
    }
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>> | undefined
      readonly body: string
    }

/** A running service. */
export interface SseService {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Oldest first. */
  readonly requests: readonly ServiceRequest[]
  /** Connections that were ever made. */
  readonly connections: number
  /** Resolves when an answer with `stall` has fallen silent. */
  readonly stalled: Promise<void>
  /** Resolves when no client is connected. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Starts it on a free port; `answer` is asked for every request. */
export async function startSseService(
  answer: (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>,
): Promise<SseService> {
  const requests: ServiceRequest[] = []
  let connections = 0
  let fallSilent = () => {}
  const stalled = new Promise<void>((resolve) => {
    fallSilent = resolve
  })
  const serve = async (incoming: http.IncomingMessage, response: http.ServerResponse) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString('utf8')
    const { method = 'GET', url: path = '/', headers } = incoming
    const request = { method, path, headers, body: text === '' ? {} : JSON.parse(text) }
    requests.push(request)
    await send(response, await answer(request), fallSilent)
  }
  // A client that went away is no fault of the service.
  const server = http.createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy())
  })
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    connections += 1
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get connections() {
      return connections
    },
    stalled,
    async idle() {
      // A reset is an end, too: `once` would reject with it.
      await Promise.all(
        [...open].map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))),
      )
    },
    async close() {
      server.closeAllConnections()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function send(response: http.ServerResponse, answer: ServiceAnswer, fallSilent: () => void): Promise<void> {
  if ('status' in answer) {
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body)
    return
  }
  const bytes = Buffer.from(answer.events)
  const half = bytes.subarray(0, bytes.length >> 1)
  response.writeHead(200, { 'content-type': answer.contentType ?? 'text/event-stream; charset=utf-8' })
  switch (answer.how) {
    case 'cut':
      response.write(half, () => response.destroy())
      return
    case 'stall':
      response.write(half, fallSilent)
      return
    case 'slow':
      for (const byte of bytes) {
        response.write(Buffer.of(byte))
        await new Promise((resolve) => setImmediate(resolve))
      }
      response.end()
      return
    default:
      response.end(bytes)
  }
}

/** What goes wrong, the same for every service. `error-event`: an error in the middle of the stream. */
export type ServiceFault =
  | 'cut'
  | 'stall'
  | 'slow'
  | 'no-end'
  | 'error-event'
  | 'garbage'
  | 'html'
  | 'wrong-json'
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly message?: string
      readonly body?: string
    }

/** One scripted answer; a string is its text. */
export type ServiceReply =
  | string
  | {
      /** One delta for each piece. */
      readonly text?: string | readonly string[]
      readonly reasoning?: string | readonly string[]
      /** Reasoning that the service keeps to itself. */
      readonly redacted?: string
      /** Pictures of the model, base64 PNGs. */
      readonly images?: readonly string[]
      readonly calls?: readonly ServiceCall[]
      /** Why it stopped, in the words of the service. */
      readonly finish?: string
      /** Why Gemini does not even take the prompt. */
      readonly blocked?: string
      /** Counts in the words of the service. */
      readonly usage?: Readonly<Record<string, number | string>>
      readonly fault?: ServiceFault
    }

/** A tool call. Arguments as text are sent as they are, where the service sends text. */
export interface ServiceCall {
  readonly id?: string
  readonly name: string
  readonly arguments?: unknown
  readonly signature?: string
}

/** A reply as data. */
export type FullServiceReply = Exclude<ServiceReply, string>

/** What every fake does alike: pages of another kind, and how bytes are sent. */
export function answerWith(reply: FullServiceReply, events: string | Uint8Array): ServiceAnswer {
  const { fault } = reply
  if (fault === 'html')
    return { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Hello</title>' }
  if (fault === 'wrong-json') return { status: 200, body: '{"hello":"world"}' }
  const isWay = fault === 'cut' || fault === 'stall' || fault === 'slow'
  return { events, how: isWay ? fault : undefined }
}

/** The pieces of a text. */
export function toPieces(text: string | readonly string[] | undefined): readonly string[] {
  return text === undefined ? [] : [text].flat()
}
