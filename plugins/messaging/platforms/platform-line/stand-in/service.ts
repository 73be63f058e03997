/**
 * A stand-in for LINE: the calls of its webhook, push messages with retry keys, content and the account, after
 * developers.line.biz/en/reference/messaging-api and developers.line.biz/en/docs/messaging-api/receiving-messages (redelivery).
 */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import {
  ChatService,
  type FaultAnswers,
  type SayOptions,
  type ServiceAnswer,
  type ServiceRequest,
  serveChatService,
  type WebhookCall,
} from 'svc/sdk/kit/stand-in'
import type { StandInMember, StandInService } from 'svc/sdk/platform'

const TOKEN = 'line-channel-access-token-for-tests'
const SECRET = 'line-channel-secret-for-tests'
const ME = createId('U', 'svc')
const PATH = '/webhooks/line'
/** As many times as an event is delivered again, and how long between. */
const RETRIES = 5
const RETRY_MS = 100
const FAULTS: FaultAnswers = {
  busy: {
    status: 429,
    headers: { 'retry-after': '1' },
    body: { message: 'The API rate limit has been exceeded. Try again later.' },
  },
  unavailable: wrong(503, 'Service Unavailable'),
  forbidden: wrong(403, 'The request is not allowed: the user has blocked the account'),
}
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

interface PushedMessage {
  readonly type?: string
  readonly text?: string
  readonly quickReply?: { readonly items?: readonly { readonly action?: Readonly<Record<string, string>> }[] }
}

interface Push {
  readonly to?: string
  readonly messages?: readonly PushedMessage[]
}

/** An account with one channel. */
export function openStandIn(): Promise<StandInService> {
  const line = new Line()
  return serveChatService({
    name: 'line',
    document: 'https://developers.line.biz/en/reference/messaging-api/',
    service: line,
    config: (url) => ({ base_url: url, content_url: url, webhook_port: 0 }),
    env: () => ({ LINE_CHANNEL_ACCESS_TOKEN: TOKEN, LINE_CHANNEL_SECRET: SECRET }),
    answer: (request) => line.answer(request),
    member: (options) => line.member(options),
  })
}

class Line extends ChatService<object> {
  /** Ids of messages by the retry keys that made them. */
  readonly #keys: Map<string, string> = new Map()

  constructor() {
    super({ path: PATH, retries: RETRIES, create: createCall, pauseMs: (at) => RETRY_MS * 2 ** at })
  }

  member({ userId, group }: { userId?: string; group?: string } = {}): StandInMember {
    const id = createId('U', userId ?? `person ${this.count()}`)
    const source =
      group === undefined ? { type: 'user', userId: id } : { type: 'group', groupId: createId('C', group), userId: id }
    const chatId = source.type === 'group' ? createId('C', group ?? '') : id
    return {
      ...{ chatId, userId: id },
      say: async (text, options) => this.#say(source, text, options),
      press: async (label) => this.#press(source, chatId, label),
    }
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const { path, method, headers } = request
    if (headers['authorization'] !== `Bearer ${TOKEN}` || this.isLoggedOut)
      return wrong(401, 'Authentication failed. Confirm that the access token in the authorization header is valid.')
    if (path === '/v2/bot/info') {
      this.isKnown = true
      return { body: { userId: ME, basicId: '@svc', displayName: 'svc', chatMode: 'bot', markAsReadMode: 'auto' } }
    }
    const [, content] = /^\/v2\/bot\/message\/(\w+)\/content$/.exec(path) ?? []
    if (content !== undefined) {
      const bytes = this.files.get(content)
      return bytes ? { headers: { 'content-type': 'application/octet-stream' }, body: bytes } : wrong(404, 'Not found')
    }
    if (path === '/v2/bot/chat/loading/start' && method === 'POST') return { status: 202, body: {} }
    if (path === '/v2/bot/message/push' && method === 'POST') return this.send(FAULTS, () => this.#take(request))
    return wrong(404, 'Not found')
  }

  #take({ json, headers }: ServiceRequest): ServiceAnswer {
    const push = (json() ?? {}) as Push
    const key = headers['x-line-retry-key']
    const problem = findProblem(push, key)
    if (problem) return problem
    const {
      to,
      messages: [message],
    } = push as { to: string; messages: [PushedMessage] }
    const known = key === undefined ? undefined : this.#keys.get(key)
    if (known !== undefined) {
      const body = { message: 'The retry key is already accepted', sentMessages: [{ id: known }] }
      return { status: 409, headers: { 'x-line-accepted-request-id': randomUUID() }, body }
    }
    const messageId = String(461230966842064897n + BigInt(this.count()))
    if (key !== undefined) this.#keys.set(key, messageId)
    const text = message.text ?? ''
    const buttons = Object.fromEntries(
      listActions(message).map(({ displayText = '', data = '' }) => [displayText, data]),
    )
    this.record({ messageId, chatId: to, raw: text, visible: text, buttons })
    return { body: { sentMessages: [{ id: messageId, quoteToken: 'q' }] } }
  }

