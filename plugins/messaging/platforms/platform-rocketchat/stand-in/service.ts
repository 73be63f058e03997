/**
 * A stand-in for a Rocket.Chat server with one account: its REST API and its realtime API over a WebSocket, after
 * developer.rocket.chat/apidocs.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  demandFault,
  LINE_FAULTS,
  parseForm,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInReactions,
  StandInServer,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { type WebSocket, WebSocketServer } from 'ws'
import { answerFault, ok, unauthorized, wrong } from './answers.ts'
import { wordsOfRocketChat } from './words.ts'

const ME = { _id: 'svcsvcsvcsvcsvcsv', username: 'svc.bot' } as const
const TOKEN = 'rocketchat-token-for-tests'
const MAX_LENGTH = 5000
const EMOJI = ['eyes', 'white_check_mark', 'x']

interface Room {
  readonly _id: string
  readonly t: 'c' | 'd'
  readonly name?: string
  readonly usersCount: number
  lm?: string
}

interface File {
  readonly _id: string
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

interface Stored {
  readonly _id: string
  readonly rid: string
  readonly u: { readonly _id: string; readonly username: string }
  readonly tmid?: string
  readonly mentions: readonly { readonly _id: string }[]
  readonly files: readonly File[]
  readonly ts: number
  readonly versions: string[]
}

/** The stand-in, and what only tests of this platform need. */
export interface RocketChatStandIn extends StandInService {
  readonly account: typeof ME
  /** Another program, in a direct message. */
  addBot(name: string): StandInMember
  /** Direct messages of several people, in which the first of them writes. */
  gather(names: readonly string[]): StandInMember
  /** Methods that were called over the socket. */
  readonly calls: readonly { readonly method: string; readonly params: readonly unknown[] }[]
  readonly requests: readonly string[]
  /** The next request for this, by its beginning, is answered so. */
  answerNext(call: string, answer: ServiceAnswer): void
  /** Sends a frame to everybody who is connected. */
  tell(frame: object): void
}

export async function openStandIn(): Promise<RocketChatStandIn> {
  const chat = new RocketChat()
  const service = await StandInServer.open(
    (request) => chat.answer(request),
    (request, socket, head) => chat.upgrade(request, socket, head),
  )
  return {
    name: 'rocketchat',
    document: 'https://developer.rocket.chat/apidocs',
    config: {},
    env: { ROCKETCHAT_URL: service.url, ROCKETCHAT_USER_ID: ME._id, ROCKETCHAT_TOKEN: TOKEN },
    sendFaults: SEND_FAULTS,
    lineFaults: LINE_FAULTS,
    account: ME,
    calls: chat.calls,
    requests: chat.requests,
    member: (options) => chat.member(options),
    addBot: (name) => chat.addBot(name),
    gather: (names) => chat.gather(names),
    deliveries: () => chat.deliveries(),
    reactions: () => chat.marks.log,
    connected: () => chat.listeners.size > 0 && !chat.isLoggedOut,
    failSends: (fault, count) => chat.faults.add(fault, count),
    disturb(fault) {
      demandFault(LINE_FAULTS, fault)
      chat.disturb(fault)
      if (fault === 'flap' || fault === 'logout') service.cut()
    },
    calm: () => chat.calm(),
    answerNext: (call, answer) => void chat.planned.push({ call, answer }),
    tell: (frame) => chat.tell(frame),
    async close() {
      for (const socket of chat.listeners) socket.terminate()
      await service.close()
    },
  }
}

