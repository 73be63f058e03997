/**
 * Stands in for DingTalk as robots of an app see it: the stream
 * (https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol), access tokens, messages of robots and files
 * (https://open.dingtalk.com/document/orgapp). A message that is not answered is pushed once more: there after a minute, as
 * the package dingtalk-stream says (`socketCallBackResponse`), here when `pushAgain` is called or the next stream is opened.
 * Unlike there, a message that is sent while no client listens waits for the next stream.
 */

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  LINE_FAULTS,
  parseForm,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { type WebSocket, WebSocketServer } from 'ws'
import { type CardButton, FakeCards } from './cards.ts'
import { markdownWords } from './text.ts'

const CLIENT_ID = 'dingfakeclientid01'
const CLIENT_SECRET = 'fake-client-secret-0123456789'
const TOPIC = '/v1.0/im/bot/messages/get'
const CARD_TOPIC = '/v1.0/card/instances/callback'
const ROBOT = '$:LWCP_v1:$robot'
const WEBHOOK_BYTES = 20_000
const PARAM_BYTES = 15_000

type Answer = Readonly<Record<string, unknown>>

/** What tests of DingTalk itself need besides. */
export interface DingTalkStandIn extends StandInService {
  /** Pushes any frame, or any text as one. */
  push(frame: object | string): void
  /** Pushes a message to the robot as this object. */
  message(data: object): void
  /** Lets the time pass after which messages without an answer are pushed once more. */
  pushAgain(): void
  /** Codes of the frames that were answered, oldest first. */
  readonly acks: readonly number[]
  /** How often each path was asked. */
  asked(path: string): number
  /** The body of the last message that was sent, and where to. */
  lastSend(): { readonly path: string; readonly body: Answer }
  /** Addresses to answer at end now. */
  endWebhooks(): void
  /** Access tokens end now. */
  endTokens(): void
  /** Where answers are to go, as the next messages say. */
  webhookUrl: string | undefined
  /** Lists that the API answers a message to a person with. */
  batchAnswer: Answer
  /** The next answer to any request is this text with HTTP 200. */
  garble(text: string): void
  /** Cards are refused with this code from now on. */
  refuseCards(code: string | undefined): void
  /** Cards are taken and shown nowhere, for this reason. */
  hideCards(reason: string | undefined): void
  /** Asks for a new stream, as DingTalk does from time to time. */
  askToLeave(): void
}

export async function openStandIn(): Promise<DingTalkStandIn> {
  const service = new DingTalk()
  await service.open()
  return service
}

class DingTalk implements DingTalkStandIn {
  readonly name = 'dingtalk'
  readonly document = 'https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol'
  readonly sendFaults = SEND_FAULTS
  readonly lineFaults = LINE_FAULTS
  readonly env = {
    DINGTALK_CLIENT_ID: CLIENT_ID,
    DINGTALK_CLIENT_SECRET: CLIENT_SECRET,
    DINGTALK_ALLOW_ALL_USERS: 'true',
  }
  readonly acks: number[] = []
  webhookUrl: string | undefined
  batchAnswer: Answer = {}
  readonly #sent: StandInDelivery[] = []
  readonly #cards: FakeCards = new FakeCards(CLIENT_ID, this.#sent)
  #hasCardTopic = false
  readonly #files: Map<string, StoredFile> = new Map()
  readonly #sessions: Map<string, string> = new Map()
  readonly #faults = new SendFaults()
  readonly #counts: Map<string, number> = new Map()
  readonly #sockets: Set<WebSocket> = new Set()
  readonly #streams = new WebSocketServer({ noServer: true, autoPong: false })
  readonly #unheard: object[] = []
  /** Messages that were pushed for the first time, by the ids of their frames. */
  readonly #unanswered: Map<string, object> = new Map()
  #tickets: Set<string> = new Set()
  #tokens: Set<string> = new Set()
  #line: LineFault | undefined
  #held: object | undefined
  #isGone = false
  #garbled: string | undefined
  #last: { readonly path: string; readonly body: Answer } | undefined
  #count = 0
  #service: StandInServer | undefined

