/** A server that accepts mail from authenticated clients: the part of SMTP (RFC 5321, RFC 4954) that a sender needs. */

import { createServer, type Server, type Socket } from 'node:net'
import type { SendFaults } from 'svc/sdk/kit/stand-in'
import type { SendFault } from 'svc/sdk/platform'
import type { MailFile, MailWorld } from './store.ts'
import { BEARER_REFUSED, readBearer } from './tokens.ts'

/** RFC 5321, section 4.5.3.1.6, without the line end. */
const MAX_LINE = 998
/** The most that is taken, in bytes. */
const MAX_BYTES = 30_000_000

/** A mail that svc sent. */
export interface OutMail {
  readonly to: string
  /** All of the envelope, the one in `to` first. */
  readonly recipients: readonly string[]
  readonly raw: string
}

/** One connection. */
interface Session {
  readonly socket: Socket
  isIn: boolean
  /** The client has to read first why its token was refused. */
  isRefused: boolean
  from: string | undefined
  to: string | undefined
  recipients: string[]
  fault: SendFault | undefined
  /** Lines of the mail, while it comes. */
  data: string[] | undefined
}

/** Listens; what was taken is in `taken`. */
export class FakeSmtp {
  readonly server: Server
  readonly taken: OutMail[] = []
  readonly #world: MailWorld
  readonly #faults: SendFaults

  constructor(world: MailWorld, faults: SendFaults) {
    this.#world = world
    this.#faults = faults
    this.server = createServer((socket) => {
      const session: Session = {
        ...{
          socket,
          isIn: false,
          isRefused: false,
          from: undefined,
          to: undefined,
          recipients: [],
          fault: undefined,
          data: undefined,
        },
      }
      this.#say(session, '220 mx.fake.example ESMTP')
      world.listen(socket, (line) =>
        session.data ? this.#collect(session, session.data, line) : this.#take(session, line),
      )
    })
  }

  #say({ socket }: Session, ...lines: readonly string[]): void {
    if (!this.#world.isSilent && !socket.destroyed) socket.write(lines.map((line) => `${line}\r\n`).join(''))
  }

