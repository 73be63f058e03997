/** A server with one mailbox: as much of IMAP4rev1 (RFC 3501) with IDLE (RFC 2177) as a program that reads mail needs. */
import { createServer, type Server, type Socket } from 'node:net'
import { formatSource, formatStructure, listMailParts, type MailWorld } from './store.ts'
import { BEARER_REFUSED, readBearer } from './tokens.ts'

const CAPABILITIES = 'IMAP4rev1 IDLE SASL-IR AUTH=XOAUTH2'
const VALIDITY = 7

/** One connection. */
interface Session {
  readonly world: MailWorld
  readonly socket: Socket
  isIn: boolean
  isSelected: boolean
  /** The tag of the IDLE under way. */
  idle: string | undefined
  /** The tag of a login whose refusal the client has to read first. */
  refused: string | undefined
  /** How many mails it knows of. */
  told: number
}

/** The clients that are connected and have the mailbox open. */
export class FakeImap {
  readonly server: Server
  readonly #sessions: Set<Session> = new Set()

  constructor(world: MailWorld) {
    this.server = createServer((socket) => this.#welcome(world, socket))
  }

  isWatched(): boolean {
    return [...this.#sessions].some(({ isSelected, socket }) => isSelected && !socket.destroyed)
  }

  #welcome(world: MailWorld, socket: Socket): void {
    const session: Session = {
      world,
      socket,
      isIn: false,
      isSelected: false,
      idle: undefined,
      refused: undefined,
      told: 0,
    }
    this.#sessions.add(session)
    const tell = () => {
      if (session.idle !== undefined) announce(session)
    }
    world.watchers.add(tell)
    socket.on('close', () => {
      this.#sessions.delete(session)
      world.watchers.delete(tell)
    })
    say(session, `* OK [CAPABILITY ${CAPABILITIES}] ready`)
    world.listen(socket, (line) => take(session, line))
  }
}

function say({ world, socket }: Session, ...lines: readonly (string | Buffer)[]): void {
  if (world.isSilent || socket.destroyed) return
  for (const line of lines) socket.write(typeof line === 'string' ? `${line}\r\n` : line)
}

function announce(session: Session): void {
  const { length } = session.world.inbox
  if (!session.isSelected || session.told === length) return
  session.told = length
  say(session, `* ${length} EXISTS`)
}

function take(session: Session, line: string): void {
  if (session.refused !== undefined) {
    const tag = session.refused
    session.refused = undefined
    return void say(session, `${tag} NO [AUTHENTICATIONFAILED] Invalid credentials`)
  }
  if (session.idle !== undefined) {
    const tag = session.idle
    session.idle = undefined
    return void say(session, line.toUpperCase() === 'DONE' ? `${tag} OK idle ended` : `${tag} BAD DONE was expected`)
  }
  const [, tag = '*', verb = '', rest = ''] = /^(\S+) ((?:UID )?\S+) ?(.*)$/i.exec(line) ?? []
  const command = commands[verb.toUpperCase()]
  if (!command) return void say(session, `${tag} BAD unknown command`)
  const isEarly = ['CAPABILITY', 'LOGIN', 'AUTHENTICATE', 'LOGOUT', 'NOOP', 'ID'].includes(verb.toUpperCase())
  if (!session.isIn && !isEarly) return void say(session, `${tag} NO log in first`)
  if (!['LOGIN', 'AUTHENTICATE'].includes(verb.toUpperCase())) announce(session)
  command(session, tag, rest)
}

type Command = (session: Session, tag: string, rest: string) => void

const commands: Readonly<Record<string, Command>> = {
  CAPABILITY: (session, tag) => say(session, `* CAPABILITY ${CAPABILITIES}`, `${tag} OK done`),
  ID: (session, tag) => say(session, '* ID NIL', `${tag} OK done`),
  NOOP: (session, tag) => say(session, `${tag} OK done`),
  LOGIN: login,
  AUTHENTICATE: (session, tag, rest) => {
    const [mechanism, said = ''] = rest.split(' ')
    if (mechanism?.toUpperCase() !== 'XOAUTH2') return say(session, `${tag} NO unknown mechanism`)
    const { tokens } = session.world
    const isRefused = tokens.refusedByImap-- > 0
    session.isIn = !isRefused && session.world.acceptsToken(readBearer(said))
    if (session.isIn) return say(session, `${tag} OK [CAPABILITY ${CAPABILITIES}] logged in`)
    session.refused = tag
    say(session, `+ ${BEARER_REFUSED}`)
  },
  LIST: (session, tag, rest) => list(session, tag, 'LIST', rest),
  LSUB: (session, tag, rest) => list(session, tag, 'LSUB', rest),
  SELECT: select,
  'UID SEARCH': search,
  'UID FETCH': fetch,
  'UID STORE': (session, tag) => say(session, `${tag} OK done`),
  IDLE: (session, tag) => {
    say(session, '+ idling')
    session.idle = tag
  },
  LOGOUT: (session, tag) => {
    say(session, '* BYE', `${tag} OK done`)
    session.socket.end()
  },
}

function login(session: Session, tag: string, rest: string): void {
  const [user = '', password = ''] = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) => {
    return plain ?? (quoted ?? '').replace(/\\(.)/g, '$1')
  })
  if (!session.world.accepts(user, password))
    return void say(session, `${tag} NO [AUTHENTICATIONFAILED] wrong password`)
  session.isIn = true
  say(session, `${tag} OK [CAPABILITY ${CAPABILITIES}] logged in`)
}

