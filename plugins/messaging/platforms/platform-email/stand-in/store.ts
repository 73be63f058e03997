/** A mailbox in memory: what the stand-ins for IMAP and SMTP share. */
import type { Socket } from 'node:net'
import { FakeTokens } from './tokens.ts'

/** A file beside the words of a mail. */
export interface MailFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** A mail that a person wrote to svc. */
export interface InMail {
  readonly headers: readonly string[]
  readonly text: string
  readonly files: readonly MailFile[]
}

/** One that the server has taken. */
export interface ArrivedMail extends InMail {
  readonly arrivedAt: Date
}

/** A part as it stands in the mail: encoded in base64. */
export interface MailPart {
  readonly type: string
  readonly subtype: string
  readonly headers: readonly string[]
  readonly body: string
  readonly name: string | undefined
}

const BOUNDARY = 'fake-boundary'

/** The parts of a mail: its words, and its files. */
export function listMailParts({ text, files }: InMail): readonly MailPart[] {
  const words = {
    type: 'TEXT',
    subtype: 'PLAIN',
    headers: ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'],
    body: encoded(Buffer.from(text)),
    name: undefined,
  }
  return [words, ...files.map(filePart)]
}

function filePart({ name, mediaType, bytes }: MailFile): MailPart {
  const [type = 'application', subtype = 'octet-stream'] = mediaType.toUpperCase().split('/')
  const safe = name.replace(/["\\\r\n]/g, '_')
  const headers = [
    `Content-Type: ${mediaType}`,
    `Content-Disposition: attachment; filename="${safe}"`,
    'Content-Transfer-Encoding: base64',
  ]
  return { type, subtype, headers, body: encoded(bytes), name: safe }
}

function encoded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n')
}

/** The mail as it lies in the mailbox. */
export function formatSource(mail: InMail): Buffer {
  const parts = listMailParts(mail)
  const [words] = parts
  const lines =
    parts.length === 1 && words
      ? [...mail.headers, 'MIME-Version: 1.0', ...words.headers, '', words.body]
      : [
          ...mail.headers,
          'MIME-Version: 1.0',
          `Content-Type: multipart/mixed; boundary=${BOUNDARY}`,
          '',
          ...parts.flatMap(({ headers, body }) => [`--${BOUNDARY}`, ...headers, '', body]),
          `--${BOUNDARY}--`,
        ]
  return Buffer.from(`${lines.join('\r\n')}\r\n`)
}

/** BODYSTRUCTURE of it: RFC 3501, section 7.4.2. */
export function formatStructure(mail: InMail): string {
  const parts = listMailParts(mail).map(({ type, subtype, body, name }) => {
    const isText = type === 'TEXT'
    const lines = isText ? ` ${body.split('\r\n').length}` : ''
    const parameters = isText ? '("CHARSET" "utf-8")' : 'NIL'
    const disposition = name === undefined ? 'NIL' : `("ATTACHMENT" ("FILENAME" "${name}"))`
    const basics = `"${type}" "${subtype}" ${parameters} NIL NIL "BASE64" ${body.length}${lines}`
    return `(${basics} NIL ${disposition} NIL NIL)`
  })
  return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join('')} "MIXED" ("BOUNDARY" "${BOUNDARY}") NIL NIL NIL)`
}

/** What both servers know. */
export class MailWorld {
  readonly login: string
  readonly password: string
  readonly tokens: FakeTokens
  readonly inbox: ArrivedMail[] = []
  readonly sockets: Set<Socket> = new Set()
  /** UIDs of mails that cannot be read: the connection breaks each time. */
  readonly broken: Set<number> = new Set()
  isLoggedOut = false
  isSilent = false
  /** Sessions that hear of new mail. */
  readonly watchers: Set<() => void> = new Set()

  constructor(login: string, password: string) {
    this.login = login
    this.password = password
    this.tokens = new FakeTokens(login)
  }

  accepts(login: string, password: string): boolean {
    return !this.isLoggedOut && login === this.login && password === this.password
  }

  acceptsToken({ user, token }: { readonly user: string; readonly token: string }): boolean {
    return !this.isLoggedOut && this.tokens.accepts(user, token)
  }

  add(mail: InMail): void {
    this.inbox.push({ ...mail, arrivedAt: new Date() })
    for (const tell of this.watchers) tell()
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  /** Lines of a new connection, one after the other. */
  listen(socket: Socket, take: (line: string) => void): void {
    this.sockets.add(socket)
    let rest = ''
    socket
      .setNoDelay(true)
      .setEncoding('latin1')
      .on('error', () => socket.destroy())
    socket.on('close', () => this.sockets.delete(socket))
    socket.on('data', (text: string) => {
      const lines = (rest + text).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (!this.isSilent && !socket.destroyed) take(line)
    })
  }
}
