/** The streams of a server (RFC 6120): their opening, SASL PLAIN and the binding of a resource. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { xml } from '@xmpp/client'
import { Parser } from '@xmpp/xml'
import type { Stanza } from '../session.ts'

const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl'
const BIND = 'urn:ietf:params:xml:ns:xmpp-bind'

export interface StreamsOptions {
  readonly domain: string
  readonly jid: string
  readonly password: string
  readonly isLoggedOut: () => boolean
  readonly isSilent: () => boolean
  /** Of a stream that is bound. */
  readonly stanza: (stanza: Stanza, stream: Stream) => void
}

/** A connection of a client. */
export class Stream {
  readonly #socket: Socket
  readonly #options: StreamsOptions
  isBound = false
  isAvailable = false
  #isKnown = false

  constructor(socket: Socket, options: StreamsOptions) {
    this.#socket = socket
    this.#options = options
    socket.on('error', () => socket.destroy())
    this.#listen()
  }

  send(stanza: Stanza): void {
    if (!this.#options.isSilent()) this.#socket.write(stanza.toString())
  }

  cut(): void {
    this.#socket.destroy()
  }

  #listen(): void {
    const parser = new Parser()
    const { domain } = this.#options
    this.#socket.removeAllListeners('data').on('data', (data) => {
      try {
        parser.write(data.toString('utf8'))
      } catch {
        // A stream that ends before it began.
        this.#socket.destroy()
      }
    })
    parser.on('start', () => {
      const head = `<stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams" id="s" from="${domain}" version="1.0">`
      const mechanisms = xml('mechanisms', { xmlns: SASL }, xml('mechanism', {}, 'PLAIN'))
      const features = this.#isKnown ? xml('bind', { xmlns: BIND }) : mechanisms
      if (!this.#options.isSilent()) this.#socket.write(`<?xml version="1.0"?>${head}`)
      this.send(xml('stream:features', {}, features))
    })
    parser.on('element', (element: Stanza) => this.#hear(element))
    parser.on('end', () => this.#socket.removeAllListeners('data').end('</stream:stream>'))
    parser.on('error', () => this.#socket.destroy())
  }

  #hear(element: Stanza): void {
    const { jid, password, isLoggedOut, stanza } = this.#options
    if (element.name === 'auth') {
      const given = Buffer.from(element.text(), 'base64').toString('utf8')
      if (given !== `\0${jid.split('@')[0]}\0${password}` || isLoggedOut())
        return void this.send(xml('failure', { xmlns: SASL }, xml('not-authorized')))
      this.#isKnown = true
      this.send(xml('success', { xmlns: SASL }))
      return void this.#listen()
    }
    if (!this.#isKnown) return void this.cut()
    const bind = element.getChild('bind', BIND)
    if (!bind) return void stanza(element, this)
    const full = `${jid}/${bind.getChildText('resource') ?? 'any'}`
    this.isBound = true
    this.send(
      xml('iq', { type: 'result', id: element.attrs['id'] }, xml('bind', { xmlns: BIND }, xml('jid', {}, full))),
    )
  }
}

/** A listening server. */
export class Streams {
  readonly all: Set<Stream> = new Set()
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(options: StreamsOptions): Promise<Streams> {
    const server = createServer()
    const streams = new Streams(server)
    server.on('connection', (socket) => {
      const stream = new Stream(socket, options)
      streams.all.add(stream)
      socket.on('close', () => streams.all.delete(stream))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return streams
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Breaks every connection; new ones are taken. */
  cut(): void {
    for (const stream of this.all) stream.cut()
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise<void>((done) => this.#server.close(() => done()))
  }
}
