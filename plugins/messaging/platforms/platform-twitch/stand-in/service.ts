/**
 * A stand-in for Twitch: tokens, users, messages of the chat, and its IRC over a WebSocket, after dev.twitch.tv/docs/chat/irc,
 * dev.twitch.tv/docs/api/reference/#send-chat-message and dev.twitch.tv/docs/authentication/refresh-tokens.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  demandFault,
  LINE_FAULTS,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
} from 'svc/sdk/kit/stand-in'
import { escapeIrcTag } from 'svc/sdk/kit/text'
import type { LineFault, SendFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { type WebSocket, WebSocketServer } from 'ws'

const CLIENT = 'twitch-client-id-for-tests'
const SECRET = 'twitch-secret-for-tests'
const REFRESH = 'twitch-refresh-token-for-tests'
const ME = { id: '1001', login: 'svcbot' } as const

/** The stand-in, and what only tests of this platform need. */
export interface TwitchStandIn extends StandInService {
  /** The access token that is in use ends now. */
  expireToken(): void
  /** Says a line of the server to everybody who is connected. */
  tell(line: string): void
  /** The next message is dropped for this reason, as one that repeats the last within half a minute, or that settings forbid. */
  dropNext(code: string): void
}

export async function openStandIn(): Promise<TwitchStandIn> {
  const twitch = new Twitch()
  const service = await StandInServer.open(
    (request) => twitch.answer(request),
    (request, socket, head) => twitch.upgrade(request, socket, head),
  )
  return {
    name: 'twitch',
    document: 'https://dev.twitch.tv/docs/chat/irc',
    config: { base_url: service.url, auth_url: service.url, chat_url: `${service.url.replace('http', 'ws')}/` },
    env: { TWITCH_CLIENT_ID: CLIENT, TWITCH_CLIENT_SECRET: SECRET, TWITCH_REFRESH_TOKEN: REFRESH },
    sendFaults: SEND_FAULTS,
    lineFaults: LINE_FAULTS,
    member: (options) => twitch.member(options),
    deliveries: () => twitch.sent,
    connected: () => twitch.joined.size > 0 && !twitch.isLoggedOut,
    failSends: (fault, count) => twitch.faults.add(fault, count),
    disturb(fault) {
      demandFault(LINE_FAULTS, fault)
      twitch.disturb(fault)
      if (fault === 'flap' || fault === 'logout') service.cut()
    },
    calm: () => twitch.calm(),
    expireToken: () => twitch.expireToken(),
    tell: (line) => twitch.tell(line),
    dropNext: (code) => twitch.dropNext(code),
    async close() {
      for (const socket of twitch.joined) socket.terminate()
      await service.close()
    },
  }
}

