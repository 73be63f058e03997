/**
 * A stand-in for WeCom: tokens, application messages, files, group robots and sealed calls, after
 * developer.work.weixin.qq.com/document (paths 90236, 90238, 91770, 91144) and its global error codes (path 90313).
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  ChatService,
  type FaultAnswers,
  parseForm,
  type SayOptions,
  type ServiceAnswer,
  type ServiceRequest,
  serveChatService,
  type WebhookCall,
} from 'svc/sdk/kit/stand-in'
import { MessageSeal, writeXmlFields } from 'svc/sdk/kit/text'
import type { StandInMember, StandInService } from 'svc/sdk/platform'

const CORP = 'wx5823bf96d3bd56c7'
const SECRET = 'wecom-secret-for-tests'
const AGENT = 1000002
const ROBOT_KEY = 'robot-key-for-tests'
const PATH = '/webhooks/wecom'
/** As many times as a call is made again, and how long between. */
const RETRIES = 3
const RETRY_MS = 100
const FAULTS: FaultAnswers = {
  busy: wrong(45009, 'api freq out of limit, hint: [1700000000], from ip: 10.0.0.1'),
  unavailable: { status: 503, body: '<html>maintenance</html>' },
  forbidden: wrong(81013, 'user & party & tag all invalid'),
}

/** What both sides share, as it is set in the console. */
export const SHARED = {
  token: 'QDG6eK',
  key: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C',
  receiver: CORP,
} as const

/** The stand-in, and what only tests of this platform need. */
export interface WeComStandIn extends StandInService {
  /** The token that is in use ends now. */
  expireToken(): void
  /** The next upload is refused. */
  refuseUpload(): void
}

export async function openStandIn(): Promise<WeComStandIn> {
  const wecom = new WeCom()
  const standIn = await serveChatService({
    name: 'wecom',
    document: 'https://developer.work.weixin.qq.com/document/path/90236',
    service: wecom,
    config: (url) => ({ base_url: url, webhook_port: 0 }),
    env: () => ({
      WECOM_CORP_ID: CORP,
      WECOM_SECRET: SECRET,
      WECOM_AGENT_ID: String(AGENT),
      WECOM_TOKEN: SHARED.token,
      WECOM_AES_KEY: SHARED.key,
      WECOM_ROBOT_KEY: ROBOT_KEY,
    }),
    answer: (request) => wecom.answer(request),
    member: ({ userId } = {}) => wecom.member(userId),
  })
  return { ...standIn, expireToken: () => wecom.expireToken(), refuseUpload: () => wecom.refuseUpload() }
}

class WeCom extends ChatService<Readonly<Record<string, string>>> {
  readonly #uploads: Map<string, Upload> = new Map()
  #token = ''
  #isUploadRefused = false

  constructor() {
    super({ path: PATH, retries: RETRIES, create: createCall, pauseMs: (at) => RETRY_MS * 2 ** at })
  }

