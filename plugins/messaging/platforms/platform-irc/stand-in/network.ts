/** A network of one server, as programs that connect to it see it: RFC 2812 and IRCv3 (ircv3.net). */

import { createServer, type Socket } from 'node:net'
import { SendFaults } from 'svc/sdk/kit/stand-in'
import type { SendFault, StandInDelivery } from 'svc/sdk/platform'
import { FakeHistory, MAX_LINES } from './history.ts'

const SERVER = 'irc.fake.example'
const OFFERED = ['message-tags', 'account-tag', 'server-time', 'echo-message', 'sasl', 'batch', 'draft/chathistory']
/** Without the end of the line: RFC 1459, section 2.3. */
const LINE_BYTES = 510
export const PASSWORD = 'irc-fake-password'
export const ACCOUNT_PASSWORD = 'irc-fake-account'
export const NICK = 'svc'

/** One program that is connected. */
export class Guest {
  readonly socket: Socket
  readonly capabilities: Set<string> = new Set()
  readonly joined: Set<string> = new Set()
  nick = ''
  user = ''
  password = ''
  account = ''
  isNegotiating = false
  isIn = false

  constructor(socket: Socket) {
    this.socket = socket
  }

  get prefix(): string {
    return `${this.nick}!~${this.user}@guest.fake.example`
  }
}

export class FakeNetwork {
  readonly server = createServer((socket) => this.#welcome(socket))
  readonly guests: Set<Guest> = new Set()
  readonly faults = new SendFaults()
  readonly seen: StandInDelivery[] = []
  readonly history = new FakeHistory()
  readonly lines: string[] = []
  readonly taken: Set<string> = new Set(['nickserv'])
  offered: readonly string[] = OFFERED
  isLoggedOut = false
  isSilent = false
  twice = false
  late = false
  #held: (() => void) | undefined
  #ids = 0
  #members = 0

  guest(): Guest | undefined {
    return [...this.guests].find(({ isIn, socket }) => isIn && !socket.destroyed)
  }

  nextId(): string {
    return `msg${++this.#ids}`
  }

  nextMember(): string {
    return `person${++this.#members}`
  }

  tell(guest: Guest, line: string | Uint8Array): void {
    if (this.isSilent || guest.socket.destroyed) return
    guest.socket.write(Buffer.concat([typeof line === 'string' ? Buffer.from(line) : line, Buffer.from('\r\n')]))
  }

  numeric(guest: Guest, code: string, ...words: readonly string[]): void {
    this.tell(guest, `:${SERVER} ${code} ${guest.nick || '*'} ${words.join(' ')}`)
  }

  /** With the tags that were asked for. */
  relay(guest: Guest, line: string, tags: Readonly<Record<string, string>>): void {
    const wanted: Readonly<Record<string, string>> = { account: 'account-tag', time: 'server-time' }
    const given = Object.entries(tags).filter(([key]) => guest.capabilities.has(wanted[key] ?? 'message-tags'))
    const text = given.map(([key, value]) => (value ? `${key}=${value}` : key)).join(';')
    this.tell(guest, text ? `@${text} ${line}` : line)
  }

  /** `twice` and `late` hold for messages of people. */
  deliver(send: () => void): void {
    if (this.late) {
      this.late = false
      this.#held = send
      return
    }
    send()
    if (this.twice) send()
    this.twice = false
    this.release()
  }

  /** What was held back comes now. */
  release(): void {
    this.#held?.()
    this.#held = undefined
  }

  cut(): void {
    for (const { socket } of this.guests) socket.destroy()
  }

  #welcome(socket: Socket): void {
    const guest = new Guest(socket)
    this.guests.add(guest)
    let rest = ''
    socket
      .setNoDelay(true)
      .setEncoding('utf8')
      .on('error', () => socket.destroy())
    socket.on('close', () => this.guests.delete(guest))
    socket.on('data', (text: string) => {
      const [last = '', ...lines] = (rest + text).split('\n').reverse()
      rest = last
      for (const line of lines.reverse())
        if (!this.isSilent && !socket.destroyed) this.#take(guest, line.replace(/\r$/, ''))
    })
  }

