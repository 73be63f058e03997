/** A WebSocket for texts, as the event streams of chat services use it. Loads `ws` when a socket is opened. */
import type { Clock } from '../../ports.ts'

/** How a connection that has fallen silent is noticed. @since 0.2 */
export interface SocketWatch {
  readonly clock: Pick<Clock, 'after'>
  /** Milliseconds without a sign of the other side after which the connection is cut. */
  readonly silenceMs: number
  /** Milliseconds between pings; left out: the other side sends pings. */
  readonly pingMs?: number | undefined
}

/** How a connection is made. @since 0.1 */
export interface TextSocketOptions {
  readonly url: string
  /** Ends the connection at once. */
  readonly signal: AbortSignal
  /** Milliseconds for the opening handshake (default 15,000). */
  readonly handshakeMs?: number
  /** The longest message in bytes (default 16 MiB); a longer one ends the connection with code 1009. */
  readonly maxBytes?: number
  /** Left out: silence ends nothing. @since 0.2 */
  readonly watch?: SocketWatch
}

/** The events of a socket. @since 0.1 */
export interface TextSocketEvents {
  opened?(): void
  message(text: string): void
  /** A binary message; left out: it is read as a text in UTF-8. */
  binary?(bytes: Uint8Array): void
  /** The other side sent something: a message, a ping or a pong. */
  heard?(): void
  /** Called once, also if the socket could not be opened. `reason` is the close reason of the peer, the network error, or `code N`. */
  closed(reason: string, code: number): void
}

/** A socket that is being opened, or is open. @since 0.1 */
export interface TextSocket {
  /** Sends a text, or bytes as a binary message. Only after `opened` or a first message. What cannot be sent any more is dropped. */
  send(message: string | Uint8Array): void
  /** Sends a ping if the socket is open. */
  ping(): void
  /** Breaks the connection without a closing handshake, which would end a session that can be resumed. */
  cut(): void
}

const HANDSHAKE_MS = 15_000
const MAX_BYTES = 16 * 2 ** 20

/** Begins to connect. Throws if the URL is malformed; any other failure is reported by `events.closed`. @since 0.1 */
export async function openTextSocket(options: TextSocketOptions, events: TextSocketEvents): Promise<TextSocket> {
  const { WebSocket } = await import('ws')
  const { url, signal, handshakeMs = HANDSHAKE_MS, maxBytes = MAX_BYTES, watch } = options
  const socket = new WebSocket(url, {
    maxPayload: maxBytes,
    perMessageDeflate: false,
    handshakeTimeout: handshakeMs,
  })
  let problem = ''
  const cut = () => socket.terminate()
  signal.addEventListener('abort', cut, { once: true })
  const ping = () => {
    if (socket.readyState === WebSocket.OPEN) socket.ping('', undefined, () => undefined)
  }
  let [cancelSilence, cancelPing] = [() => {}, () => {}]
  const expectSign = () => {
    cancelSilence()
    if (!watch) return
    cancelSilence = watch.clock.after(watch.silenceMs, () => {
      problem = 'nothing was heard of it'
      cut()
    })
  }
  const pingLater = () => {
    if (watch?.pingMs === undefined) return
    cancelPing = watch.clock.after(watch.pingMs, () => {
      ping()
      pingLater()
    })
  }
  socket.on('open', () => {
    pingLater()
    events.opened?.()
  })
  for (const sign of ['message', 'ping', 'pong'] as const)
    socket.on(sign, () => {
      expectSign()
      events.heard?.()
    })
  socket.on('message', (data, isBinary) => {
    if (isBinary && events.binary) events.binary(data as Buffer)
    else events.message(String(data))
  })
  // Every error is followed by `close`.
  socket.on('error', ({ message }) => {
    problem = message
  })
  socket.on('close', (code, reason) => {
    signal.removeEventListener('abort', cut)
    cancelSilence()
    cancelPing()
    events.closed(String(reason) || problem || `code ${code}`, code)
  })
  expectSign()
  if (signal.aborted) cut()
  return { send: (message) => socket.send(message, () => undefined), ping, cut }
}
