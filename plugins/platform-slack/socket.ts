/** A WebSocket for texts. Loads `ws`, so it is imported when somebody connects. */
import WebSocket from 'ws'

const HANDSHAKE_MS = 15_000
const LONGEST_MESSAGE = 16 * 2 ** 20

/** What happens on it. */
export interface SocketEnds {
  message(text: string): void
  /** The other side is there: a message, a ping or a pong. */
  heard(): void
  /** Said once, also when it could not be opened. */
  closed(reason: string): void
}

/** One that is being opened, or is open. */
export interface OpenSocket {
  /** Only once it was heard of. */
  send(text: string): void
  ping(): void
  cut(): void
}

/** Throws for an address that is none. */
export function openSocket(url: string, ends: SocketEnds, signal: AbortSignal): OpenSocket {
  const socket = new WebSocket(url, {
    maxPayload: LONGEST_MESSAGE,
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS,
  })
  let problem = ''
  const cut = () => socket.terminate()
  signal.addEventListener('abort', cut, { once: true })
  for (const sign of ['message', 'ping', 'pong'] as const) socket.on(sign, () => ends.heard())
  socket.on('message', (data) => ends.message(String(data)))
  // Every error is followed by `close`.
  socket.on('error', ({ message }) => {
    problem = message
  })
  socket.on('close', (code, reason) => {
    signal.removeEventListener('abort', cut)
    ends.closed(String(reason) || problem || `code ${code}`)
  })
  if (signal.aborted) cut()
  return {
    send: (text) => socket.send(text, () => undefined),
    ping: () => {
      if (socket.readyState === WebSocket.OPEN) socket.ping('', undefined, () => undefined)
    },
    cut,
  }
}
