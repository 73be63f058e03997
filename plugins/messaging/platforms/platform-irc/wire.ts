/** The socket: lines in, lines out. */
import { readFileSync } from 'node:fs'
import { isIP, connect as openTcp, type Socket } from 'node:net'
import { SvcError } from 'svc/sdk'
import { type IrcMessage, parseIrcLine } from 'svc/sdk/kit/text'
import { deliveryRefused } from 'svc/sdk/platform'
import type { IrcAccount } from './account.ts'
import { decodeLine } from './message.ts'

/** Tags (8,191 bytes) and a line (512 bytes), generously. */
const MAX_BYTES = 65_536

/** What happens on it. `end` is said once. */
export interface WireListener {
  line(message: IrcMessage): void
  end(reason: string): void
}

/** An open connection. */
export class Wire {
  readonly #socket: Socket
  #rest: Buffer = Buffer.alloc(0)
  #listener: WireListener | undefined

  constructor(socket: Socket, listener: WireListener) {
    this.#socket = socket
    this.#listener = listener
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.on('error', (error) => this.end(error.message))
    socket.on('close', () => this.end('the server closed the connection'))
  }

  /** False if the connection is closed: then nothing was written. */
  write(line: string): boolean {
    if (!this.#listener || this.#socket.destroyed) return false
    this.#socket.write(`${line.replace(/[\r\n\0]/g, ' ')}\r\n`)
    return true
  }

  /** Says goodbye and closes; nothing is heard of it any more. */
  close(): void {
    this.write('QUIT')
    this.#listener = undefined
    this.#socket.end()
    this.#socket.destroySoon()
  }

  end(reason: string): void {
    const listener = this.#listener
    this.#listener = undefined
    this.#socket.destroy()
    listener?.end(reason)
  }

  #take(bytes: Buffer): void {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes
    for (let at = this.#rest.indexOf(10); at >= 0; at = this.#rest.indexOf(10)) {
      const line = decodeLine(this.#rest.subarray(0, at)).replace(/\r$/, '')
      this.#rest = this.#rest.subarray(at + 1)
      const message = parseIrcLine(line)
      if (message) this.#listener?.line(message)
    }
    if (this.#rest.length > MAX_BYTES) this.end('the server sent a line without an end')
  }
}

/** Connects. Throws `IRC_UNREACHABLE` or `IRC_CERTIFICATE`. */
export async function openWire(account: IrcAccount, listener: WireListener, signal: AbortSignal): Promise<Wire> {
  const { server, port, tls } = account
  const socket = tls ? await openTls(account) : openTcp({ host: server, port })
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      socket.destroy()
      reject(asFailure(error, `${server}:${port}`))
    }
    const abort = () => fail(new Error('it took too long, or was given up'))
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    socket.once('error', fail)
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', abort)
      socket.removeListener('error', fail)
      socket.setNoDelay(true)
      resolve(new Wire(socket, listener))
    })
  })
}

async function openTls({ server, port, tlsCa }: IrcAccount): Promise<Socket> {
  const { connect } = await import('node:tls')
  const ca = tlsCa ? { ca: certificate(tlsCa) } : {}
  return connect({ host: server, port, ...(isIP(server) ? {} : { servername: server }), ...ca })
}

function certificate(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw deliveryRefused(
      'IRC_CERTIFICATE',
      `The file ${file} of platforms.irc.tls_ca cannot be read. Correct the path.`,
      cause,
    )
  }
}

function asFailure(error: Error, where: string): SvcError {
  const { code = '' } = error as { code?: string }
  // Codes of OpenSSL and Node for certificates (nodejs.org/api/tls.html#x509-certificate-error-codes).
  if (/CERT|ISSUER|SIGNATURE|ALTNAME/.test(code)) {
    const advice = 'Check IRC_SERVER; for a certificate that the server signed itself set platforms.irc.tls_ca.'
    return deliveryRefused(
      'IRC_CERTIFICATE',
      `The certificate of ${where} cannot be verified: ${error.message}. ${advice}`,
      error,
    )
  }
  const tlsAdvice =
    code === 'ERR_SSL_WRONG_VERSION_NUMBER' ? ' It does not speak TLS: set IRC_PORT or IRC_USE_TLS.' : ''
  return new SvcError('IRC_UNREACHABLE', `${where} cannot be reached: ${error.message}.${tlsAdvice}`, { cause: error })
}
