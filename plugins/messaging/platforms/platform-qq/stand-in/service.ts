/**
 * A stand-in for QQ with one bot: access tokens, messages to people and groups, and signed calls, after
 * bot.q.qq.com/wiki/develop/api-v2 (dev-prepare/interface-framework, server-inter/message/send-receive, error-trace/openapi).
 */
import { createHash, createPrivateKey, randomBytes, sign } from 'node:crypto'
import {
  ChatService,
  type FaultAnswers,
  LINE_FAULTS,
  type SayOptions,
  type ServiceAnswer,
  type ServiceRequest,
  serveChatService,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInMember, StandInService } from 'svc/sdk/platform'
import { StandInGateway } from './gateway.ts'

const APP = '102000001'
const SECRET = 'qq-secret-for-tests'
const PATH = '/webhooks/qq'
const RETRIES = 5
const RETRY_MS = 100
const FAULTS: FaultAnswers = {
  busy: wrong(429, 22009, 'msg limit exceed'),
  unavailable: { status: 503, body: '<html>maintenance</html>' },
  forbidden: wrong(403, 40034105, 'the bot is not in the group'),
}

/** The stand-in, and what only tests of this platform need. */
export interface QqStandIn extends StandInService {
  /** The token that is in use ends now. */
  expireToken(): void
  /** Where events go over a connection. */
  readonly gateway: StandInGateway
}

/** `gateway`: events go over a connection, and not by webhook. */
export async function openStandIn(events: string = 'webhook'): Promise<QqStandIn> {
  const isGateway = events === 'gateway'
  const gateway = await StandInGateway.open((token) => qq.isToken(token))
  const qq: Qq = new Qq(gateway, isGateway)
  const standIn = await serveChatService({
    name: 'qq',
    document: 'https://bot.q.qq.com/wiki/develop/api-v2/',
    service: qq,
    config(url) {
      qq.url = url
      return { base_url: url, token_url: url, webhook_port: 0, ...(isGateway && { events }) }
    },
    ...(isGateway && { lineFaults: LINE_FAULTS }),
    env: () => ({ QQ_APP_ID: APP, QQ_CLIENT_SECRET: SECRET }),
    answer: (request) => qq.giveFile(request) ?? qq.answer(request),
    member: (options) => qq.member(options),
  })
  const { callback: _, ...rest } = standIn
  return {
    ...(isGateway ? rest : standIn),
    ...{ gateway, expireToken: () => qq.expireToken() },
    ...(isGateway && { connected: () => gateway.isOpen && !qq.isLoggedOut }),
    disturb(fault) {
      if (fault === 'flap') gateway.cut()
      standIn.disturb(fault)
    },
    async close() {
      await gateway.close()
      await standIn.close()
    },
  }
}

class Qq extends ChatService<object> {
  /** Answers by the message and the number under which they were taken. */
  readonly #taken: Set<string> = new Set()
  readonly #gateway: StandInGateway
  readonly #isGateway: boolean
  #token = ''
  /** Where it is. */
  url = ''

  constructor(gateway: StandInGateway, isGateway: boolean) {
    super({ path: PATH, retries: RETRIES, create: (event) => signCall(event), pauseMs: (at) => RETRY_MS * 2 ** at })
    this.#gateway = gateway
    this.#isGateway = isGateway
  }