class RocketChat {
  readonly listeners: Set<WebSocket> = new Set()
  readonly faults: SendFaults = new SendFaults()
  readonly marks: StandInReactions = new StandInReactions()
  readonly calls: { method: string; params: readonly unknown[] }[] = []
  readonly requests: string[] = []
  readonly planned: { readonly call: string; readonly answer: ServiceAnswer }[] = []
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false })
  readonly #rooms: Map<string, Room> = new Map()
  readonly #users: Map<string, { readonly name: string; readonly type: string }> = new Map()
  readonly #messages: Stored[] = []
  readonly #files: Map<string, File> = new Map()
  #count = 0
  #newest = 0
  #fault: LineFault | undefined
  #late: (() => void) | undefined

  get isLoggedOut(): boolean {
    return this.#fault === 'logout'
  }

  // People

  member({ userId, group }: { userId?: string; group?: string } = {}): StandInMember {
    const name = userId ?? `person ${++this.#count}`
    const id = this.#addUser(name, 'user')
    if (group === undefined) return this.#join([id], { _id: createId(`with ${id}`), t: 'd', usersCount: 2 })
    return this.#join([id], { _id: createId(`#${group}`), t: 'c', name: group, usersCount: 9 })
  }

  addBot(name: string): StandInMember {
    const id = this.#addUser(name, 'bot')
    return this.#join([id], { _id: createId(`with ${id}`), t: 'd', usersCount: 2 })
  }

  gather(names: readonly string[]): StandInMember {
    const ids = names.map((name) => this.#addUser(name, 'user'))
    return this.#join(ids, { _id: createId(`with ${ids.join()}`), t: 'd', usersCount: ids.length + 1 })
  }

  #addUser(name: string, type: string): string {
    const id = /^[A-Za-z0-9]{17}$/.test(name) ? name : createId(name)
    this.#users.set(id, { name, type })
    return id
  }

  #join([userId = '']: readonly string[], room: Room): StandInMember {
    if (!this.#rooms.has(room._id)) this.#rooms.set(room._id, room)
    const say: StandInMember['say'] = async (text, options = {}) => this.#say(room._id, userId, { ...options, text })
    return { chatId: room._id, userId, say }
  }

  #say(rid: string, userId: string, { text, ...options }: SayOptions & { readonly text: string }): string {
    const again = this.#messages.find(({ _id }) => _id === options.messageId)
    if (again) this.#deliver(again)
    if (again) return again._id
    const files = (options.files ?? []).map((file) => this.#keepFile(file.name, file.mediaType, file.bytes))
    const tmid = options.threadId ?? options.quote
    const message = this.#keep({
      ...{ _id: options.messageId ?? createRandomId(), rid, files, ...(tmid && { tmid }) },
      u: { _id: userId, username: this.#users.get(userId)?.name ?? '' },
      ...{ mentions: options.mention ? [ME] : [], versions: [`${options.mention ? `@${ME.username} ` : ''}${text}`] },
    })
    this.#hand(() => this.#deliver(message))
    return message._id
  }

  #keep(made: Omit<Stored, 'ts'>): Stored {
    this.#newest = Math.max(this.#newest + 1, Date.now())
    const message = { ...made, ts: this.#newest }
    this.#messages.push(message)
    const room = this.#rooms.get(made.rid)
    if (room) room.lm = new Date(message.ts).toISOString()
    return message
  }

  #keepFile(name: string, type: string, bytes: Uint8Array): File {
    const file = { _id: createRandomId(), name, type, bytes }
    this.#files.set(file._id, file)
    return file
  }

  /** Delivers now, twice, or behind the one that comes next. */
  #hand(deliver: () => void): void {
    const [fault, held] = [this.#fault, this.#late]
    if (fault === 'twice' || fault === 'late') this.#fault = undefined
    this.#late = fault === 'late' ? deliver : undefined
    if (fault === 'late') return
    deliver()
    if (fault === 'twice') deliver()
    held?.()
  }

  #deliver(message: Stored): void {
    const room = this.#rooms.get(message.rid)
    const about = { roomParticipant: true, roomType: room?.t, roomName: room?.name }
    const args = [this.#toJson(message, { $date: message.ts }), about]
    this.tell({
      msg: 'changed',
      collection: 'stream-room-messages',
      id: 'id',
      fields: { eventName: '__my_messages__', args },
    })
  }

  #toJson({ versions, files, ts: _ts, ...message }: Stored, ts: unknown): object {
    const list = files.map(({ bytes, ...file }) => ({ ...file, size: bytes.length }))
    return { ...message, ts, msg: versions.at(-1), ...(list.length > 0 && { files: list, file: list[0] }) }
  }

  tell(frame: object): void {
    if (this.#fault === 'silence') return
    for (const socket of this.listeners) socket.send(JSON.stringify(frame))
  }

  // The realtime API

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (request.url !== '/websocket') return void socket.destroy()
    if (this.#fault === 'silence') return
    this.#server.handleUpgrade(request, socket, head, (open) => {
      open.on('close', () => this.listeners.delete(open)).on('error', () => open.terminate())
      open.on('ping', (data) => this.#fault !== 'silence' && open.pong(data))
      open.on('message', (text) => this.#hear(open, JSON.parse(String(text)) as Record<string, unknown>))
    })
  }

  #hear(socket: WebSocket, frame: Record<string, unknown>): void {
    const reply = (body: object) => this.#fault !== 'silence' && socket.send(JSON.stringify(body))
    const { msg, id, method, params } = frame as { msg: string; id: string; method: string; params: unknown[] }
    if (msg === 'connect') return void reply({ msg: 'connected', session: 'session' })
    if (msg === 'sub') {
      this.listeners.add(socket)
      return void reply({ msg: 'ready', subs: [id] })
    }
    if (msg !== 'method') return
    this.calls.push({ method, params })
    if (method !== 'login') return void reply({ msg: 'result', id })
    const { resume } = (params[0] ?? {}) as { resume?: string }
    if (resume === TOKEN && !this.isLoggedOut)
      return void reply({ msg: 'result', id, result: { id: ME._id, token: TOKEN } })
    reply({
      msg: 'result',
      id,
      error: { isClientSafe: true, error: 403, message: "You've been logged out by the server." },
    })
  }

  // REST

  answer(request: ServiceRequest): ServiceAnswer {
    const { method, path, headers } = request
    const call = `${method} ${path.replace('/api/v1', '')}`
    this.requests.push(call)
    if (this.#fault === 'silence') return 'open'
    const planned = this.planned.findIndex((each) => call.startsWith(each.call))
    if (planned >= 0) return this.planned.splice(planned, 1)[0]?.answer ?? 'cut'
    if (headers['x-user-id'] !== ME._id || headers['x-auth-token'] !== TOKEN || this.isLoggedOut) return unauthorized()
    return this.#authorised(call, request)
  }

  #authorised(call: string, request: ServiceRequest): ServiceAnswer {
    const { query } = request
    const body = () => (request.json() ?? {}) as Record<string, unknown>
    const [, verb = '', id = '', more = ''] = /^\w+ \/([\w.-]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(call) ?? []
    if (verb === 'me') return ok({ ...ME, name: 'svc' })
    if (verb === 'rooms.get') return ok({ update: [...this.#rooms.values()], remove: [] })
    if (verb === 'rooms.info') return this.#show('room', this.#rooms.get(query.get('roomId') ?? ''))
    if (verb === 'users.info') return this.#showUser(query.get('userId') ?? '')
    if (verb === 'chat.getMessage') return this.#show('message', this.#find(query.get('msgId')))
    if (/^(channels|groups|im)\.history$/.test(verb)) return this.#list(query)
    if (verb === 'chat.sendMessage') return this.#faulty(() => this.#send(body()))
    if (verb === 'chat.update') return this.#faulty(() => this.#update(body()))
    if (verb === 'chat.react') return this.#react(body())
    if (verb === 'rooms.media') return this.#upload(id, request)
    if (verb === 'rooms.mediaConfirm') return this.#faulty(() => this.#confirm(id, more, body()))
    if (verb === 'file-upload') return this.#download(id)
    return wrong('This endpoint does not exist.', 404)
  }

  #faulty(act: () => ServiceAnswer): ServiceAnswer {
    const fault = this.faults.next()
    const refusal = answerFault(fault)
    if (refusal) return refusal
    const answer = act()
    return fault === 'unanswered' ? 'cut' : answer
  }

  #find(id: unknown): object | undefined {
    const message = this.#messages.find(({ _id }) => _id === id)
    return message && this.#toJson(message, new Date(message.ts).toISOString())
  }

  #show(name: string, found: object | undefined): ServiceAnswer {
    return found ? ok({ [name]: found }) : { status: 400, body: { success: false } }
  }

  #showUser(id: string): ServiceAnswer {
    const user = this.#users.get(id)
    return user ? ok({ user: { _id: id, type: user.type, roles: [user.type] } }) : wrong('User not found.')
  }

  #list(query: URLSearchParams): ServiceAnswer {
    const [oldest, latest] = [Date.parse(query.get('oldest') ?? ''), Date.parse(query.get('latest') ?? '')]
    const here = this.#messages.filter(({ rid, ts }) => rid === query.get('roomId') && ts >= (oldest || 0))
    const found = here.filter(({ ts }) => Number.isNaN(latest) || ts <= latest).reverse()
    return ok({ messages: found.slice(0, Number(query.get('count') ?? 20)).map(({ _id }) => this.#find(_id)) })
  }

  #send({ message, previewUrls }: Record<string, unknown>): ServiceAnswer {
    const { _id = createRandomId(), rid = '', msg = '', tmid } = (message ?? {}) as Partial<Record<string, string>>
    // The server would show what stands at the links of the message.
    if (!Array.isArray(previewUrls) || previewUrls.length > 0) return wrong('This stand-in wants no previews.')
    if (!this.#rooms.has(rid)) return wrong('[error-invalid-room]')
    if (this.#find(_id)) return wrong('Message already exists')
    const problem = this.#findProblem(msg, tmid)
    if (problem) return problem
    return this.#publish({ _id, rid, msg, tmid, files: [] })
  }

  #publish({
    msg,
    tmid,
    ...more
  }: Pick<Stored, '_id' | 'rid' | 'files'> & { msg: string; tmid: string | undefined }): ServiceAnswer {
    const message = this.#keep({ ...more, u: ME, mentions: [], versions: [msg], ...(tmid && { tmid }) })
    this.#deliver(message)
    return ok({ message: this.#find(message._id) })
  }

  #findProblem(msg: string, tmid: string | undefined, isFile = false): ServiceAnswer | undefined {
    if (!msg.trim() && !isFile) return wrong('The message is empty.')
    if (msg.length > MAX_LENGTH) return wrong('[error-message-size-exceeded]')
    if (tmid && !this.#find(tmid)) return wrong('[error-invalid-thread]')
    const bells = /(?<!\w)@(?:all|here)\b/.test(msg.replace(/(`+)[\s\S]*?\1/g, ''))
    return bells ? wrong('This stand-in does not support notifications of all.') : undefined
  }

  #update({ roomId, msgId, text = '', previewUrls }: Record<string, unknown>): ServiceAnswer {
    const message = this.#messages.find(({ _id }) => _id === msgId)
    if (!message || message.rid !== roomId)
      return wrong('The room id provided does not match where the message is from.')
    if (!Array.isArray(previewUrls) || previewUrls.length > 0) return wrong('This stand-in wants no previews.')
    if (message.u._id !== ME._id) return wrong('[error-action-not-allowed]')
    const problem = this.#findProblem(String(text), undefined)
    if (problem) return problem
    message.versions.push(String(text))
    // A change is told with the same id and time.
    this.#deliver(message)
    return ok({ message: this.#find(msgId) })
  }

  #react({ messageId, emoji, shouldReact }: Record<string, unknown>): ServiceAnswer {
    const [id, mark] = [String(messageId), String(emoji)]
    if (!this.#find(id)) return wrong('The provided "messageId" does not match any existing message.')
    if (!EMOJI.includes(mark)) return wrong('[error-not-allowed] Invalid emoji provided.')
    if (shouldReact === true) this.marks.add(id, mark)
    else this.marks.remove(id, mark)
    return ok()
  }

  #upload(rid: string, request: ServiceRequest): ServiceAnswer {
    const [file] = parseForm(request)?.files ?? []
    if (!this.#rooms.has(rid)) return wrong('[error-invalid-room]')
    if (file?.field !== 'file') return wrong("[No file uploaded] 'file' is required")
    const { _id, name } = this.#keepFile(file.name, file.mediaType, file.bytes)
    return ok({ file: { _id, url: `/file-upload/${_id}/${encodeURIComponent(name)}` } })
  }

  #confirm(rid: string, fileId: string, { msg = '', tmid }: Record<string, unknown>): ServiceAnswer {
    const file = this.#files.get(fileId)
    if (!file) return wrong('[error-invalid-file]')
    const thread = tmid === undefined ? undefined : String(tmid)
    const problem = this.#findProblem(String(msg), thread, true)
    if (problem) return problem
    return this.#publish({ _id: createRandomId(), rid, msg: String(msg), tmid: thread, files: [file] })
  }

  #download(id: string): ServiceAnswer {
    const file = this.#files.get(id)
    return file ? { body: file.bytes } : { status: 404, body: 'Not found' }
  }

  // What tests see and do

  deliveries(): readonly StandInDelivery[] {
    const own = this.#messages.filter(({ u }) => u._id === ME._id)
    return own.map(({ _id, rid, tmid, versions, files }) => {
      const raw = versions.at(-1) ?? ''
      const shown = { raw, visible: wordsOfRocketChat(raw), versions, buttons: [], files }
      return { messageId: _id, chatId: rid, ...shown, ...(tmid && { threadId: tmid }) }
    })
  }

  disturb(fault: LineFault): void {
    if (fault !== 'flap') this.#fault = fault
  }

  calm(): void {
    this.#fault = undefined
    this.faults.clear()
    this.planned.length = 0
    this.#late?.()
    this.#late = undefined
  }
}

/** Ids have seventeen letters and digits; a name has always the same. */
function createId(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 17)
}

function createRandomId(): string {
  return randomBytes(9).toString('hex').slice(0, 17)
}
