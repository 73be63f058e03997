/**
 * A stand-in for WeChat with one official account: tokens, customer service messages, media, and calls that are signed, sealed and
 * answered in their reply, after developers.weixin.qq.com/doc/offiaccount (Get_access_token, Message_Management/Service_Center_messages,
 * Receiving_standard_messages, Passive_user_reply_message) and Getting_Started/Global_Return_Code.
 */
import { createHash, randomBytes } from 'node:crypto'
import {
  ChatService,
  type FaultAnswers,
  type SayOptions,
  type ServiceAnswer,
  type ServiceRequest,
  serveChatService,
} from 'svc/sdk/kit/stand-in'
import { MessageSeal, readXmlFields, writeXmlFields } from 'svc/sdk/kit/text'
import type { StandInMember, StandInService } from 'svc/sdk/platform'

const APP = 'wx0123456789abcdef'
const SECRET = 'wechat-app-secret-for-tests'
/** The account, as messages name it. */
const ACCOUNT = 'gh_0123456789ab'
const PATH = '/webhooks/wechat'
/** WeChat calls three times in all. */
const RETRIES = 2
const RETRY_MS = 100
const FAULTS: FaultAnswers = {
  busy: wrong(45009, 'reach max api daily quota limit'),
  unavailable: { status: 503, body: '<html>maintenance</html>' },
  forbidden: wrong(45015, 'response out of time limit or subscription is canceled'),
}

export const SHARED = {
  token: 'wechat-token-for-tests',
  key: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG',
  receiver: APP,
} as const

type Fields = Readonly<Record<string, string>>

/** The stand-in, and what only tests of this platform need. */
export interface WeChatStandIn extends StandInService {
  /** The token that is in use ends now. */
  expireToken(): void
}

export async function openStandIn(): Promise<WeChatStandIn> {
  const wechat = new WeChat()
  const standIn = await serveChatService({
    name: 'wechat',
    document: 'https://developers.weixin.qq.com/doc/offiaccount/Message_Management/Service_Center_messages.html',
    service: wechat,
    config: (url) => ({ base_url: url, webhook_port: 0 }),
    env: () => ({
      WECHAT_APP_ID: APP,
      WECHAT_APP_SECRET: SECRET,
      WECHAT_TOKEN: SHARED.token,
      WECHAT_AES_KEY: SHARED.key,
    }),
    answer: (request) => wechat.answer(request),
    member: ({ userId } = {}) => wechat.member(userId),
  })
  return { ...standIn, expireToken: () => wechat.expireToken() }
}

class WeChat extends ChatService<Fields> {
  #token = ''

  constructor() {
    super({
      path: PATH,
      retries: RETRIES,
      create: (fields) => sealCall(writeXmlFields(fields)),
      pauseMs: (at) => RETRY_MS * 2 ** at,
      answered: (fields, body) => this.#answerPassively(fields, body),
    })
  }