  #take(session: Session, line: string): void {
    if (session.isRefused) {
      session.isRefused = false
      return void this.#say(session, '535 5.7.8 Username and Password not accepted')
    }
    const verb = line.split(/[\s:]/, 1)[0]?.toUpperCase() ?? ''
    const command = this.#commands[verb]
    if (!command) return void this.#say(session, '502 5.5.1 unknown command')
    command(session, line)
  }

  readonly #commands: Readonly<Record<string, (session: Session, line: string) => void>> = {
    EHLO: (session) => this.#say(session, '250-mx.fake.example', `250-SIZE ${MAX_BYTES}`, '250 AUTH PLAIN XOAUTH2'),
    AUTH: (session, line) => {
      const [, mechanism = '', said = ''] = line.split(' ')
      if (mechanism.toUpperCase() === 'XOAUTH2') return void this.#bearer(session, said)
      const [, login = '', password = ''] = Buffer.from(said, 'base64').toString().split('\0')
      session.isIn = this.#world.accepts(login, password)
      this.#say(session, session.isIn ? '235 2.7.0 welcome' : '535 5.7.8 wrong password')
    },
    MAIL: (session, line) => this.#mail(session, line),
    RCPT: (session, line) => this.#recipient(session, line),
    DATA: (session) => {
      if (session.to === undefined) return void this.#say(session, '503 5.5.1 to whom?')
      if (session.fault === 'lost') return void session.socket.destroy()
      session.data = []
      this.#say(session, '354 go on')
    },
    RSET: (session) => this.#say(session, '250 2.0.0 done'),
    NOOP: (session) => this.#say(session, '250 2.0.0 done'),
    QUIT: (session) => {
      this.#say(session, '221 2.0.0 bye')
      session.socket.end()
    },
  }

  #bearer(session: Session, said: string): void {
    session.isIn = this.#world.acceptsToken(readBearer(said))
    session.isRefused = !session.isIn
    this.#say(session, session.isIn ? '235 2.7.0 Accepted' : `334 ${BEARER_REFUSED}`)
  }

  #mail(session: Session, line: string): void {
    if (!session.isIn) return void this.#say(session, '530 5.7.0 log in first')
    const [, from = ''] = /<([^>]*)>/.exec(line) ?? []
    if (from !== this.#world.login) return void this.#say(session, '553 5.7.1 that is not your address')
    session.fault = this.#faults.next()
    if (session.fault === 'busy') return void this.#say(session, '450 4.7.1 too many messages, wait a second')
    session.from = from
    session.recipients = []
    session.to = undefined
    this.#say(session, session.fault === 'unavailable' ? '421 4.3.2 the service is not available' : '250 2.1.0 fine')
    if (session.fault === 'unavailable') session.socket.end()
  }

  #recipient(session: Session, line: string): void {
    const [, to = ''] = /<([^>]*)>/.exec(line) ?? []
    if (session.from === undefined) return void this.#say(session, '503 5.5.1 from whom?')
    if (session.fault === 'forbidden' || to.startsWith('nobody@'))
      return void this.#say(session, '550 5.1.1 no such mailbox')
    session.recipients.push(to.toLowerCase())
    session.to = session.recipients[0]
    this.#say(session, '250 2.1.5 fine')
  }

  #collect(session: Session, data: string[], line: string): void {
    if (line !== '.') return void data.push(line.replace(/^\./, ''))
    session.data = undefined
    const raw = data.join('\r\n')
    if (data.some((each) => each.length > MAX_LINE)) return void this.#say(session, '500 5.5.2 line too long')
    if (raw.length > MAX_BYTES) return void this.#say(session, '552 5.3.4 too large')
    this.taken.push({ to: session.to ?? '', recipients: session.recipients, raw })
    if (session.fault === 'unanswered') return void session.socket.destroy()
    this.#say(session, '250 2.0.0 taken')
  }
}

/** A mail, taken apart. */
export interface ParsedMail {
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  /** Where the mail has it beside the text. */
  readonly html?: string
  readonly files: readonly MailFile[]
}

/** RFC 2045 and RFC 2046, as far as programs that write mail use them. */
export function parseMail(raw: string): ParsedMail {
  const end = raw.indexOf('\r\n\r\n')
  const headers = parseHeaders(end < 0 ? raw : raw.slice(0, end))
  const body = end < 0 ? '' : raw.slice(end + 4)
  const type = headers.get('content-type') ?? 'text/plain'
  const [, boundary] = /boundary="?([^";]+)"?/i.exec(type) ?? []
  if (boundary !== undefined) {
    const parts = body
      .split(`--${boundary}`)
      .slice(1, -1)
      .map((part) => parseMail(part.replace(/^\r\n/, '').replace(/\r\n$/, '')))
    const html = parts.find((part) => part.html !== undefined)?.html
    const text = parts[0]?.text ?? ''
    return { headers, text, ...(html !== undefined && { html }), files: parts.flatMap(({ files }) => files) }
  }
  const bytes = decoded(body, headers.get('content-transfer-encoding')?.toLowerCase())
  const disposition = headers.get('content-disposition') ?? ''
  if (!disposition.startsWith('attachment')) {
    const text = bytes.toString().replace(/\r\n/g, '\n').trimEnd()
    return /^text\/html/i.test(type) ? { headers, text: '', html: text, files: [] } : { headers, text, files: [] }
  }
  const [, name = 'file'] = /filename="?([^";]+)"?/i.exec(disposition) ?? []
  return { headers, text: '', files: [{ name, mediaType: type.split(';', 1)[0] ?? type, bytes }] }
}

function parseHeaders(head: string): Map<string, string> {
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  return new Map(lines.map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.replace(/^[^:]*:\s*/, '')]))
}

function decoded(body: string, encoding: string | undefined): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1')
  const plain = body.replace(/[ \t]*=\r\n/g, (soft) => soft.slice(0, -3))
  return Buffer.from(
    plain.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}
