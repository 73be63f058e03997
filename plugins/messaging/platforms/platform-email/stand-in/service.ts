/**
 * A mail provider on loopback: a mailbox over IMAP (RFC 3501, RFC 2177) and submission over SMTP (RFC 6409). It says in
 * Authentication-Results (RFC 8601) that senders are who they say they are.
 */

import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { LINE_FAULTS, type SayOptions, SEND_FAULTS, SendFaults } from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { FakeImap } from './imap.ts'
import { FakeSmtp, parseMail } from './smtp.ts'
import { type InMail, MailWorld } from './store.ts'
import type { FakeTokens } from './tokens.ts'

const ADDRESS = 'svc@fake.example'
const PASSWORD = 'email-fake-password'
const AUTHSERV = 'mx.fake.example'

/** The stand-in, and what only email has. */
export interface EmailStandIn extends StandInService {
  /** Mails that svc sent, as they stand. */
  sent(): readonly string[]
  /** The envelopes of them. */
  envelopes(): readonly (readonly string[])[]
  /** Receives a mail with these headers, unchecked. */
  arrive(mail: Partial<InMail>): void
  /** The newest mail breaks each connection that reads it. */
  breakNewest(): void
  /** Logins with access tokens. */
  readonly tokens: FakeTokens
  /** How many connections are open, of both protocols. */
  connections(): number
}

/** Faults of the line. */
class Post {
  readonly world = new MailWorld(ADDRESS, PASSWORD)
  readonly faults = new SendFaults()
  readonly imap = new FakeImap(this.world)
  readonly smtp = new FakeSmtp(this.world, this.faults)
  twice = false
  late = false
  #held: InMail | undefined
  #ids = 0

  nextId(): number {
    return ++this.#ids
  }

  deliver(mail: InMail): void {
    if (this.late) {
      this.late = false
      this.#held = mail
      return
    }
    this.world.add(mail)
    if (this.twice) this.world.add(mail)
    this.twice = false
    this.release()
  }

  /** What was held back comes now. */
  release(): void {
    const mail = this.#held
    this.#held = undefined
    if (mail) this.world.add(mail)
  }
}

/** Starts one. */
export async function openStandIn(): Promise<EmailStandIn> {
  const post = new Post()
  const [imapPort, smtpPort] = [await listen(post.imap.server), await listen(post.smtp.server)]
  return {
    name: 'email',
    document: 'https://www.rfc-editor.org/rfc/rfc3501 and https://www.rfc-editor.org/rfc/rfc5321',
    config: {
      ...{ address: ADDRESS, authserv_id: AUTHSERV },
      ...{ imap_host: '127.0.0.1', imap_port: imapPort, imap_security: 'none' },
      ...{ smtp_host: '127.0.0.1', smtp_port: smtpPort, smtp_security: 'none' },
    },
    env: { EMAIL_PASSWORD: PASSWORD },
    sendFaults: SEND_FAULTS,
    lineFaults: LINE_FAULTS,
    member: (options = {}) => member(post, options.userId),
    deliveries: () => post.smtp.taken.map(({ to, raw }) => toDelivery(to, raw)),
    connected: () => post.imap.isWatched(),
    failSends: (fault, count) => post.faults.add(fault, count),
    disturb: (fault) => disturb(post, fault),
    calm: () => calm(post),
    sent: () => post.smtp.taken.map(({ raw }) => raw),
    envelopes: () => post.smtp.taken.map(({ recipients }) => recipients),
    arrive: ({ headers = [], text = '', files = [] }) => post.deliver({ headers, text, files }),
    tokens: post.world.tokens,
    connections: () => post.world.sockets.size,
    breakNewest: () => void post.world.broken.add(post.world.inbox.length),
    async close() {
      post.world.cut()
      await post.world.tokens.close()
      const servers = [post.imap.server, post.smtp.server]
      await Promise.all(servers.map((server) => new Promise<void>((done) => server.close(() => done()))))
    },
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function toDelivery(to: string, mail: string): StandInDelivery {
  const { headers, text, html = text, files } = parseMail(mail)
  const [root] = headers.get('references')?.split(' ') ?? []
  return {
    messageId: headers.get('message-id') ?? '',
    chatId: to,
    ...(root && { threadId: root }),
    raw: html,
    visible: text,
    versions: [html],
    buttons: [],
    files: files.map(({ name, bytes }) => ({ name, bytes })),
  }
}

function disturb(post: Post, fault: LineFault): void {
  if (fault === 'twice') post.twice = true
  if (fault === 'late') post.late = true
  if (fault === 'silence') post.world.isSilent = true
  if (fault === 'flap') post.world.cut()
  if (fault !== 'logout') return
  post.world.isLoggedOut = true
  post.world.cut()
}

function calm(post: Post): void {
  post.world.isSilent = false
  post.world.isLoggedOut = false
  post.twice = false
  post.late = false
  post.faults.clear()
  post.release()
}

/**
 * Everybody is alone with svc: email has no groups. What is no address becomes one. Who was written to answers in that
 * thread, as people do.
 */
function member(post: Post, userId = `person${post.nextId()}`): StandInMember {
  const name = userId.toLowerCase().replace(/[^a-z0-9@._-]/g, '-')
  const address = name.includes('@') ? name : `${name}@people.example`
  return {
    chatId: address,
    userId: address,
    async say(text, options = {}) {
      const messageId = options.messageId ?? `<mail${post.nextId()}@people.example>`
      post.deliver({
        headers: headersFor(address, messageId, { ...newestTo(post, address), ...options }),
        text,
        files: options.files ?? [],
      })
      return messageId
    },
  }
}

/** The newest mail that svc wrote to an address, and its thread. */
function newestTo(post: Post, address: string): SayOptions {
  const newest = [...post.smtp.taken].reverse().find(({ to }) => to === address)
  if (!newest) return {}
  const { messageId, threadId = messageId } = toDelivery(newest.to, newest.raw)
  return { threadId, quote: messageId }
}

function headersFor(address: string, messageId: string, { threadId, quote }: SayOptions): string[] {
  const before = [threadId, quote].filter((each) => each !== undefined)
  return [
    `Authentication-Results: ${AUTHSERV}; dmarc=pass header.from=${address.replace(/^.*@/, '')}`,
    `From: ${address}`,
    `To: ${ADDRESS}`,
    `Message-ID: ${messageId}`,
    ...(before.length > 0 ? [`In-Reply-To: ${before.at(-1)}`, `References: ${[...new Set(before)].join(' ')}`] : []),
  ]
}
