/**
 * A stand-in for a Zulip organization with one bot: its queue of events, messages, topics, files and marks, after zulip.com/api/rest.
 */
import {
  demandFault,
  LINE_FAULTS,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInReactions,
  StandInServer,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { answerFault, ok, wrong } from './answers.ts'
import { listHistory, type Stored, toJson } from './history.ts'
import { createId, type Place, Places, parseJson } from './places.ts'
import { EventQueues } from './queues.ts'
import { Uploads, withoutFiles } from './uploads.ts'
import { wordsOfZulip } from './words.ts'

const EMAIL = 'svc-bot@example.zulipchat.com'
const KEY = 'zulip-api-key-for-tests-abcdefgh'
const ME = { id: 101, name: 'svc (bot)' } as const
/** Of what people write in a channel without naming one. */
const TOPIC = 'general chat'
const MAX_LENGTH = 10_000
const CUT = '\n[message truncated]'
const EMOJI = ['eyes', 'check', 'cross_mark']
const WILDCARD = /@\*\*(?:all|everyone|channel|stream|topic)\*\*/
const CODE = /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g
/** Between two polls a client is connected, too. */
const POLL_PAUSE_MS = 1000

/** The stand-in, and what only tests of this platform need. */
export interface ZulipStandIn extends StandInService {
  /** The bot's id. */
  readonly botId: number
  /** Another bot, in a direct message. */
  addBot(name: string): StandInMember
  /** A group direct message, in which the first of these people writes. */
  gather(names: readonly string[]): StandInMember
  /** What svc showed while it was writing, oldest first. */
  readonly typing: readonly Readonly<Record<string, string>>[]
  /** Requests as they came: the method and the path. */
  readonly requests: readonly string[]
  /** The next request for this, by its beginning, is answered so. */
  answerNext(call: string, answer: ServiceAnswer): void
  /** Whether svc waits for events now. */
  hasReader(): boolean
  /** The server forgets the queues of events, as those that were not read for ten minutes. */
  dropQueues(): void
  /** Sends an event to all queues. */
  tell(event: { readonly type: string; readonly [name: string]: unknown }): void
  /** A person moves a message to another topic. */
  move(messageId: string, topic: string): void
}

export async function openStandIn(): Promise<ZulipStandIn> {
  const zulip = new Zulip()
  const service = await StandInServer.open((request) => zulip.answer(request))
  zulip.url = service.url
  return {
    name: 'zulip',
    document: 'https://zulip.com/api/rest',
    config: {},
    env: { ZULIP_SITE: service.url, ZULIP_EMAIL: EMAIL, ZULIP_API_KEY: KEY },
    sendFaults: SEND_FAULTS,
    lineFaults: LINE_FAULTS,
    botId: ME.id,
    typing: zulip.typing,
    requests: zulip.requests,
    member: (options) => zulip.member(options),
    addBot: (name) => zulip.addBot(name),
    gather: (names) => zulip.gather(names),
    deliveries: () => zulip.deliveries(),
    reactions: () => zulip.marks.log,
    connected: () => zulip.isConnected,
    failSends: (fault, count) => zulip.faults.add(fault, count),
    disturb(fault) {
      demandFault(LINE_FAULTS, fault)
      zulip.disturb(fault)
      if (fault === 'flap' || fault === 'logout') service.cut()
    },
    calm: () => zulip.calm(),
    answerNext: (call, answer) => void zulip.planned.push({ call, answer }),
    hasReader: () => zulip.queues.hasReader,
    dropQueues: () => zulip.queues.drop(),
    tell: (event) => zulip.queues.push(() => event),
    move: (messageId, topic) => zulip.move(messageId, topic),
    async close() {
      zulip.calm()
      await service.close()
    },
  }
}

class Zulip {
  url = ''
  readonly faults: SendFaults = new SendFaults()
  readonly marks: StandInReactions = new StandInReactions()
  readonly queues: EventQueues = new EventQueues()
  readonly typing: Record<string, string>[] = []
  readonly requests: string[] = []
  readonly planned: { readonly call: string; readonly answer: ServiceAnswer }[] = []
  readonly #uploads = new Uploads()
  readonly #messages: Stored[] = []
  readonly #users: Map<number, { readonly name: string; readonly isBot: boolean }> = new Map()
  readonly #places = new Places(ME.id)
  #count = 0
  #polledAt = 0
  #fault: LineFault | undefined
  #late: (() => void) | undefined
  #silence: Promise<void> | undefined
  #speak: () => void = () => undefined

  get isConnected(): boolean {
    const isReading = this.queues.hasReader || Date.now() - this.#polledAt < POLL_PAUSE_MS
    return isReading && this.#fault !== 'logout'
  }

  // People

  member({ userId, group }: { userId?: string; group?: string } = {}): StandInMember {
    const id = this.#addUser(userId ?? `person ${++this.#count}`, false)
    if (group === undefined) return this.#directly([id])
    const channel = this.#places.addChannel(group)
    const say: StandInMember['say'] = async (text, options = {}) =>
      this.#say(this.#places.toChannel(channel, options.threadId ?? TOPIC), id, { ...options, text })
    return { chatId: `channel:${channel}`, userId: String(id), say }
  }

  addBot(name: string): StandInMember {
    return this.#directly([this.#addUser(name, true)])
  }

  gather(names: readonly string[]): StandInMember {
    return this.#directly(names.map((name) => this.#addUser(name, false)))
  }

  #addUser(name: string, isBot: boolean): number {
    const id = createId(name)
    this.#users.set(id, { name, isBot })
    return id
  }

  #directly(others: readonly number[]): StandInMember {
    const [writer = 0] = others
    const place = this.#places.toDirect(others)
    const say: StandInMember['say'] = async (text, options = {}) => this.#say(place, writer, { ...options, text })
    return { chatId: this.#places.nameChat(place), userId: String(writer), say }
  }

  #say(place: Place, userId: number, { text, ...options }: SayOptions & { readonly text: string }): string {
    const again = this.#messages.find(({ id }) => String(id) === options.messageId)
    if (again) this.#deliver(again)
    if (again) return String(again.id)
    const files = (options.files ?? []).map((file) => `[${file.name}](${this.#uploads.keep(file)})`)
    const words = `${this.#quote(options.quote)}${options.mention ? `@**${ME.name}** ` : ''}${text}`
    const content = [words, ...files].filter(Boolean).join('\n')
    const message = this.#keep(place, userId, content, options.mention ? ['mentioned'] : [])
    this.#hand(() => this.#deliver(message))
    return String(message.id)
  }

  /** As clients do it. */
  #quote(messageId: string | undefined): string {
    const said = this.#messages.find(({ id }) => String(id) === messageId)
    if (!said) return ''
    const link = `${this.url}/#narrow/near/${said.id}`
    const head = `@_**${said.sender_full_name}|${said.sender_id}** [said](${link}):`
    return `${head}\n\`\`\`quote\n${said.versions.at(-1)}\n\`\`\`\n`
  }

  #keep(place: Place, sender: number, content: string, flags: readonly string[]): Stored {
    const name = sender === ME.id ? ME.name : (this.#users.get(sender)?.name ?? '')
    const message = {
      ...place,
      ...{ id: 1000 + this.#messages.length, sender_id: sender, sender_full_name: name, flags, versions: [content] },
      timestamp: Math.floor(Date.now() / 1000),
    }
    this.#messages.push(message)
    return message
  }

  #deliver(message: Stored, sent?: { readonly queueId: string | null; readonly key: string | null }): void {
    this.queues.push((queueId) => ({
      ...{ type: 'message', message: toJson(message), flags: message.flags },
      ...(sent && sent.queueId === queueId && { local_message_id: sent.key }),
    }))
  }

  /** Delivers now, twice, or behind the one that comes next. */
  #hand(deliver: () => void): void {
    const fault = this.#fault
    const held = this.#late
    if (fault === 'twice' || fault === 'late') this.#fault = undefined
    this.#late = fault === 'late' ? deliver : undefined
    if (fault === 'late') return
    deliver()
    if (fault === 'twice') deliver()
    held?.()
  }

  // The API

  async answer(request: ServiceRequest): Promise<ServiceAnswer> {
    const { method, path, headers } = request
    const call = `${method} ${path.replace('/api/v1', '')}`
    this.requests.push(call)
    await this.#silence
    const file = this.#uploads.give(path)
    if (file) return file
    const planned = this.planned.findIndex((each) => call.startsWith(each.call))
    if (planned >= 0) return this.planned.splice(planned, 1)[0]?.answer ?? 'cut'
    if (headers['authorization'] === undefined)
      return wrong('Not logged in: API authentication or user session required', { status: 401, code: 'UNAUTHORIZED' })
    const known = `Basic ${Buffer.from(`${EMAIL}:${KEY}`).toString('base64')}`
    if (headers['authorization'] !== known || this.#fault === 'logout')
      return wrong('Invalid API key', { status: 401, code: 'INVALID_API_KEY' })
    return this.#authorised(call, request)
  }

  #authorised(call: string, request: ServiceRequest): ServiceAnswer | Promise<ServiceAnswer> {
    const form = new URLSearchParams(request.body.toString('utf8'))
    const [, verb = '', kind = '', id = '', rest = ''] = /^(\w+) \/(\w+)(?:\/([^/]+))?(\/.+)?$/.exec(call) ?? []
    const calls: Readonly<Record<string, () => ServiceAnswer | Promise<ServiceAnswer>>> = {
      'POST /register': () => this.#register(form),
      'GET /events': () => this.#poll(request),
      'GET /messages': () => this.#list(request.query),
      'POST /messages': () => this.#faulty(() => this.#send(form)),
      'POST /typing': () => this.#type(form),
      'POST /user_uploads': () => this.#uploads.take(request),
    }
    const known = calls[call]
    if (known) return known()
    if (verb === 'GET' && kind === 'user_uploads') return this.#uploads.point(request.path.replace('/api/v1', ''))
    if (verb === 'GET' && kind === 'users') return this.#showUser(id)
    if (kind === 'messages' && rest === '/reactions') return this.#mark(verb, id, form.get('emoji_name') ?? '')
    if (verb === 'PATCH' && kind === 'messages') return this.#faulty(() => this.#edit(id, form.get('content')))
    return { status: 404, body: { result: 'error', msg: 'This endpoint does not exist.' } }
  }

  #faulty(act: () => ServiceAnswer): ServiceAnswer {
    const fault = this.faults.next()
    const refusal = answerFault(fault)
    if (refusal) return refusal
    const answer = act()
    return fault === 'unanswered' ? 'cut' : answer
  }

  #register(form: URLSearchParams): ServiceAnswer {
    if (form.get('apply_markdown') !== 'false') return wrong('This stand-in renders no messages.')
    const queue_id = this.queues.register()
    return ok({ queue_id, last_event_id: -1, event_queue_longpoll_timeout_seconds: 90, zulip_feature_level: 421 })
  }

  async #poll({ query, response }: ServiceRequest): Promise<ServiceAnswer> {
    const queueId = query.get('queue_id') ?? ''
    const events = await this.queues.read(queueId, Number(query.get('last_event_id')), response)
    await this.#silence
    this.#polledAt = Date.now()
    if (events) return ok({ events, queue_id: queueId })
    return wrong(`Bad event queue ID: ${queueId}`, { code: 'BAD_EVENT_QUEUE_ID', queue_id: queueId })
  }

  #list(query: URLSearchParams): ServiceAnswer {
    const found = listHistory(this.#messages, query, ME.id)
    return typeof found === 'string' ? wrong(found) : ok(found)
  }

  #showUser(id: string): ServiceAnswer {
    if (id === 'me') return ok({ user_id: ME.id, full_name: ME.name, email: EMAIL, is_bot: true })
    const user = this.#users.get(Number(id))
    if (!user) return wrong('No such user')
    return ok({ user: { user_id: Number(id), full_name: user.name, is_bot: user.isBot, is_active: true } })
  }

  #send(form: URLSearchParams): ServiceAnswer {
    const found = this.#places.find(form, (id) => this.#users.has(id as number))
    if ('refusal' in found) return found.refusal
    const content = normalize(form.get('content') ?? '')
    const problem = findProblem(content)
    if (problem) return problem
    if (form.has('queue_id') && !form.has('local_id')) return wrong("Missing 'local_id' argument")
    const message = this.#keep(found.place, ME.id, content, ['read'])
    this.#deliver(message, { queueId: form.get('queue_id'), key: form.get('local_id') })
    return ok({ id: message.id })
  }

  #edit(id: string, text: string | null): ServiceAnswer {
    const message = this.#messages.find((each) => String(each.id) === id)
    if (!message) return wrong('Invalid message(s)')
    if (message.sender_id !== ME.id) return wrong("You don't have permission to edit this message")
    const content = normalize(text ?? '')
    const problem = findProblem(content)
    if (problem) return problem
    message.versions.push(content)
    return ok()
  }

  #mark(verb: string, id: string, emoji: string): ServiceAnswer {
    if (!this.#messages.some((each) => String(each.id) === id)) return wrong('Invalid message(s)')
    if (!EMOJI.includes(emoji)) return wrong(`Emoji '${emoji}' does not exist`)
    if (verb === 'POST')
      return this.marks.add(id, emoji) ? ok() : wrong('Reaction already exists.', { code: 'REACTION_ALREADY_EXISTS' })
    return this.marks.remove(id, emoji) ? ok() : wrong("Reaction doesn't exist.", { code: 'REACTION_DOES_NOT_EXIST' })
  }

  #type(form: URLSearchParams): ServiceAnswer {
    const [type, to] = [form.get('type'), parseJson(form.get('to'))]
    if (form.get('op') !== 'start' && form.get('op') !== 'stop') return wrong('Invalid op')
    if (type === 'direct' && !Array.isArray(to)) return wrong("Missing 'to' argument")
    if (type !== 'direct' && !this.#places.hasChannel(Number(form.get('stream_id')))) return wrong('Invalid channel ID')
    if (type !== 'direct' && !form.get('topic')) return wrong("Missing 'topic' argument")
    this.typing.push(Object.fromEntries(form))
    return ok()
  }

  // What tests see and do

  deliveries(): readonly StandInDelivery[] {
    const own = this.#messages.filter(({ sender_id }) => sender_id === ME.id)
    return own.map((message) => {
      const { id, type, subject, versions } = message
      const raw = versions.at(-1) ?? ''
      return {
        ...{ messageId: String(id), chatId: this.#places.nameChat(message) },
        ...(type === 'stream' && { threadId: subject }),
        ...{ raw, visible: wordsOfZulip(withoutFiles(raw)), versions, buttons: [], files: this.#uploads.list(raw) },
      }
    })
  }

  move(messageId: string, topic: string): void {
    const at = this.#messages.findIndex(({ id }) => String(id) === messageId)
    const message = this.#messages[at]
    if (message) this.#messages[at] = { ...message, subject: topic }
  }

  disturb(fault: LineFault): void {
    if (fault === 'flap') return
    this.#fault = fault
    if (fault !== 'silence') return
    this.#silence = new Promise((resolve) => {
      this.#speak = resolve
    })
  }

  calm(): void {
    this.#fault = undefined
    this.faults.clear()
    this.planned.length = 0
    this.#silence = undefined
    this.#speak()
    this.#late?.()
    this.#late = undefined
  }
}

/** The server cuts what is too long, without an error. */
function normalize(content: string): string {
  const text = content.trimEnd().replace(/^\n+/, '')
  const characters = [...text]
  return characters.length <= MAX_LENGTH ? text : characters.slice(0, MAX_LENGTH - CUT.length).join('') + CUT
}

function findProblem(content: string): ServiceAnswer | undefined {
  if (content === '') return wrong('Message must not be empty')
  if (content.includes('\0')) return wrong('Message must not contain null bytes')
  if (!WILDCARD.test(content.replace(CODE, ''))) return undefined
  return wrong('You do not have permission to use channel wildcard mentions in this channel.', {
    code: 'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
  })
}
