/**
 * A stand-in for Feishu with one app: tenant access tokens, messages, files, cards, and encrypted calls, after
 * open.feishu.cn/document/server-docs (authentication-management, im-v1/message, event-subscription-guide) and its generic error codes.
 */
import { createCipheriv, createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  ChatService,
  type FaultAnswers,
  LINE_FAULTS,
  parseForm,
  type SayOptions,
  type ServiceAnswer,
  type ServiceRequest,
  serveChatService,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { LongConnections } from './connections.ts'

const APP = 'cli_0123456789abcdef'
const SECRET = 'feishu-secret-for-tests'
export const SHARED = { token: 'feishu-verification-token', key: 'feishu-encrypt-key-for-tests' } as const
const ME = 'ou_svc'
const PATH = '/webhooks/feishu'
const RETRIES = 4
const RETRY_MS = 100
const FAULTS: FaultAnswers = {
  busy: {
    status: 429,
    headers: { 'x-ogw-ratelimit-limit': '50', 'x-ogw-ratelimit-reset': '1' },
    body: { code: 99991400, msg: 'request trigger frequency limit' },
  },
  unavailable: { status: 503, body: '<html>maintenance</html>' },
  forbidden: wrong(400, 230002, 'The bot can not be outside the group.'),
}

type Fields = Readonly<Record<string, string>>

/** What a message shows. */
interface Shown {
  readonly text: string
  readonly buttons: readonly { readonly label: string; readonly value: unknown }[]
  readonly files: StandInDelivery['files']
}

/** The stand-in, and what only tests of this platform need. */
export interface FeishuStandIn extends StandInService {
  /** The token that is in use ends now. */
  expireToken(): void
  /** The next uploads are refused. */
  refuseUploads(): void
  /** Where events go over a connection. */
  readonly connections: LongConnections
}

/** `connection`: events go over a long connection, and not by webhook. */
export async function openStandIn(events: string = 'webhook'): Promise<FeishuStandIn> {
  const isConnection = events === 'connection'
  const connections = await LongConnections.open()
  const feishu = new Feishu(connections, isConnection)
  const standIn = await serveChatService({
    name: 'feishu',
    document: 'https://open.feishu.cn/document/server-docs/im-v1/message/create',
    service: feishu,
    config: (url) => ({ base_url: url, webhook_port: 0, ...(isConnection && { events }) }),
    ...(isConnection && { lineFaults: LINE_FAULTS }),
    env: () => ({
      FEISHU_APP_ID: APP,
      FEISHU_APP_SECRET: SECRET,
      FEISHU_VERIFICATION_TOKEN: SHARED.token,
      FEISHU_ENCRYPT_KEY: SHARED.key,
    }),
    answer: (request) => feishu.answer(request),
    member: (options) => feishu.member(options),
  })
  const { callback: _, ...rest } = standIn
  return {
    ...(isConnection ? rest : standIn),
    ...{ connections, expireToken: () => feishu.expireToken(), refuseUploads: () => feishu.refuseUploads() },
    ...(isConnection && { connected: () => connections.isOpen && !feishu.isLoggedOut }),
    disturb(fault) {
      if (fault === 'flap') connections.cut()
      standIn.disturb(fault)
    },
    async close() {
      await connections.close()
      await standIn.close()
    },
  }
}

class Feishu extends ChatService<object> {
  readonly #uploads: Map<string, StandInDelivery['files'][number]> = new Map()
  /** Ids of messages by their `uuid`. */
  readonly #uuids: Map<string, string> = new Map()
  readonly #chats: Map<string, string> = new Map()
  #token = ''
  #isUploadRefused = false
  readonly #connections: LongConnections
  readonly #isConnection: boolean

  constructor(connections: LongConnections, isConnection: boolean) {
    super({ path: PATH, retries: RETRIES, create: (event) => encryptCall(event), pauseMs: (at) => RETRY_MS * 2 ** at })
    this.#connections = connections
    this.#isConnection = isConnection
  }

  member({ userId, group }: { userId?: string; group?: string } = {}): StandInMember {
    const id = createId('ou', userId ?? `person ${this.count()}`)
    const chatId = createId('oc', group ?? `with ${id}`)
    const place = { chat_id: chatId, chat_type: group === undefined ? 'p2p' : 'group' }
    return {
      ...{ chatId, userId: id },
      say: async (text, options) => this.#say(place, id, text, options),
      press: async (label) => this.#press(chatId, id, label),
    }
  }

  override disturb(fault: LineFault): void {
    if (this.#isConnection && fault !== 'logout') this.#connections.disturb(fault)
    else super.disturb(fault)
    if (fault === 'logout') this.#connections.cut()
  }

  override calm(): void {
    this.#isUploadRefused = false
    this.#connections.calm()
    super.calm()
  }

  expireToken(): void {
    this.#token = ''
  }

  refuseUploads(): void {
    this.#isUploadRefused = true
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const { path, method, headers } = request
    if (path === '/open-apis/auth/v3/tenant_access_token/internal') return this.#giveToken(request)
    if (path === '/callback/ws/endpoint') return this.#giveEndpoint(request)
    const isKnown = headers['authorization'] === `Bearer ${this.#token}` && this.#token !== ''
    if (!isKnown || this.isLoggedOut) return wrong(400, 99991663, 'token invalid')
    if (path === '/open-apis/bot/v3/info') {
      this.isKnown = true
      return { body: { code: 0, msg: 'ok', bot: { app_name: 'svc', open_id: ME, activate_status: 2 } } }
    }
    const [, resource] = /^\/open-apis\/im\/v1\/messages\/om_\w+\/resources\/(\w+)$/.exec(path) ?? []
    if (resource !== undefined) return this.#give(resource)
    if (method !== 'POST') return wrong(404, 99991404, 'not found')
    if (path === '/open-apis/im/v1/messages') return this.send(FAULTS, () => this.#take(request, undefined))
    const [, quoted] = /^\/open-apis\/im\/v1\/messages\/(om_\w+)\/reply$/.exec(path) ?? []
    if (quoted !== undefined) return this.send(FAULTS, () => this.#take(request, quoted))
    if (/^\/open-apis\/im\/v1\/(images|files)$/.test(path)) return this.#upload(request)
    return wrong(404, 99991404, 'not found')
  }

  #giveEndpoint({ json, method }: ServiceRequest): ServiceAnswer {
    const { AppID: id, AppSecret: secret } = (json() ?? {}) as Fields
    if (method !== 'POST' || id !== APP || secret !== SECRET || this.isLoggedOut)
      return { body: { code: 514, msg: 'app_id or app_secret is wrong' } }
    if (!this.#isConnection) return { body: { code: 403, msg: 'the app receives events by webhook' } }
    return { body: { code: 0, msg: 'ok', data: this.#connections.endpoint() } }
  }

  #deliver(event: object): void {
    if (this.#isConnection) this.#connections.deliver(event)
    else this.caller.deliver(event)
  }

  #giveToken({ json }: ServiceRequest): ServiceAnswer {
    const { app_id: id, app_secret: secret } = (json() ?? {}) as Fields
    if (id !== APP || this.isLoggedOut) return { body: { code: 10003, msg: 'invalid app_id' } }
    if (secret !== SECRET) return { body: { code: 10014, msg: 'app secret invalid' } }
    this.#token ||= `t-${randomBytes(16).toString('hex')}`
    return { body: { code: 0, msg: 'ok', tenant_access_token: this.#token, expire: 7200 } }
  }

  #take({ json, query }: ServiceRequest, quoted: string | undefined): ServiceAnswer {
    const { receive_id: to = '', msg_type: type = '', content = '', uuid = '' } = (json() ?? {}) as Fields
    const chatId = quoted === undefined ? to : (this.#chats.get(quoted) ?? '')
    if (quoted === undefined && query.get('receive_id_type') !== 'chat_id')
      return wrong(400, 99992402, 'field validation failed')
    if (!/^oc_\w+$/.test(chatId)) return wrong(400, 230001, 'invalid receive_id')
    if (uuid.length > 50) return wrong(400, 99992402, 'uuid is too long')
    const shown = this.#read(type, content)
    if (!shown) return wrong(400, 230001, 'Your request contains an invalid request parameter.')
    const messageId = this.#uuids.get(uuid) ?? this.#show(chatId, shown, { quoted, uuid })
    return { body: { code: 0, msg: 'success', data: { message_id: messageId } } }
  }

  #show(
    chatId: string,
    { text, files, buttons }: Shown,
    { quoted, uuid }: { readonly quoted: string | undefined; readonly uuid: string },
  ): string {
    const messageId = `om_${randomUUID().replaceAll('-', '')}`
    if (uuid !== '') this.#uuids.set(uuid, messageId)
    this.record({
      ...{ messageId, chatId, raw: text, visible: text, files, replyTo: quoted },
      buttons: Object.fromEntries(buttons.map(({ label, value }) => [label, value])),
    })
    return messageId
  }

  /** Undefined for what Feishu does not take. */
  #read(type: string, content: string): Shown | undefined {
    const body = parse(content) as
      | { text?: string; image_key?: string; file_key?: string; elements?: readonly Card[] }
      | undefined
    if (type === 'text' && body?.text)
      // Tags would be read as marks, or call people.
      return /<(at|b|i|u|s|a)\b/i.test(body.text) ? undefined : { text: body.text, buttons: [], files: [] }
    if (type === 'interactive') {
      const text = body?.elements?.find(({ tag }) => tag === 'div')?.text
      const actions = body?.elements?.find(({ tag }) => tag === 'action')?.actions ?? []
      if (text?.tag !== 'plain_text' || actions.length > 10) return undefined
      const buttons = actions.map(({ value }) => ({ label: String((value as Fields)['label']), value }))
      return { text: text.content, buttons, files: [] }
    }
    const file = this.#uploads.get((type === 'image' ? body?.image_key : body?.file_key) ?? '')
    // Code 230055: what was uploaded is of another kind than the message.
    if (!file || (type === 'audio') !== (file.isVoice === true)) return undefined
    return { text: '', buttons: [], files: [file] }
  }

  #upload(request: ServiceRequest): ServiceAnswer {
    if (this.#isUploadRefused) return wrong(400, 234006, 'The file size exceed the max value.')
    const { fields = {}, files = [] } = parseForm(request) ?? {}
    const [file] = files
    const isImage = request.path.endsWith('/images')
    const isVoice = fields['file_type'] === 'opus'
    const isRight = isImage
      ? fields['image_type'] === 'message' && file?.field === 'image'
      : ['stream', 'opus'].includes(fields['file_type'] ?? '') && file?.field === 'file' && fields['file_name']
    if (!file || !isRight) return wrong(400, 234001, 'Invalid request param.')
    if (isVoice && !isOpus(file.bytes, fields['duration'])) return wrong(400, 234001, 'Invalid request param.')
    const id = `${isImage ? 'img' : 'file'}_${randomBytes(12).toString('hex')}`
    this.#uploads.set(id, {
      name: fields['file_name'] ?? file.name,
      bytes: file.bytes,
      ...(isVoice && { isVoice, durationMs: Number(fields['duration']) }),
    })
    return { body: { code: 0, msg: 'success', data: isImage ? { image_key: id } : { file_key: id } } }
  }

  #give(id: string): ServiceAnswer {
    const file = this.#uploads.get(id)
    return file ? { body: file.bytes } : wrong(400, 234003, 'File not in msg.')
  }

  async #press(chatId: string, userId: string, label: string): Promise<void> {
    const value = this.pressed(chatId, label)
    const event = {
      operator: { open_id: userId },
      action: { tag: 'button', value },
      context: { open_chat_id: chatId, open_message_id: 'om_card' },
    }
    this.#deliver(createEvent('card.action.trigger', event))
  }

  #say(place: Fields, userId: string, text: string, options: SayOptions = {}): string {
    const id = options.messageId ?? `om_${randomUUID().replaceAll('-', '')}`
    const sender = { sender_id: { open_id: userId, union_id: 'on_1' }, sender_type: 'user', tenant_key: 't' }
    const tell = (messageId: string, more: object) => {
      this.#chats.set(messageId, place['chat_id'] ?? '')
      const quote = options.quote === undefined ? {} : { parent_id: options.quote, root_id: options.quote }
      const message = { message_id: messageId, create_time: String(Date.now()), ...place, ...quote, ...more }
      this.#deliver(createEvent('im.message.receive_v1', { sender, message }))
    }
    const said = options.mention ? `@_user_1 ${text}` : text
    const mentions = options.mention
      ? { mentions: [{ key: '@_user_1', id: { open_id: ME, union_id: 'on_svc' }, name: 'svc', tenant_key: 't' }] }
      : {}
    if (text !== '' || !options.files?.length)
      tell(id, { message_type: 'text', content: JSON.stringify({ text: said }), ...mentions })
    for (const [at, { name, mediaType, bytes }] of (options.files ?? []).entries()) {
      const [kind = ''] = mediaType.split('/')
      const key = `file_${randomBytes(12).toString('hex')}`
      this.#uploads.set(key, { name, bytes })
      const type = { image: 'image', audio: 'audio' }[kind] ?? 'file'
      const content = type === 'image' ? { image_key: key } : { file_key: key, file_name: name }
      const fileId = text === '' && at === 0 ? id : `om_${randomUUID().replaceAll('-', '')}`
      tell(fileId, { message_type: type, content: JSON.stringify(content) })
    }
    return id
  }
}