  #take(guest: Guest, line: string): void {
    this.lines.push(line)
    const body = line.replace(/^@\S+ /, '')
    if (Buffer.byteLength(body) > LINE_BYTES) return void this.numeric(guest, '417', ':Input line was too long')
    const [head = '', trailing] = body.split(/ :(.*)/s)
    const [command = '', ...middle] = head.split(/ +/)
    const params = trailing === undefined ? middle : [...middle, trailing]
    const handler = handlers[command.toUpperCase()]
    if (!handler) return void this.numeric(guest, '421', command, ':Unknown command')
    handler(this, guest, params, line)
  }

  register(guest: Guest): void {
    if (guest.isIn || guest.isNegotiating || !guest.nick || !guest.user) return
    if (this.isLoggedOut || guest.password !== PASSWORD) {
      this.numeric(guest, '464', ':Password incorrect')
      this.tell(guest, 'ERROR :Closing Link: bad password')
      guest.socket.end()
      return
    }
    guest.isIn = true
    this.numeric(guest, '001', `:Welcome, ${guest.prefix}`)
    this.numeric(guest, '005', 'CASEMAPPING=rfc1459', 'CHANTYPES=#&', 'NICKLEN=30', ':are supported by this server')
    if (guest.capabilities.has('draft/chathistory'))
      this.numeric(
        guest,
        '005',
        `CHATHISTORY=${MAX_LINES}`,
        'MSGREFTYPES=msgid,timestamp',
        ':are supported by this server',
      )
    this.numeric(guest, '422', ':No message of the day')
  }
}

type Handler = (network: FakeNetwork, guest: Guest, params: readonly string[], line: string) => void

const handlers: Readonly<Record<string, Handler>> = {
  CAP: negotiate,
  AUTHENTICATE: authenticate,
  PASS: (_network, guest, [password = '']) => {
    guest.password = password
  },
  NICK: rename,
  USER: (network, guest, [user = '']) => {
    guest.user = user
    network.register(guest)
  },
  JOIN: (network, guest, [channel = '']) => join(network, guest, channel),
  PING: (network, guest, [token = '']) => network.tell(guest, `:${SERVER} PONG ${SERVER} :${token}`),
  PONG: () => {},
  NOTICE: () => {},
  WHOIS: whois,
  USERHOST: userhost,
  PRIVMSG: hear,
  CHATHISTORY: replay,
  QUIT: (_network, guest) => void guest.socket.end(),
}

function negotiate(network: FakeNetwork, guest: Guest, [subcommand = '', list = '']: readonly string[]): void {
  if (network.offered.length === 0) return void network.numeric(guest, '421', 'CAP', ':Unknown command')
  guest.isNegotiating = subcommand !== 'END'
  const names = network.offered.map((name) => (name === 'sasl' ? 'sasl=EXTERNAL,PLAIN' : name))
  // In two lines, as servers with many do.
  if (subcommand === 'LS') {
    network.tell(guest, `:${SERVER} CAP * LS * :${names.slice(0, 2).join(' ')}`)
    network.tell(guest, `:${SERVER} CAP * LS :${names.slice(2).join(' ')}`)
  }
  if (subcommand === 'REQ') {
    const wanted = list.split(' ').filter((each) => each !== '')
    const isFine = wanted.every((name) => network.offered.includes(name))
    if (isFine) for (const name of wanted) guest.capabilities.add(name)
    network.tell(guest, `:${SERVER} CAP * ${isFine ? 'ACK' : 'NAK'} :${list}`)
  }
  network.register(guest)
}

function authenticate(network: FakeNetwork, guest: Guest, [said = '']: readonly string[]): void {
  if (said === 'PLAIN') return void network.tell(guest, 'AUTHENTICATE +')
  const [, account = '', password = ''] = Buffer.from(said, 'base64').toString().split('\0')
  if (account !== NICK || password !== ACCOUNT_PASSWORD)
    return void network.numeric(guest, '904', ':SASL authentication failed')
  guest.account = account
  network.numeric(guest, '900', guest.prefix, account, `:You are now logged in as ${account}`)
  network.numeric(guest, '903', ':SASL authentication successful')
}

function rename(network: FakeNetwork, guest: Guest, [nick = '']: readonly string[]): void {
  const others = [...network.guests].filter((other) => other !== guest).map((other) => other.nick.toLowerCase())
  if (!/^[A-Za-z[\]\\`_^{|}][\w[\]\\`^{|}-]{0,29}$/.test(nick))
    return void network.numeric(guest, '432', nick, ':Erroneous nickname')
  if (network.taken.has(nick.toLowerCase()) || others.includes(nick.toLowerCase()))
    return void network.numeric(guest, '433', nick, ':Nickname is already in use')
  if (guest.isIn) network.tell(guest, `:${guest.prefix} NICK :${nick}`)
  guest.nick = nick
  network.register(guest)
}

