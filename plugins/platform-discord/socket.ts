/** A WebSocket for texts. Loads `ws`, so it is imported when somebody connects. */
import WebSocket from 'ws'

const HANDSHAKE_MS = 15_000
const LONGEST_MESSAGE = 16 * 2 ** 20

/** What happens on it. */
export interface SocketEnds {
  message(text: string): void
  /** Said once, also when it could not be opened. */
  closed(code: number, reason: string): void
}

/** One that is being opened, or is open. */
export interface OpenSocket {
  /** Only once a message came. */
  send(text: string): void
  /** Breaks the connection without a word: a farewell would end the session that may be resumed. */
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
  socket.on('message', (data) => ends.message(String(data)))
  // Every error is followed by `close`.
  socket.on('error', ({ message }) => {
    problem = message
  })
  socket.on('close', (code, reason) => {
    signal.removeEventListener('abort', cut)
    ends.closed(code, String(reason) || problem)
  })
  if (signal.aborted) cut()
  return { send: (text) => socket.send(text, () => undefined), cut }
}