/** There is one mailbox. */
function list(session: Session, tag: string, verb: string, rest: string): void {
  if (/(?:INBOX|[*%])"?$/i.test(rest)) say(session, `* ${verb} () "/" "INBOX"`)
  say(session, `${tag} OK done`)
}

function select(session: Session, tag: string, rest: string): void {
  if (!/^"?INBOX"?/i.test(rest)) return void say(session, `${tag} NO [NONEXISTENT] no such mailbox`)
  const { length } = session.world.inbox
  session.isSelected = true
  session.told = length
  const facts = ['* FLAGS (\\Seen)', `* ${length} EXISTS`, '* 0 RECENT', `* OK [UIDVALIDITY ${VALIDITY}] valid`]
  say(session, ...facts, `* OK [UIDNEXT ${length + 1}] next`, `${tag} OK [READ-WRITE] done`)
}

/** UIDs are counted from 1: nothing is ever deleted here. */
function search(session: Session, tag: string, rest: string): void {
  const { length } = session.world.inbox
  const from = Number(/UID (\d+):\*/i.exec(rest)?.[1] ?? 1)
  const uids = Array.from({ length }, (_, at) => at + 1).filter((uid) => uid >= from || uid === length)
  say(session, `* SEARCH ${uids.join(' ')}`.trim(), `${tag} OK done`)
}

function fetch(session: Session, tag: string, rest: string): void {
  const uid = Number.parseInt(rest, 10)
  const mail = session.world.inbox[uid - 1]
  if (session.world.broken.has(uid)) return void session.socket.destroy()
  if (mail) {
    const literals = [...rest.matchAll(/BODY(?:\.PEEK)?\[([^\]]*)\](?:<(\d+)\.(\d+)>)?/gi)].map(
      ([, section = '', from, most]) => {
        const whole = readSection(section.toUpperCase(), mail)
        const start = Number(from ?? 0)
        const bytes = most === undefined ? whole : whole.subarray(start, start + Number(most))
        const name = `BODY[${section}]${from === undefined ? '' : `<${from}>`}`
        return Buffer.concat([Buffer.from(` ${name} {${bytes.length}}\r\n`), bytes])
      },
    )
    const structure = /BODYSTRUCTURE/i.test(rest) ? ` BODYSTRUCTURE ${formatStructure(mail)}` : ''
    const date = ` INTERNALDATE "${dateTime(mail.arrivedAt)}"`
    const head = Buffer.from(
      `* ${uid} FETCH (UID ${uid} FLAGS () RFC822.SIZE ${formatSource(mail).length}${date}${structure}`,
    )
    say(session, Buffer.concat([head, ...literals, Buffer.from(')\r\n')]))
  }
  say(session, `${tag} OK done`)
}

/** The whole mail, its header, or a part: `2` is its content and `2.MIME` its header. */
function readSection(section: string, mail: Parameters<typeof listMailParts>[0]): Buffer {
  const source = formatSource(mail)
  if (section === '') return source
  if (section.startsWith('HEADER')) return source.subarray(0, source.indexOf('\r\n\r\n') + 4)
  const [number = '', what] = section.split('.')
  const part = listMailParts(mail)[Number(number) - 1]
  if (!part) return Buffer.alloc(0)
  return Buffer.from(what === 'MIME' ? `${part.headers.join('\r\n')}\r\n\r\n` : part.body)
}

/** `date-time` of RFC 3501 (section 9): `01-Jan-2026 00:00:00 +0000`. */
function dateTime(at: Date): string {
  // `Thu, 01 Jan 2026 00:00:00 GMT`
  const [, day, month, year, time] = at.toUTCString().split(' ')
  return `${day}-${month}-${year} ${time} +0000`
}