export function join(network: FakeNetwork, guest: Guest, channel: string): void {
  if (!/^[#&][^\s,]+$/.test(channel)) return void network.numeric(guest, '403', channel, ':No such channel')
  if (channel === '#closed') return void network.numeric(guest, '474', channel, ':Cannot join channel (+b)')
  guest.joined.add(channel.toLowerCase())
  network.tell(guest, `:${guest.prefix} JOIN ${channel}`)
}

function replay(network: FakeNetwork, guest: Guest, params: readonly string[]): void {
  if (!guest.capabilities.has('draft/chathistory'))
    return void network.numeric(guest, '421', 'CHATHISTORY', ':Unknown command')
  network.history.answer(params, {
    mayRead: (target) => !/^[#&]/.test(target) || guest.joined.has(target),
    tell: (line, tags = {}) =>
      network.relay(guest, /^(BATCH|FAIL|CHATH)/.test(line) ? `:${SERVER} ${line}` : line, tags),
  })
}

/** Everybody called `person...` or whatever is not taken is there, with an account of the same name. */
function whois(network: FakeNetwork, guest: Guest, [nick = '']: readonly string[]): void {
  if (nick.startsWith('nobody')) network.numeric(guest, '401', nick, ':No such nick')
  else {
    network.numeric(guest, '311', nick, nick.toLowerCase(), 'people.fake.example', '*', `:${nick}`)
    if (!network.taken.has(nick.toLowerCase()))
      network.numeric(guest, '330', nick, nick.toLowerCase(), ':is logged in as')
  }
  network.numeric(guest, '318', nick, ':End of WHOIS')
}

/** A nickname that starts with `nobody` is not connected. */
function userhost(network: FakeNetwork, guest: Guest, nicks: readonly string[]): void {
  const known = nicks.slice(0, 5).flatMap((nick) => {
    if (nick.toLowerCase() === guest.nick.toLowerCase()) return [`${guest.nick}=+${guest.prefix.split('!')[1]}`]
    return nick.startsWith('nobody') ? [] : [`${nick}=+${nick.toLowerCase()}@people.fake.example`]
  })
  network.numeric(guest, '302', `:${known.join(' ')}`)
}

function hear(network: FakeNetwork, guest: Guest, [target = '', text]: readonly string[]): void {
  if (!guest.isIn) return void network.numeric(guest, '451', ':You have not registered')
  if (text === undefined || text === '') return void network.numeric(guest, '412', ':No text to send')
  if (target.toLowerCase() === 'nickserv') return
  const fault = network.faults.next()
  if (fault === 'lost') return void guest.socket.destroy()
  const refusal = refusals[fault ?? 'unanswered']
  if (refusal) return void network.numeric(guest, refusal[0], target, refusal[1])
  const isChannel = /^[#&]/.test(target)
  if (isChannel && !guest.joined.has(target.toLowerCase()))
    return void network.numeric(guest, '404', target, ':Cannot send to channel')
  if (!isChannel && target.startsWith('nobody')) return void network.numeric(guest, '401', target, ':No such nick')
  show(network, guest, target, text)
  if (fault === 'unanswered') guest.socket.destroy()
}

/** What the service says of it. Otherwise a message is taken. */
const refusals: Readonly<Partial<Record<SendFault, readonly [string, string]>>> = {
  busy: ['439', ':Target change too fast. Please wait 1 seconds.'],
  unavailable: ['263', ':Server load is temporarily too heavy. Please wait a while and try again.'],
  forbidden: ['404', ':Cannot send to channel (+m)'],
}

/** Others see only what fits into a line behind the prefix: the rest is cut off, as servers do. */
function show(network: FakeNetwork, guest: Guest, target: string, text: string): void {
  const frame = `:${guest.prefix} PRIVMSG ${target} :`
  const raw = Buffer.from(frame + text)
    .subarray(0, LINE_BYTES)
    .toString()
    .slice(frame.length)
  const messageId = network.nextId()
  const chatId = /^[#&]/.test(target) ? target.toLowerCase() : `account:${target.toLowerCase()}`
  network.seen.push({ messageId, chatId, raw, visible: raw, versions: [raw], buttons: [], files: [] })
  const tags = { msgid: messageId, time: new Date().toISOString(), ...(guest.account && { account: guest.account }) }
  network.history.keep({ target: target.toLowerCase(), line: frame + raw, tags })
  if (guest.capabilities.has('echo-message')) network.relay(guest, frame + raw, { msgid: messageId })
}