class Twitch {
  readonly joined: Set<WebSocket> = new Set()
  readonly sent: StandInDelivery[] = []
  readonly faults: SendFaults = new SendFaults()
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false })
  #token = ''
  #fault: LineFault | undefined
  #late: string | undefined
  #count = 0
  #drop: string | undefined

  get isLoggedOut(): boolean {
    return this.#fault === 'logout'
  }

  /** All of Twitch is public: who is alone with the agent is alone in a channel. */
  member({ userId, group }: { userId?: string; group?: string } = {}): StandInMember {
    const id = createId(userId ?? `person ${++this.#count}`)
    const chatId = createId(group ?? `with ${id}`)
    const isAlone = group === undefined
    const say: StandInMember['say'] = async (text, options = {}) =>
      this.#say(chatId, id, text, { ...options, mention: options.mention ?? isAlone })
    return { chatId, userId: id, say }
  }

  disturb(fault: LineFault): void {
    if (fault !== 'flap') this.#fault = fault
  }

  calm(): void {
    this.#fault = undefined
    this.faults.clear()
    if (this.#late !== undefined) this.tell(this.#late)
    this.#late = undefined
  }

  expireToken(): void {
    this.#token = ''
  }

  dropNext(code: string): void {
    this.#drop = code
  }

  tell(line: string): void {
    if (this.#fault === 'silence') return
    for (const socket of this.joined) socket.send(`${line}\r\n`)
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#fault === 'silence') return
    this.#server.handleUpgrade(request, socket, head, (stream) => {
      let lines = ''
      stream.on('close', () => this.joined.delete(stream)).on('error', () => stream.terminate())
      stream.on('ping', (data) => this.#fault !== 'silence' && stream.pong(data))
      stream.on('message', (data) => {
        lines += String(data)
        const whole = lines.split('\r\n')
        lines = whole.pop() ?? ''
        for (const line of whole) this.#hear(stream, line)
      })
    })
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const { path, method, headers } = request
    if (this.#fault === 'silence') return 'open'
    if (path === '/oauth2/token' && method === 'POST') return this.#giveToken(request)
    const isKnown = headers['authorization'] === `Bearer ${this.#token}` && this.#token !== ''
    if (!isKnown || headers['client-id'] !== CLIENT || this.isLoggedOut) return wrong(401, 'Invalid OAuth token')
    if (path === '/helix/users') return { body: { data: [{ ...ME, display_name: 'SvcBot' }] } }
    if (path === '/helix/chat/messages' && method === 'POST') return this.#take(request)
    return wrong(404, 'Not Found')
  }

  #giveToken({ body }: ServiceRequest): ServiceAnswer {
    const form = new URLSearchParams(body.toString('utf8'))
    if (form.get('grant_type') !== 'refresh_token') return wrong(400, 'missing grant type')
    if (form.get('client_id') !== CLIENT || form.get('client_secret') !== SECRET)
      return wrong(403, 'invalid client secret')
    if (form.get('refresh_token') !== REFRESH || this.isLoggedOut) return wrong(400, 'Invalid refresh token')
    this.#token ||= randomBytes(15).toString('hex')
    return {
      body: { access_token: this.#token, refresh_token: REFRESH, expires_in: 14_400, token_type: 'bearer', scope: [] },
    }
  }

  #hear(socket: WebSocket, line: string): void {
    const [command = '', ...params] = line.split(' ')
    if (command === 'CAP') socket.send(':tmi.twitch.tv CAP * ACK :twitch.tv/tags twitch.tv/commands\r\n')
    const isWrong = params[0] !== `oauth:${this.#token}` || this.isLoggedOut
    if (command === 'PASS' && isWrong) socket.send(':tmi.twitch.tv NOTICE * :Login authentication failed\r\n')
    if (command === 'NICK' && params[0] === ME.login)
      socket.send(`:tmi.twitch.tv 001 ${ME.login} :Welcome, GLHF!\r\n:tmi.twitch.tv 376 ${ME.login} :>\r\n`)
    if (command === 'JOIN') {
      this.joined.add(socket)
      const rooms = (params[0] ?? '').split(',')
      for (const room of rooms) socket.send(`@emote-only=0;room-id=1;slow=0 :tmi.twitch.tv ROOMSTATE ${room}\r\n`)
    }
  }

  #take({ json }: ServiceRequest): ServiceAnswer {
    const fault = this.faults.next()
    const refusal = faultAnswer(fault)
    if (refusal) return refusal
    const body = (json() ?? {}) as Readonly<Record<string, string>>
    const { broadcaster_id: chatId = '', sender_id: sender, message = '', reply_parent_message_id: replyTo } = body
    if (sender !== ME.id || !/^\d+$/.test(chatId)) return wrong(400, 'The ID in broadcaster_id is not valid.')
    if (message === '' || [...message].length > 500 || message.includes('\n'))
      return wrong(422, 'The message is too large')
    const reason = this.#drop
    this.#drop = undefined
    if (reason !== undefined) return drop(reason)
    const messageId = randomUUID()
    // As people read it.
    const visible = message.replaceAll('⏎', '\n')
    const shown = { raw: message, visible, versions: [message], buttons: [], files: [] }
    this.sent.push({ messageId, chatId, ...shown, ...(replyTo !== undefined && { replyTo }) })
    return fault === 'unanswered'
      ? 'cut'
      : { body: { data: [{ message_id: messageId, is_sent: true, drop_reason: null }] } }
  }

  #say(room: string, user: string, text: string, options: SayOptions): string {
    const id = options.messageId ?? randomUUID()
    const name = `person_${user}`
    const tags = {
      ...{ id, 'room-id': room, 'user-id': user, 'display-name': name, 'tmi-sent-ts': String(Date.now()), mod: '0' },
      ...(options.quote !== undefined && { 'reply-parent-msg-id': options.quote }),
    }
    const said = options.mention ? `@${ME.login} ${text}` : text
    const marks = Object.entries(tags).map(([key, value]) => `${key}=${escapeIrcTag(value)}`)
    const words = said.replace(/[\r\n]+/g, ' ')
    const line = `@${marks.join(';')} :${name}!${name}@${name}.tmi.twitch.tv PRIVMSG #room${room} :${words}`
    const fault = this.#fault
    if (fault === 'late' || fault === 'twice') this.#fault = undefined
    if (fault === 'late') this.#late = line
    else this.tell(line)
    if (fault === 'twice') this.tell(line)
    if (fault !== 'late' && this.#late !== undefined) {
      this.tell(this.#late)
      this.#late = undefined
    }
    return id
  }
}

/** Ids of Twitch are numbers; a name has always the same. */
function createId(name: string): string {
  if (/^\d+$/.test(name)) return name
  return String(createHash('sha256').update(name).digest().readUInt32BE() + 10_000)
}

function drop(code: string): ServiceAnswer {
  const why = { code, message: `the message was dropped (${code})` }
  return { body: { data: [{ message_id: '', is_sent: false, drop_reason: why }] } }
}

function faultAnswer(fault: SendFault | undefined): ServiceAnswer | undefined {
  if (fault === 'busy') return { ...wrong(429, 'Too Many Requests'), headers: { 'retry-after': '1' } }
  if (fault === 'unavailable') return { status: 503, body: '<html>maintenance</html>' }
  if (fault === 'forbidden') return wrong(403, 'The sender is not permitted to send chat messages there')
  return fault === 'lost' ? 'cut' : undefined
}

function wrong(status: number, message: string): Exclude<ServiceAnswer, string> {
  return { status, body: { error: 'Error', status, message } }
}