/** Sound is converted to Opus before it is uploaded, and its length is whole milliseconds. */
function isOpus(bytes: Uint8Array, duration: string | undefined): boolean {
  const head = Buffer.from(bytes.subarray(0, 36)).toString('latin1')
  return head.startsWith('OggS') && head.endsWith('OpusHead') && /^[1-9]\d*$/.test(duration ?? '')
}

interface Card {
  readonly tag: string
  readonly text?: { readonly tag: string; readonly content: string }
  readonly actions?: readonly { readonly value: unknown }[]
}

export function createEvent(type: string, event: object, changes: object = {}): object {
  const header = { event_id: randomUUID(), event_type: type, create_time: String(Date.now()), tenant_key: 't' }
  return { schema: '2.0', header: { ...header, token: SHARED.token, app_id: APP, ...changes }, event }
}

/** A call with this body, as it would be made at `at`. */
export function encryptCall(event: unknown, at: number = Date.now(), key: string = SHARED.key) {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(key).digest(), iv)
  const encrypt = Buffer.concat([iv, cipher.update(JSON.stringify(event)), cipher.final()]).toString('base64')
  const body = JSON.stringify({ encrypt })
  const [time, nonce] = [String(Math.floor(at / 1000)), randomBytes(5).toString('hex')]
  const signature = createHash('sha256')
    .update(time + nonce + key + body)
    .digest('hex')
  return {
    headers: {
      'content-type': 'application/json',
      'x-lark-request-timestamp': time,
      'x-lark-request-nonce': nonce,
      'x-lark-signature': signature,
    },
    body,
  }
}

/** Ids of Feishu are a prefix and hexadecimal digits; a name has always the same. */
function createId(kind: 'ou' | 'oc', name: string): string {
  if (new RegExp(`^${kind}_[0-9a-f]{32}$`).test(name)) return name
  return `${kind}_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function wrong(status: number, code: number, msg: string): ServiceAnswer {
  return { status, body: { code, msg, error: { log_id: '0123' } } }
}