  async open(): Promise<void> {
    this.#service = await StandInServer.open(
      (request) => this.#answer(request),
      (request, socket, head) => this.#upgrade(request, socket, head),
    )
  }

  get config(): Readonly<Record<string, unknown>> {
    return { base_url: this.#url(), oapi_url: this.#url() }
  }

  member({ userId = 'ada01', group }: { userId?: string; group?: string } = {}): StandInMember {
    const chatId = group === undefined ? userId : `cid${Buffer.from(group).toString('base64')}`
    const say = async (text: string, options: SayOptions = {}) => this.#say({ userId, chatId, group }, text, options)
    const press = async (label: string) => this.#press(userId, this.#cards.find(chatId, label))
    return { chatId, userId, say, press }
  }

  deliveries(): readonly StandInDelivery[] {
    return this.#sent
  }

  connected(): boolean {
    return this.#sockets.size > 0
  }

  failSends: StandInService['failSends'] = (fault, count) => this.#faults.add(fault, count)

  disturb(fault: LineFault): void {
    if (fault === 'flap') {
      // What is said from now on waits for the next stream.
      this.#sockets.clear()
      this.#service?.cut()
    } else if (fault === 'logout') {
      this.#isGone = true
      this.#tokens.clear()
      for (const socket of this.#sockets) socket.close(1008, 'app is gone')
    } else this.#line = fault
  }

  calm(): void {
    const wasSilent = this.#line === 'silence'
    this.#line = undefined
    this.#isGone = false
    this.#faults.clear()
    this.#release()
    if (wasSilent) for (const socket of this.#sockets) socket.terminate()
  }

  push(frame: object | string): void {
    const text = typeof frame === 'string' ? frame : JSON.stringify(frame)
    const [socket] = this.#sockets
    if (this.#line !== 'silence' && socket) socket.send(text)
    else if (typeof frame === 'object') this.#unheard.push(frame)
  }

  message(data: object): void {
    const messageId = this.#pushMessage(data)
    if (this.connected() && this.#line !== 'silence') this.#unanswered.set(messageId, data)
  }

  pushAgain(): void {
    const again = [...this.#unanswered.values()]
    this.#unanswered.clear()
    for (const data of again) this.#pushMessage(data)
  }

  /** As CardCallbackMessage of DingTalk's SDK has it. */
  #press(userId: string, { outTrackId, id }: CardButton): void {
    if (!this.#hasCardTopic) throw new Error('Nothing has subscribed to callbacks of cards.')
    const content = JSON.stringify({ cardPrivateData: { actionIds: [id], params: {} } })
    const about = { extension: '{}', corpId: 'dingcorp', spaceType: '', spaceId: '', userIdType: 1 }
    this.#pushMessage({ ...about, type: 'actionCallback', userId, outTrackId, content, value: content }, CARD_TOPIC)
  }

  #pushMessage(data: object, topic = TOPIC): string {
    const messageId = this.#id('frame')
    const headers = { appId: 'app', contentType: 'application/json', messageId, topic }
    this.push({ specVersion: '1.0', type: 'CALLBACK', headers, data: JSON.stringify(data) })
    return messageId
  }

  asked(path: string): number {
    return this.#counts.get(path) ?? 0
  }

  lastSend(): { readonly path: string; readonly body: Answer } {
    if (!this.#last) throw new Error('Nothing was sent.')
    return this.#last
  }

  endWebhooks(): void {
    this.#sessions.clear()
  }

  endTokens(): void {
    this.#tokens.clear()
  }

  garble(text: string): void {
    this.#garbled = text
  }

  askToLeave(): void {
    const headers = { topic: 'disconnect', contentType: 'application/json' }
    this.push({ type: 'SYSTEM', headers, data: '{"reason":"connection is expired"}' })
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate()
    await this.#service?.close()
  }

  #url(): string {
    return this.#service?.url ?? ''
  }

  #id(kind: string): string {
    return `${kind}${++this.#count}`
  }

  #say(
    { userId, chatId, group }: { userId: string; chatId: string; group: string | undefined },
    text: string,
    options: SayOptions,
  ): string {
    const session = this.#id('session')
    this.#sessions.set(session, chatId)
    const msgId = options.messageId ?? this.#id('msg')
    const data = {
      conversationId: group === undefined ? `cidDM${userId}` : chatId,
      conversationType: group === undefined ? '1' : '2',
      ...(group !== undefined && { conversationTitle: group, isInAtList: options.mention ?? false }),
      msgId,
      senderId: `$:LWCP_v1:$${userId}`,
      senderStaffId: userId,
      senderNick: 'Ada',
      senderCorpId: 'dingcorp',
      chatbotUserId: ROBOT,
      robotCode: CLIENT_ID,
      createAt: Date.now(),
      sessionWebhook: this.webhookUrl ?? `${this.#url()}/robot/sendBySession?session=${session}`,
      sessionWebhookExpiredTime: Date.UTC(2199, 0, 1),
      ...this.#content(text, options.files?.[0]),
    }
    if (this.#line === 'late' && !this.#held) {
      this.#held = data
      return msgId
    }
    this.message(data)
    if (this.#line === 'twice') this.message(data)
    this.#release()
    if (this.#line === 'twice' || this.#line === 'late') this.#line = undefined
    return msgId
  }

  /** DingTalk leaves a blank where the mention of the robot was. */
  #content(text: string, file: NonNullable<SayOptions['files']>[number] | undefined): object {
    if (!file) return { msgtype: 'text', text: { content: ` ${text}` } }
    const downloadCode = this.#id('code')
    this.#files.set(downloadCode, { name: file.name, bytes: file.bytes })
    if (file.mediaType.startsWith('image/'))
      return { msgtype: 'richText', content: { richText: [{ text }, { type: 'picture', downloadCode }] } }
    if (file.mediaType.startsWith('audio/')) return { msgtype: 'audio', content: { downloadCode, recognition: text } }
    return { msgtype: 'file', content: { downloadCode, fileName: file.name } }
  }

  #release(): void {
    if (this.#held) this.message(this.#held)
    this.#held = undefined
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? '/', this.#url()).searchParams.get('ticket') ?? ''
    if (!this.#tickets.delete(ticket)) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
    this.#streams.handleUpgrade(request, socket, head, (stream) => {
      this.#sockets.add(stream)
      stream.on('close', () => this.#sockets.delete(stream))
      stream.on('ping', () => this.#line !== 'silence' && stream.pong())
      stream.on('message', (data) => {
        const { code, headers } = JSON.parse(String(data)) as { code: number; headers: { messageId: string } }
        this.acks.push(code)
        this.#unanswered.delete(headers.messageId)
      })
      this.pushAgain()
      for (const frame of this.#unheard.splice(0)) this.push(frame)
    })
  }

  async #answer(request: ServiceRequest): Promise<ServiceAnswer> {
    const { path } = request
    this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1)
    if (this.#line === 'silence') return 'open'
    if (this.#garbled !== undefined) {
      const body = this.#garbled
      this.#garbled = undefined
      return { body }
    }
    const body = (request.json() ?? {}) as Answer
    if (path === '/v1.0/gateway/connections/open') return this.#openStream(body)
    if (path === '/v1.0/oauth2/accessToken') return this.#giveToken(body)
    if (path === '/robot/sendBySession') return this.#bySession(request, body)
    if (path.startsWith('/files/')) return { body: this.#files.get(path.slice('/files/'.length))?.bytes ?? '' }
    const token = request.headers['x-acs-dingtalk-access-token'] ?? request.query.get('access_token') ?? ''
    if (!this.#tokens.has(token)) return failure(401, 'InvalidAuthentication', 'the access token is not valid')
    return this.#withToken(request, body)
  }

  #withToken(request: ServiceRequest, body: Answer): ServiceAnswer {
    if (request.path === '/media/upload') {
      const id = this.#id('@media')
      const [file] = parseForm(request)?.files ?? []
      if (!file) return { body: { errcode: 40035, errmsg: 'no file' } }
      const type = request.query.get('type') ?? ''
      if (type === 'voice' && !isSpeech(file.bytes)) return { body: { errcode: 40005, errmsg: 'invalid file type' } }
      this.#files.set(id, { name: file.name, bytes: file.bytes, type })
      return { body: { errcode: 0, errmsg: 'ok', media_id: id } }
    }
    if (request.path.startsWith('/v1.0/card/')) return this.#card(request, body)
    if (body['robotCode'] !== CLIENT_ID) return failure(400, 'invalidParameter.robotCode.auth', 'another robot')
    if (request.path === '/v1.0/robot/messageFiles/download') {
      const code = String(body['downloadCode'])
      if (!this.#files.has(code)) return failure(400, 'invalidParameter.downloadCode', 'the code has ended')
      return { body: { downloadUrl: `${this.#url()}/files/${code}` } }
    }
    if (request.path === '/v1.0/robot/oToMessages/batchSend')
      return this.#asRobot(request.path, body, String((body['userIds'] as unknown[])[0]))
    if (request.path === '/v1.0/robot/groupMessages/send')
      return this.#asRobot(request.path, body, String(body['openConversationId']))
    return failure(404, 'InvalidAction.NotFound', 'no such API')
  }

  #openStream({ clientId, clientSecret, subscriptions }: Answer): ServiceAnswer {
    if (this.#isGone || clientId !== CLIENT_ID || clientSecret !== CLIENT_SECRET)
      return failure(401, 'authFailed', 'the client id or secret is wrong')
    if (!JSON.stringify(subscriptions).includes(TOPIC)) return failure(400, 'param.error', 'no subscription')
    this.#hasCardTopic = JSON.stringify(subscriptions).includes(CARD_TOPIC)
    const ticket = this.#id('ticket ')
    this.#tickets.add(ticket)
    return { body: { endpoint: `${this.#url().replace(/^http/, 'ws')}/connect`, ticket } }
  }

  #giveToken({ appKey, appSecret }: Answer): ServiceAnswer {
    if (this.#isGone || appKey !== CLIENT_ID || appSecret !== CLIENT_SECRET)
      return failure(400, 'invalidClientIdOrSecret', 'the client id or secret is wrong')
    const accessToken = this.#id('fake-access-token-')
    this.#tokens.add(accessToken)
    return { body: { accessToken, expireIn: 7200 } }
  }

  #bySession({ path, query }: ServiceRequest, body: Answer): ServiceAnswer {
    const fault = this.#faults.next()
    if (fault === 'busy') return { body: { errcode: 130101, errmsg: 'send too fast, exceed 20 times per minute' } }
    if (fault === 'unavailable') return { status: 503, body: 'Service unavailable' }
    if (fault === 'lost') return 'cut'
    const chatId = this.#sessions.get(query.get('session') ?? '')
    if (chatId === undefined || fault === 'forbidden') {
      if (fault) this.#faults.add(fault)
      return { body: { errcode: 300001, errmsg: 'session does not exist' } }
    }
    const { markdown } = body as { markdown?: { text?: string; title?: string } }
    const { text, title } = markdown ?? {}
    if (!title || !text) return { body: { errcode: 40035, errmsg: 'invalid parameters' } }
    if (Buffer.byteLength(text) > WEBHOOK_BYTES) return { body: { errcode: 460101, errmsg: 'message too long' } }
    this.#last = { path, body }
    this.#deliver(chatId, this.#id('by-session'), text)
    return fault === 'unanswered' ? 'cut' : { body: { errcode: 0, errmsg: 'ok' } }
  }

  #card({ path, method }: ServiceRequest, body: Answer): ServiceAnswer {
    const fault = method === 'POST' ? this.#faults.next() : undefined
    if (fault === 'busy') return failure(403, 'Forbidden.AccessDenied.QpsLimitForApi', 'too many requests')
    if (fault === 'unavailable') return failure(503, 'ServiceUnavailable', 'try again')
    if (fault === 'forbidden')
      return failure(403, 'Forbidden.AccessDenied.AccessTokenPermissionDenied', 'no permission')
    if (fault === 'lost') return 'cut'
    this.#last = { path, body }
    const answer = this.#cards.answer(method, path, body)
    return fault === 'unanswered' ? 'cut' : answer
  }

  refuseCards(code: string | undefined): void {
    this.#cards.refusal = code
  }

  hideCards(reason: string | undefined): void {
    this.#cards.hidden = reason
  }

  #asRobot(path: string, body: Answer, chatId: string): ServiceAnswer {
    const fault = this.#faults.next()
    if (fault === 'busy') return failure(403, 'Forbidden.AccessDenied.QpsLimitForApi', 'too many requests')
    if (fault === 'unavailable') return failure(503, 'ServiceUnavailable', 'try again')
    if (fault === 'forbidden') return failure(400, 'resource.not.found', 'the robot is not there')
    if (fault === 'lost') return 'cut'
    const param = String(body['msgParam'] ?? '')
    if (Buffer.byteLength(param) > PARAM_BYTES) return failure(400, 'invalidParameter.msgParam.invalid', 'too long')
    this.#last = { path, body }
    if (Object.keys(this.batchAnswer).length > 0) return { body: this.batchAnswer }
    const { text, mediaId, photoURL, duration } = JSON.parse(param) as Record<string, string | undefined>
    const file = this.#files.get(mediaId ?? photoURL ?? '')
    const isVoice = body['msgKey'] === 'sampleAudio'
    if (isVoice ? !isSound(file, duration) : file?.type === 'voice')
      return failure(400, 'invalidParameter.msgParam.invalid', 'no such media of this kind')
    const processQueryKey = this.#id('key')
    this.#deliver(
      chatId,
      processQueryKey,
      text ?? '',
      file && { name: file.name, bytes: file.bytes, ...(isVoice && { isVoice, durationMs: Number(duration) }) },
    )
    return fault === 'unanswered' ? 'cut' : { body: { processQueryKey } }
  }

  #deliver(chatId: string, messageId: string, raw: string, file?: StandInDelivery['files'][number]): void {
    const visible = markdownWords(raw)
    this.#sent.push({ messageId, chatId, raw, visible, versions: [raw], buttons: [], files: file ? [file] : [] })
  }
}

/** What was uploaded, or sent by a person. */
interface StoredFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly type?: string
}

/** What `sampleAudio` names: stored speech, with its length in milliseconds. */
function isSound(file: StoredFile | undefined, duration: string | undefined): boolean {
  return file?.type === 'voice' && /^[1-9]\d*$/.test(duration ?? '')
}

/** Ogg or AMR of at most 2 MB. */
function isSpeech(bytes: Uint8Array): boolean {
  return bytes.length <= 2_097_152 && /^(?:OggS|#!AMR\n)/.test(Buffer.from(bytes.subarray(0, 6)).toString('latin1'))
}

function failure(status: number, code: string, message: string): ServiceAnswer {
  return { status, body: { code, message, requestid: 'request' } }
}