  async #press(source: object, chatId: string, label: string): Promise<void> {
    const data = this.pressed(chatId, label)
    this.#happen(source, { type: 'postback', postback: { data } })
  }

  #say(source: object, text: string, options: SayOptions = {}): string {
    const id = options.messageId ?? String(561230966842064897n + BigInt(this.count()))
    const name = '@svc'
    const mention = { mentionees: [{ index: 0, length: name.length, type: 'user', userId: ME, isSelf: true }] }
    const said = {
      ...{ id, type: 'text', text: options.mention ? `${name} ${text}` : text, quoteToken: 'q' },
      ...(options.mention && { mention }),
      ...(options.quote !== undefined && { quotedMessageId: options.quote }),
    }
    if (text !== '' || !options.files?.length) this.#happen(source, { type: 'message', message: said })
    for (const file of options.files ?? []) this.#sendFile(source, file, text === '' ? id : undefined)
    return id
  }

  /** LINE has no captions: each file is a message. */
  #sendFile(source: object, file: NonNullable<SayOptions['files']>[number], given: string | undefined): void {
    const id = given ?? String(661230966842064897n + BigInt(this.count()))
    this.files.set(id, file.bytes)
    const [kind = ''] = file.mediaType.split('/')
    const isMedia = ['image', 'video', 'audio'].includes(kind)
    const message = isMedia
      ? { id, type: kind, contentProvider: { type: 'line' } }
      : { id, type: 'file', fileName: file.name, fileSize: file.bytes.length }
    this.#happen(source, { type: 'message', message })
  }

  #happen(source: object, what: object): void {
    this.caller.deliver({
      ...{ ...what, source, mode: 'active', timestamp: Date.now(), webhookEventId: `01${randomUUID()}` },
      replyToken: randomUUID(),
    })
  }
}

/** Redelivery is switched on in the console of this account. */
function createCall(event: object, attempt: number): WebhookCall {
  const deliveryContext = { isRedelivery: attempt > 0 }
  const body = JSON.stringify({ destination: ME, events: [{ ...event, deliveryContext }] })
  const signature = createHmac('sha256', SECRET).update(body).digest('base64')
  return { headers: { 'content-type': 'application/json', 'x-line-signature': signature }, body }
}

/** Ids of LINE are a letter and 32 hexadecimal digits; a name has always the same. */
function createId(kind: 'U' | 'C', name: string): string {
  if (new RegExp(`^${kind}[0-9a-f]{32}$`).test(name)) return name
  return kind + createHash('sha256').update(name).digest('hex').slice(0, 32)
}

function listActions({ quickReply }: PushedMessage): readonly Readonly<Record<string, string>>[] {
  return quickReply?.items?.map(({ action = {} }) => action) ?? []
}

/** What LINE finds wrong with a push message. */
function findProblem({ to = '', messages = [] }: Push, key: string | undefined): ServiceAnswer | undefined {
  if (key !== undefined && !UUID.test(key)) return wrong(400, 'The X-Line-Retry-Key is invalid')
  if (!/^[UCR][0-9a-f]{32}$/.test(to)) return wrong(400, "The property, 'to', in the request body is invalid")
  const [message = {}] = messages
  if (messages.length !== 1 || message.type !== 'text' || !message.text) return invalid('May not be empty', 'text')
  if (message.text.length > 5000) return invalid('Length must be between 0 and 5000', 'text')
  const actions = listActions(message)
  if (actions.length > 13) return invalid('Size must be between 1 and 13', 'quickReply.items')
  const isWrong = actions.some(({ label = '', data = '' }) => label === '' || label.length > 20 || data.length > 300)
  return isWrong ? invalid('Length must be between 1 and 20', 'quickReply.items[0].action.label') : undefined
}

function invalid(message: string, property: string): ServiceAnswer {
  const details = [{ message, property: `messages[0].${property}` }]
  const body = { message: 'The request body has 1 error(s)', details }
  return { status: 400, body }
}

function wrong(status: number, message: string): ServiceAnswer {
  return { status, body: { message } }
}