  override disturb(fault: LineFault): void {
    if (this.#isGateway && fault !== 'logout') this.#gateway.disturb(fault)
    else super.disturb(fault)
    if (fault === 'logout') this.#gateway.cut()
  }

  override calm(): void {
    this.#gateway.calm()
    super.calm()
  }

  isToken(text: string): boolean {
    return this.#token !== '' && !this.isLoggedOut && text === `QQBot ${this.#token}`
  }

  member({ userId, group }: { userId?: string; group?: string } = {}): StandInMember {
    const id = createId(userId ?? `person ${this.count()}`)
    const chatId = group === undefined ? `user:${id}` : `group:${createId(group)}`
    return { chatId, userId: id, say: async (text, options) => this.#say(chatId, id, text, options) }
  }

  expireToken(): void {
    this.#token = ''
  }

  /** Needs no token; one that came with it would have been told to another host. */
  giveFile({ path, headers }: ServiceRequest): ServiceAnswer | undefined {
    const [, file] = /^\/download\/(\w+)$/.exec(path) ?? []
    if (file === undefined) return undefined
    return headers['authorization'] ? { status: 400 } : { body: this.files.get(file) ?? '' }
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const { path, method, headers } = request
    if (path === '/app/getAppAccessToken' && method === 'POST') return this.#giveToken(request)
    const isKnown = headers['authorization'] === `QQBot ${this.#token}` && this.#token !== ''
    if (!isKnown || this.isLoggedOut) return wrong(401, 11244, 'token not exist or expire')
    if (path === '/users/@me') {
      this.isKnown = true
      return { body: { id: '1234567890', username: 'svc', bot: true } }
    }
    if (path === '/gateway' && this.#isGateway) return { body: { url: this.#gateway.url } }
    const [, kind, id] = /^\/v2\/(user|group)s\/([0-9A-F]{32})\/messages$/.exec(path) ?? []
    if (kind && id && method === 'POST') return this.send(FAULTS, () => this.#take(`${kind}:${id}`, request))
    return wrong(404, 11263, 'not found')
  }

  #giveToken({ json }: ServiceRequest): ServiceAnswer {
    const { appId, clientSecret } = (json() ?? {}) as Readonly<Record<string, string>>
    if (appId !== APP || clientSecret !== SECRET || this.isLoggedOut)
      return { body: { code: 100016, message: 'invalid appid or secret' } }
    this.#token ||= randomBytes(16).toString('hex')
    return { body: { access_token: this.#token, expires_in: '7200' } }
  }

  #take(chatId: string, { json }: ServiceRequest): ServiceAnswer {
    const message = (json() ?? {}) as Readonly<Record<string, unknown>>
    const { content = '', msg_type: type, msg_id: question = '', msg_seq: number = 1 } = message
    if (type !== 0 || typeof content !== 'string' || content === '') return wrong(400, 40034011, 'content is empty')
    if (content.length > 2000) return wrong(400, 40034012, 'content is too long')
    const mark = `${chatId} ${question} ${number}`
    if (this.#taken.has(mark)) return wrong(400, 40054005, 'message is deduplicated, please check msg_seq')
    this.#taken.add(mark)
    const messageId = `ROBOT1.0_${this.count()}`
    const replyTo = typeof question === 'string' && question !== '' ? { replyTo: question } : {}
    this.record({ messageId, chatId, raw: content, visible: content, ...replyTo })
    return { body: { id: messageId, timestamp: new Date().toISOString() } }
  }

  /** Speech comes as SILK, and as WAV next to it. */
  #attach({ name, mediaType, bytes, isVoice }: NonNullable<SayOptions['files']>[number]): object {
    const id = randomBytes(8).toString('hex')
    this.files.set(id, bytes)
    const url = `${this.url}/download/${id}`
    if (!isVoice) return { content_type: mediaType, filename: name, size: bytes.length, url }
    const silk = 'https://grouptalk.c2c.qq.com/?filetype=4008'
    return { content_type: 'voice', filename: 'a.amr', size: 9, url: silk, voice_wav_url: url, asr_refer_text: '' }
  }

  #say(chatId: string, userId: string, text: string, options: SayOptions = {}): string {
    const id = options.messageId ?? `ROBOT1.0_m${this.count()}`
    const timestamp = new Date().toISOString()
    const [kind, group] = chatId.split(':')
    const isPrivate = kind === 'user'
    // In a group a bot hears only what is said to it.
    if (!isPrivate && !options.mention) return id
    const author = isPrivate ? { id: userId, user_openid: userId } : { id: userId, member_openid: userId }
    const attachments = (options.files ?? []).map((file) => this.#attach(file))
    const d = {
      id,
      ...(attachments.length > 0 && { attachments }),
      content: isPrivate ? text : ` ${text}`,
      timestamp,
      author,
      ...(!isPrivate && { group_openid: group }),
    }
    const t = isPrivate ? 'C2C_MESSAGE_CREATE' : 'GROUP_AT_MESSAGE_CREATE'
    const event = { op: 0, id: `${t}:${id}`, t, d }
    if (this.#isGateway) this.#gateway.deliver(event)
    else this.caller.deliver(event)
    return id
  }
}

/** A call with this body, as it would be made at `at`. */
export function signCall(body: unknown, at: number = Date.now(), secret: string = SECRET) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const time = String(Math.floor(at / 1000))
  const seed = Buffer.from(secret.repeat(32)).subarray(0, 32)
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    ...{ format: 'der', type: 'pkcs8' },
  })
  return {
    headers: {
      'content-type': 'application/json',
      'x-bot-appid': APP,
      'x-signature-timestamp': time,
      'x-signature-ed25519': sign(null, Buffer.from(time + text), key).toString('hex'),
    },
    body: text,
  }
}

/** Ids of QQ are 32 hexadecimal digits; a name has always the same. */
function createId(name: string): string {
  if (/^[0-9A-F]{32}$/.test(name)) return name
  return createHash('sha256').update(name).digest('hex').slice(0, 32).toUpperCase()
}

function wrong(status: number, code: number, message: string): ServiceAnswer {
  return { status, body: { code, message, trace_id: '0123' } }
}
