/**
 * A server of IRC on loopback: RFC 1459 and RFC 2812, with message tags, account tags, server time, echoes, SASL PLAIN and
 * history (https://ircv3.net/specs/extensions/chathistory) of IRCv3. Its people exist in the server only.
 */

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { LINE_FAULTS, type SayOptions, SEND_FAULTS } from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInMember, StandInService } from 'svc/sdk/platform'
import { ACCOUNT_PASSWORD, FakeNetwork, join, NICK, PASSWORD } from './network.ts'

/** What a client puts into one line. */
const SAY_BYTES = 350

/** The stand-in, and what only IRC has. */
export interface IrcStandIn extends StandInService {
  /** Lines that svc sent, in order. */
  lines(): readonly string[]
  /** The nickname that svc has now. */
  nick(): string | undefined
  /** Says a line to svc as it stands. */
  tell(line: string | Uint8Array): void
  /** A person takes or leaves this nickname. */
  occupy(nick: string): void
  vacate(nick: string): void
  /** What is offered besides the RFCs; nothing: a server of 1993. */
  offer(...capabilities: readonly string[]): void
}

/** Starts one. */
export async function openStandIn(): Promise<IrcStandIn> {
  const network = new FakeNetwork()
  network.server.listen(0, '127.0.0.1')
  await once(network.server, 'listening')
  const { port } = network.server.address() as AddressInfo
  return {
    name: 'irc',
    document: 'https://www.rfc-editor.org/rfc/rfc2812 and https://ircv3.net/irc/',
    config: { server: '127.0.0.1', port, tls: false, nickname: NICK, join: ['#lobby'], line_delay_ms: 0 },
    env: { IRC_SERVER_PASSWORD: PASSWORD, IRC_NICKSERV_PASSWORD: ACCOUNT_PASSWORD },
    sendFaults: SEND_FAULTS,
    lineFaults: LINE_FAULTS,
    member: (options = {}) => member(network, options),
    deliveries: () => [...network.seen],
    connected: () => network.guest() !== undefined,
    failSends: (fault, count) => network.faults.add(fault, count),
    disturb: (fault) => disturb(network, fault),
    calm: () => calm(network),
    lines: () => [...network.lines],
    nick: () => network.guest()?.nick,
    tell: (line) => {
      const guest = network.guest()
      if (guest) network.tell(guest, line)
    },
    occupy: (nick) => void network.taken.add(nick.toLowerCase()),
    vacate: (nick) => void network.taken.delete(nick.toLowerCase()),
    offer: (...capabilities) => {
      network.offered = capabilities
    },
    async close() {
      network.cut()
      await new Promise<void>((done) => network.server.close(() => done()))
    },
  }
}

function disturb(network: FakeNetwork, fault: LineFault): void {
  if (fault === 'twice') network.twice = true
  if (fault === 'late') network.late = true
  if (fault === 'silence') network.isSilent = true
  if (fault === 'flap') network.cut()
  if (fault !== 'logout') return
  network.isLoggedOut = true
  network.cut()
}

function calm(network: FakeNetwork): void {
  network.isSilent = false
  network.isLoggedOut = false
  network.twice = false
  network.faults.clear()
  network.late = false
  network.release()
}

/** Ids that are given become names of accounts: nicknames are no ids on IRC. */
function member(network: FakeNetwork, { userId, group }: { userId?: string; group?: string }): StandInMember {
  const given = userId?.replace(/^account:/, '').replace(/[^A-Za-z0-9_-]/g, '-')
  const name = given === undefined ? network.nextMember() : /^[A-Za-z_]/.test(given) ? given : `u${given}`
  const channel = group === undefined ? undefined : `#${group.replace(/^#/, '').replace(/[\s,]/g, '-')}`.toLowerCase()
  const account = name.toLowerCase()
  return {
    chatId: channel ?? `account:${account}`,
    userId: `account:${account}`,
    async say(text, options = {}) {
      const guest = network.guest()
      const isKept = network.offered.includes('draft/chathistory')
      if (!guest && !isKept) throw new Error('svc is not connected to the stand-in for IRC, which keeps nothing')
      if (guest && channel !== undefined && !guest.joined.has(channel)) join(network, guest, channel)
      return speak(network, { nick: guest?.nick ?? NICK, name, account, channel }, text, options)
    },
  }
}

interface Speaker {
  /** Of svc. */
  readonly nick: string
  readonly name: string
  readonly account: string
  readonly channel: string | undefined
}

/** Each line is a message; the id is that of the last. */
function speak(network: FakeNetwork, who: Speaker, text: string, options: SayOptions): string {
  const { nick, name, account, channel } = who
  const words = options.mention ? `${nick}: ${text}` : text
  let messageId = ''
  for (const line of words.split('\n').flatMap(pieces)) {
    messageId = options.messageId ?? network.nextId()
    const reply = options.quote === undefined ? {} : { '+draft/reply': options.quote }
    const tags = { account, msgid: messageId, time: new Date().toISOString(), ...reply }
    const said = `:${name}!${account}@people.fake.example PRIVMSG ${channel ?? nick} :${line}`
    network.history.keep({ target: channel ?? name.toLowerCase(), line: said, tags })
    network.deliver(() => {
      const current = network.guest()
      if (current) network.relay(current, said, tags)
    })
  }
  return messageId
}

/** What a client does with a line that is too long. */
function pieces(line: string): string[] {
  const all: string[] = []
  let piece = ''
  for (const character of line) {
    if (Buffer.byteLength(piece + character) > SAY_BYTES) {
      all.push(piece)
      piece = ''
    }
    piece += character
  }
  return [...all, piece]
}
