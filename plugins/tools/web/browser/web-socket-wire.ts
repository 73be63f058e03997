/** Messages to a browser that is already running. Loads `ws`, so it is imported at the first connection. */
import { SvcError } from 'svc/sdk'
import WebSocket from 'ws'
import { LONGEST_MESSAGE, type OpenWire } from './cdp.ts'

const CONNECT_MS = 10_000

/** Connects to a `ws:` address of a browser's debugger; throws `BROWSER_CONNECT`. */
export async function webSocketWire(url: string): Promise<OpenWire> {
  const socket = new WebSocket(url, {
    maxPayload: LONGEST_MESSAGE,
    perMessageDeflate: false,
    handshakeTimeout: CONNECT_MS,
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', (error) => {
      reject(new SvcError('BROWSER_CONNECT', `No browser answers at ${url}: ${error.message}`, { cause: error }))
    })
  })
  return (ends) => {
    // A broken connection is reported once, by `close`, which follows every error.
    socket.on('error', () => undefined)
    socket.on('close', () => ends.closed('The connection to the browser ended.'))
    socket.on('message', (data) => ends.message(String(data)))
    return { send: (message) => socket.send(message, () => undefined), close: () => socket.close() }
  }
}