  member(name: string = `person ${this.count()}`): StandInMember {
    const hash = createHash('sha256').update(name).digest('base64url').slice(0, 22)
    const userId = /^o[\w-]{27}$/.test(name) ? name : `o12345${hash}`
    return { chatId: userId, userId, say: async (text, options) => this.#say(userId, text, options) }
  }

  expireToken(): void {
    this.#token = ''
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const { path, query, method } = request
    if (path === '/cgi-bin/stable_token' && method === 'POST') return this.#giveToken(request)
    if (this.isLoggedOut) return wrong(40001, 'invalid credential, access_token is invalid or not latest')
    if (query.get('access_token') !== this.#token || this.#token === '') return wrong(42001, 'access_token expired')
    if (path === '/cgi-bin/get_api_domain_ip') {
      this.isKnown = true
      return { body: { ip_list: ['101.89.47.18'] } }
    }
    if (path === '/cgi-bin/message/custom/send' && method === 'POST')
      return this.send(FAULTS, () => this.#take(request))
    const file = path === '/cgi-bin/media/get' ? this.files.get(query.get('media_id') ?? '') : undefined
    return file
      ? { headers: { 'content-type': 'application/octet-stream' }, body: file }
      : wrong(40007, 'invalid media_id')
  }

  #giveToken({ json }: ServiceRequest): ServiceAnswer {
    const { grant_type: grant, appid, secret } = (json() ?? {}) as Fields
    if (grant !== 'client_credential') return wrong(40002, 'invalid grant_type')
    if (appid !== APP) return wrong(40013, 'invalid appid')
    if (secret !== SECRET || this.isLoggedOut) return wrong(40125, 'invalid appsecret')
    this.#token ||= randomBytes(16).toString('hex')
    return { body: { access_token: this.#token, expires_in: 7200 } }
  }

  #take({ json }: ServiceRequest): ServiceAnswer {
    const { touser: to = '', msgtype: type, text } = (json() ?? {}) as Fields & { readonly text?: Fields }
    const content = (text as Fields | undefined)?.['content'] ?? ''
    if (!/^o[\w-]{27}$/.test(to)) return wrong(40003, 'invalid openid')
    if (type !== 'text' || content === '') return wrong(44004, 'empty content')
    if (Buffer.byteLength(content) > 2048) return wrong(45002, 'content size out of limit')
    this.#deliver(to, content)
    return { body: { errcode: 0, errmsg: 'ok' } }
  }

  #deliver(chatId: string, text: string): void {
    const messageId = `sent-${this.count()}`
    this.record({ messageId, chatId, raw: text, visible: text })
  }

  /** As WeChat shows it: once, and only if it is sealed for the account. */
  #answerPassively(call: Fields, body: string): void {
    if (body === 'success' || body === '') return
    const sealed = readXmlFields(body)
    const { Encrypt: encrypt = '', MsgSignature: given = '', TimeStamp: time = '', Nonce: nonce = '' } = sealed
    const seal = new MessageSeal(SHARED)
    const fields = readXmlFields((seal.isSigned([time, nonce, encrypt], given) && seal.open(encrypt)) || '')
    if (fields['ToUserName'] !== call['FromUserName'] || fields['FromUserName'] !== ACCOUNT)
      throw new Error('The reply is not sealed for the account, or for another person.')
    if (fields['MsgType'] === 'text') this.#deliver(fields['ToUserName'] ?? '', fields['Content'] ?? '')
  }

  #say(from: string, text: string, options: SayOptions = {}): string {
    const id = options.messageId ?? String(23_000_000_000_000_000n + BigInt(this.count()))
    const call = (messageId: string, fields: Fields) =>
      this.caller.deliver({ ...createFields(from), ...fields, MsgId: messageId })
    if (text !== '' || !options.files?.length) call(id, { MsgType: 'text', Content: text })
    for (const [at, { mediaType, bytes }] of (options.files ?? []).entries()) {
      const [kind = ''] = mediaType.split('/')
      const type = { image: 'image', audio: 'voice', video: 'video' }[kind]
      const media = randomBytes(16).toString('hex')
      this.files.set(media, bytes)
      const isFirst = text === '' && at === 0
      if (type)
        call(isFirst ? id : String(24_000_000_000_000_000n + BigInt(this.count())), {
          MsgType: type,
          MediaId: media,
          ...(type === 'voice' && { Format: 'amr', Recognition: '' }),
        })
    }
    return id
  }
}

export function createFields(from: string): Fields {
  return { ToUserName: ACCOUNT, FromUserName: from, CreateTime: String(Math.floor(Date.now() / 1000)) }
}

/** A call with this text, as it would be made at `at`. */
export function sealCall(text: string, at: number = Date.now(), shared: typeof SHARED = SHARED) {
  const seal = new MessageSeal(shared)
  const encrypt = seal.close(text, randomBytes(16))
  const [timestamp, nonce] = [String(Math.floor(at / 1000)), randomBytes(5).toString('hex')]
  const query = new URLSearchParams({
    ...{ signature: seal.sign([timestamp, nonce]), timestamp, nonce, encrypt_type: 'aes' },
    msg_signature: seal.sign([timestamp, nonce, encrypt]),
  })
  const body = writeXmlFields({ ToUserName: ACCOUNT, Encrypt: encrypt })
  return { headers: { 'content-type': 'text/xml' }, body, query: query.toString() }
}

/** WeChat answers 200 to everything. */
function wrong(errcode: number, errmsg: string): ServiceAnswer {
  return { body: { errcode, errmsg: `${errmsg} rid: 0123-4567` } }
}