  member(name: string = `person ${this.count()}`): StandInMember {
    const userId = /^[\w.@-]{1,64}$/.test(name)
      ? name
      : `U${createHash('sha256').update(name).digest('hex').slice(0, 12)}`
    return { chatId: userId, userId, say: async (text, options) => this.#say(userId, text, options) }
  }

  override calm(): void {
    this.#isUploadRefused = false
    super.calm()
  }

  expireToken(): void {
    this.#token = ''
  }

  refuseUpload(): void {
    this.#isUploadRefused = true
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const { path, query, method } = request
    if (path === '/cgi-bin/gettoken') return this.#giveToken(query)
    if (path === '/cgi-bin/webhook/send' && method === 'POST')
      return query.get('key') === ROBOT_KEY
        ? this.send(FAULTS, () => this.#take(request, true))
        : wrong(93000, 'invalid webhook url')
    return this.#refuseToken(query) ?? this.#answerKnown(request)
  }

  #refuseToken(query: URLSearchParams): ServiceAnswer | undefined {
    if (this.isLoggedOut) return wrong(40014, 'invalid access_token')
    const isRight = query.get('access_token') === this.#token && this.#token !== ''
    return isRight ? undefined : wrong(42001, 'access_token expired')
  }

  #answerKnown(request: ServiceRequest): ServiceAnswer {
    const { path, query, method } = request
    if (path === '/cgi-bin/agent/get' && query.get('agentid') === String(AGENT)) {
      this.isKnown = true
      return { body: { errcode: 0, errmsg: 'ok', agentid: AGENT, name: 'svc', close: 0 } }
    }
    if (path === '/cgi-bin/message/send' && method === 'POST')
      return this.send(FAULTS, () => this.#take(request, false))
    if (path === '/cgi-bin/media/upload' && method === 'POST') return this.#upload(request)
    if (path === '/cgi-bin/media/get') return this.#give(query.get('media_id') ?? '')
    return wrong(40066, 'invalid url')
  }

  #giveToken(query: URLSearchParams): ServiceAnswer {
    if (query.get('corpid') !== CORP) return wrong(40013, 'invalid corpid')
    if (query.get('corpsecret') !== SECRET || this.isLoggedOut) return wrong(40001, 'invalid credential')
    this.#token ||= randomBytes(16).toString('hex')
    return { body: { errcode: 0, errmsg: 'ok', access_token: this.#token, expires_in: 7200 } }
  }

  #take({ json }: ServiceRequest, isRobot: boolean): ServiceAnswer {
    const message = (json() ?? {}) as Readonly<Record<string, unknown>>
    const { touser: to = '', agentid, msgtype: type = '' } = message as Readonly<Record<string, string>>
    if (!isRobot && Number(agentid) !== AGENT) return wrong(40056, 'invalid agentid')
    const part = (message[type] ?? {}) as Readonly<Record<string, string>>
    const { content = '', media_id: media } = part
    const file = media === undefined ? undefined : this.#uploads.get(media)
    const problem = findProblem(type, part, file)
    if (problem) return problem
    if (!isRobot && to === '') return wrong(81013, 'user & party & tag all invalid')
    const [messageId, chatId] = [`msg_${randomUUID()}`, isRobot ? 'robot' : to]
    const isVoice = type === 'voice'
    const files = file ? [{ name: file.name, bytes: file.bytes, ...(isVoice && { isVoice }) }] : []
    this.record({ messageId, chatId, raw: content, visible: content, files })
    return { body: { errcode: 0, errmsg: 'ok', ...(!isRobot && { invaliduser: '', msgid: messageId }) } }
  }

  #upload(request: ServiceRequest): ServiceAnswer {
    if (this.#isUploadRefused) return wrong(40004, 'invalid media type')
    const [file] = parseForm(request)?.files ?? []
    const type = request.query.get('type') ?? ''
    if (file?.field !== 'media') return wrong(44001, 'empty media data')
    if (file.bytes.length < 5 || file.bytes.length > 20_971_520) return wrong(40006, 'invalid meida size')
    const isAmr = file.bytes.length <= 2_097_152 && Buffer.from(file.bytes.subarray(0, 6)).toString() === '#!AMR\n'
    if (type === 'voice' && !isAmr) return wrong(40005, 'invalid file type')
    if (type === 'image' && !/png|jpe?g/.test(file.mediaType)) return wrong(40005, 'invalid file type')
    const id = randomBytes(16).toString('hex')
    this.#uploads.set(id, { ...file, type })
    return { body: { errcode: 0, errmsg: 'ok', type, media_id: id, created_at: '1380000000' } }
  }

  #give(id: string): ServiceAnswer {
    const file = this.#uploads.get(id)
    if (!file) return wrong(40007, 'invalid media_id')
    return { headers: { 'content-type': 'application/octet-stream' }, body: file.bytes }
  }

  #say(from: string, text: string, options: SayOptions = {}): string {
    const id = options.messageId ?? String(7_000_000_000_000_000 + this.count())
    const origin = { ToUserName: CORP, FromUserName: from, CreateTime: String(Math.floor(Date.now() / 1000)) }
    const call = (messageId: string, fields: Readonly<Record<string, string>>) =>
      this.caller.deliver({ ...origin, ...fields, MsgId: messageId, AgentID: String(AGENT) })
    if (text !== '' || !options.files?.length) call(id, { MsgType: 'text', Content: text })
    for (const [at, { mediaType, name, bytes }] of (options.files ?? []).entries()) {
      const [kind = ''] = mediaType.split('/')
      const type = { image: 'image', audio: 'voice', video: 'video' }[kind]
      const media = randomBytes(16).toString('hex')
      this.#uploads.set(media, { name, bytes })
      const isFirst = text === '' && at === 0
      if (type) call(isFirst ? id : String(8_000_000_000_000_000 + this.count()), { MsgType: type, MediaId: media })
    }
    return id
  }
}

interface Upload {
  readonly name: string
  readonly bytes: Uint8Array
  readonly type?: string
}

/** What WeCom finds wrong with a message. */
function findProblem(
  type: string,
  { content = '', media_id: media }: Readonly<Record<string, string>>,
  file: Upload | undefined,
): ServiceAnswer | undefined {
  if (!['text', 'image', 'voice', 'file'].includes(type)) return wrong(40008, 'invalid message type')
  if (media !== undefined) return file?.type === type ? undefined : wrong(40007, 'invalid media_id')
  if (content === '') return wrong(44004, 'text content is empty')
  return Buffer.byteLength(content) > 2048 ? wrong(45002, 'content size out of limit') : undefined
}

function createCall(fields: Readonly<Record<string, string>>): WebhookCall {
  return sealCall(writeXmlFields(fields))
}

/** A call with this text, as it would be made at `at`. */
export function sealCall(text: string, at: number = Date.now(), shared: typeof SHARED = SHARED) {
  const seal = new MessageSeal(shared)
  const encrypt = seal.close(text, randomBytes(16))
  const [timestamp, nonce] = [String(Math.floor(at / 1000)), randomBytes(5).toString('hex')]
  const query = new URLSearchParams({ msg_signature: seal.sign([timestamp, nonce, encrypt]), timestamp, nonce })
  const body = writeXmlFields({ ToUserName: CORP, AgentID: String(AGENT), Encrypt: encrypt })
  return { headers: { 'content-type': 'text/xml' }, body, query: query.toString(), encrypt }
}

/** WeCom answers 200 to everything. */
function wrong(errcode: number, errmsg: string): ServiceAnswer {
  return { body: { errcode, errmsg } }
}
