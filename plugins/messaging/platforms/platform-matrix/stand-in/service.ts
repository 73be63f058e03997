/**
 * Stands in for a homeserver of Matrix, as its client-server API says (https://spec.matrix.org/latest/client-server-api/):
 * login, sync with tokens, rooms, messages with transaction ids, relations, media. Its time is the order of events.
 */
import {
  LINE_FAULTS,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { type DeviceId, KeyServer } from './keys.ts'
import { Media } from './media.ts'
import { People } from './people.ts'
import { MatrixReactions } from './reactions.ts'
import {
  type Content,
  createPress,
  createRefusal,
  explainWrong,
  failure,
  isOwnJoin,
  listDeliveries,
  type RoomEvent,
  toMember,
} from './wire.ts'

const TOKEN = 'syt_c3Zj_fakeaccesstoken_1'
const SELF = '@svc:example.org'
const EVENT_BYTES = 65_536
const MEGOLM: Content = { algorithm: 'm.megolm.v1.aes-sha2' }
const HELD_MS = 30_000
/** The time between two polls in which a client counts as connected. */
const JUST_NOW_MS = 1000

interface Room {
  readonly id: string
  readonly members: Set<string>
  readonly isInvite: boolean
  /** The content of `m.room.encryption`. */
  encryption?: Content
}

/** A homeserver with the account `@svc:example.org`, plus what tests of Matrix itself need. */
export interface MatrixStandIn extends StandInService {
  /** Adds any event to a room; its id. */
  event(room: StandInMember, type: string, content: Content, stateKey?: string): string
  /** Invites the account to a new room; its id. */
  invite(userId: string): string
  /** A new room in which only this user is so far; its id. */
  successor(userId: string): string
  /** Whether the account is in the room. */
  isIn(roomId: string): boolean
  /** The content of what the account sent last. */
  lastContent(): Content
  /** Ends sessions while accounts stay: `soft_logout`. */
  endSession(): void
  /** The next answer to any request is this text with HTTP 200. */
  garble(text: string): void
  /** How often each path was asked, without ids. */
  asked(path: string): number
  /** The keys of devices. */
  readonly keys: KeyServer
  /** The clients of people in encrypted rooms. */
  readonly people: People
  /** Requests like `keys/upload` are done, and their next answers are cut off. */
  loseAnswers(path: string, count: number): void
  /** Turns encryption on in a room. */
  encrypt(room: StandInMember, settings?: Content): void
  /** The state of a room does not say any more that it is encrypted: a homeserver that lies. */
  hideEncryption(room: StandInMember): void
  /** Someone joins a room. */
  join(room: StandInMember, userId: string): void
  /** Lets held messages to devices go. */
  releaseKeys(): void
  /** The types of the events that the account sent to rooms. */
  sentTypes(): readonly string[]
  /** The events themselves, as the homeserver has them. */
  sentEvents(): readonly Content[]
  /** Someone leaves a room. */
  leave(room: StandInMember, userId: string): void
  /** Sends the last event of a room again, under another id. */
  repeatLast(room: StandInMember): void
  readonly media: Media
  /** Account data of the account, by type. */
  readonly accountData: Map<string, Content>
  /** At most so many events of a room in one answer to a sync; the rest is a gap. */
  timelineLimit: number
}

/** With `isEncrypted` every room is, and people have clients that can read it. */
export async function openStandIn({ isEncrypted = false } = {}): Promise<MatrixStandIn> {
  const homeserver = new Homeserver(isEncrypted)
  await homeserver.open()
  return homeserver
}

class Homeserver implements MatrixStandIn {
  readonly name = 'matrix'
  readonly document = 'https://spec.matrix.org/latest/client-server-api/'
  readonly sendFaults = SEND_FAULTS
  readonly lineFaults = LINE_FAULTS
  readonly env = { MATRIX_ACCESS_TOKEN: TOKEN, MATRIX_ALLOW_ALL_USERS: 'true' }
  timelineLimit = 100
  readonly #rooms: Map<string, Room> = new Map()
  /** Everything that happened, in the order in which syncs tell it. */
  readonly #stream: RoomEvent[] = []
  readonly #transactions: Map<string, string> = new Map()
  readonly media = new Media()
  readonly accountData: Map<string, Content> = new Map()
  readonly #faults = new SendFaults()
  readonly #reactions = new MatrixReactions()
  readonly #counts: Map<string, number> = new Map()
  /** Tokens, and their devices. */
  readonly #tokens: Map<string, string> = new Map([[TOKEN, 'SVCDEVICE']])
  readonly keys = new KeyServer()
  readonly people = new People(this.keys)
  readonly #isEncrypted: boolean
  #waiting: (() => void)[] = []
  #polls = 0
  #polledAt = Number.NEGATIVE_INFINITY
  #line: LineFault | undefined
  #held: RoomEvent | undefined
  #garbled: string | undefined
  #service: StandInServer | undefined
  #count = 0
  readonly #lost: Map<string, number> = new Map()

  constructor(isEncrypted: boolean) {
    this.#isEncrypted = isEncrypted
    this.keys.onNews = () => this.#wake()
  }

  async open(): Promise<void> {
    this.#service = await StandInServer.open((request) => this.#answer(request))
  }

  get config(): Readonly<Record<string, unknown>> {
    return { homeserver: this.#url(), ...(this.#isEncrypted && { encryption: 'optional' }) }
  }

  member({ userId = '@ada:example.org', group }: { userId?: string; group?: string } = {}): StandInMember {
    const others = group === undefined ? [] : ['@bob:example.org']
    const id = group === undefined ? `!dm-${userId.slice(1).replace(':', '-')}:example.org` : `!${group}:example.org`
    const room = this.#rooms.get(id) ?? { id, members: new Set([SELF, userId, ...others]), isInvite: false }
    room.members.add(userId)
    this.#rooms.set(id, room)
    if (this.#isEncrypted) {
      room.encryption ??= MEGOLM
      void this.people.device(userId)
    }
    return {
      chatId: id,
      userId,
      say: async (text, options = {}) => this.#say(room, userId, text, options),
      press: async (label) =>
        void this.#happen(room, userId, { type: 'm.reaction', content: createPress(this.deliveries(), id, label) }),
    }
  }

  deliveries(): readonly StandInDelivery[] {
    const own = this.#stream
      .filter(({ sender, type }) => sender === SELF && /^m\.room\.(?:message|encrypted)$/.test(type))
      .map((event) => ({ ...event, content: this.people.read.get(event.event_id) ?? event.content }))
    return listDeliveries(own, (content) => this.media.list(content))
  }

  reactions = () => this.#reactions.marks.log
  connected(): boolean {
    return this.#polls > 0 || performance.now() - this.#polledAt < JUST_NOW_MS
  }

  failSends: StandInService['failSends'] = (fault, count) => this.#faults.add(fault, count)

  disturb(fault: LineFault): void {
    this.#line = fault
    if (fault === 'flap') {
      this.#line = undefined
      this.#service?.cut()
    }
    if (fault === 'logout') this.#tokens.clear()
    if (fault !== 'silence') this.#wake()
  }

  calm(): void {
    this.#line = undefined
    this.#faults.clear()
    this.#tokens.set(TOKEN, 'SVCDEVICE')
    this.#release()
    this.#wake()
  }

  encrypt(room: StandInMember, settings: Content = MEGOLM): void {
    const own = this.#rooms.get(room.chatId)
    if (own) own.encryption = settings
    this.event(room, 'm.room.encryption', settings, '')
  }

  loseAnswers(path: string, count: number): void {
    this.#lost.set(path, count)
  }

  hideEncryption(room: StandInMember): void {
    delete this.#rooms.get(room.chatId)?.encryption
  }

  join(room: StandInMember, userId: string): void {
    this.#rooms.get(room.chatId)?.members.add(userId)
    this.event({ ...room, userId }, 'm.room.member', { membership: 'join' }, userId)
  }

  leave(room: StandInMember, userId: string): void {
    this.#rooms.get(room.chatId)?.members.delete(userId)
    this.event({ ...room, userId }, 'm.room.member', { membership: 'leave' }, userId)
  }

  repeatLast(room: StandInMember): void {
    const last = this.#stream.findLast(({ room_id }) => room_id === room.chatId)
    if (last) this.event({ ...room, userId: last.sender }, last.type, last.content)
  }

  releaseKeys(): void {
    this.keys.isHeld = false
    this.#wake()
    void this.people.readLate()
  }

  sentTypes(): readonly string[] {
    return this.sentEvents().map(({ type }) => String(type))
  }

  sentEvents(): readonly Content[] {
    return this.#stream
      .filter(({ sender, type }) => sender === SELF && type !== 'm.reaction')
      .map((event) => ({ ...event }))
  }

  event(room: StandInMember, type: string, content: Content, stateKey?: string): string {
    const own = this.#rooms.get(room.chatId)
    if (!own) throw new Error(`There is no room ${room.chatId}.`)
    return this.#happen(own, room.userId, { type, content, ...(stateKey !== undefined && { stateKey }) })
  }

  invite(userId: string): string {
    const id = `!invited-${++this.#count}:example.org`
    const room = { id, members: new Set([userId]), isInvite: true }
    this.#rooms.set(id, room)
    this.#happen(room, userId, {
      type: 'm.room.message',
      content: { msgtype: 'm.text', body: 'before the agent came' },
    })
    this.#happen(room, userId, { type: 'm.room.member', content: { membership: 'invite' }, stateKey: SELF })
    return id
  }

  successor(userId: string): string {
    const room = { id: `!successor-${++this.#count}:example.org`, members: new Set([userId]), isInvite: false }
    return this.#rooms.set(room.id, room) && room.id
  }

  isIn(roomId: string): boolean {
    return this.#rooms.get(roomId)?.members.has(SELF) ?? false
  }

  lastContent(): Content {
    const types = ['m.room.message', 'm.room.encrypted']
    const last = this.#stream.findLast(({ sender, type }) => sender === SELF && types.includes(type))
    if (!last) throw new Error('Nothing was sent.')
    return this.people.read.get(last.event_id) ?? last.content
  }

  endSession(): void {
    this.#tokens.clear()
    this.#wake()
  }

  garble(text: string): void {
    this.#garbled = text
    this.#wake()
  }

  asked(path: string): number {
    return this.#counts.get(path) ?? 0
  }

  async close(): Promise<void> {
    this.#wake()
    await this.#service?.close()
  }

  #url(): string {
    return this.#service?.url ?? ''
  }

  async #say(room: Room, userId: string, text: string, options: SayOptions): Promise<string> {
    const [file] = options.files ?? []
    const relation = options.threadId
      ? { rel_type: 'm.thread', event_id: options.threadId, is_falling_back: options.quote === undefined }
      : {}
    const reply = options.quote ? { 'm.in_reply_to': { event_id: options.quote } } : {}
    const content = {
      'm.mentions': options.mention ? { user_ids: [SELF] } : {},
      ...(file ? this.media.message(file, text, room.encryption !== undefined) : { msgtype: 'm.text', body: text }),
      ...((options.threadId || options.quote) && { 'm.relates_to': { ...relation, ...reply } }),
    }
    const { messageId: id } = options
    const type = 'm.room.message'
    if (!room.encryption) return this.#happen(room, userId, { type, content, ...(id && { id }) })
    const device = await this.people.device(userId)
    const encrypted = await device.encrypt(room.id, [...room.members], { type, content })
    return this.#happen(room, userId, { type: 'm.room.encrypted', content: encrypted, ...(id && { id }) })
  }

  #happen(
    room: Room,
    sender: string,
    what: { readonly type: string; readonly content: Content; readonly stateKey?: string; readonly id?: string },
  ): string {
    const event: RoomEvent = {
      type: what.type,
      event_id: what.id ?? `$event-${++this.#count}`,
      room_id: room.id,
      sender,
      ...(what.stateKey !== undefined && { state_key: what.stateKey }),
      origin_server_ts: Date.now(),
      content: what.content,
    }
    if (sender !== SELF && this.#line === 'late' && !this.#held) this.#held = event
    else this.#deliver(event)
    return event.event_id
  }

  #deliver(event: RoomEvent): void {
    this.#stream.push(event)
    if (event.sender !== SELF) {
      if (this.#line === 'twice') this.#stream.push(event)
      this.#release()
      if (this.#line === 'twice' || this.#line === 'late') this.#line = undefined
    }
    if (this.#line !== 'silence') this.#wake()
  }

  #release(): void {
    if (this.#held) this.#stream.push(this.#held)
    this.#held = undefined
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }

  async #answer(request: ServiceRequest): Promise<ServiceAnswer> {
    const parts = request.path.split('/').map(decodeURIComponent)
    const [, , api = '', , ...rest] = parts
    const verb = [api, ...rest.filter((part) => !/^[!$@]|^media\d/.test(part))].join('/')
    const token = request.headers['authorization']?.replace('Bearer ', '') ?? ''
    this.#counts.set(verb, (this.#counts.get(verb) ?? 0) + 1)
    if (this.#line === 'silence') await this.#pause()
    if (rest[0] === 'login') return this.#logIn(request)
    const deviceId = this.#tokens.get(token)
    if (deviceId === undefined) return failure(401, 'M_UNKNOWN_TOKEN', 'Unknown token', { soft_logout: true })
    if (this.#garbled !== undefined && rest[0] !== 'sync') return this.#spoilt()
    if (request.path.includes('/media/')) return this.media.answer(request, rest)
    if (rest[0] === 'sync') return this.#sync(request, { userId: SELF, deviceId })
    if (rest[0] === 'keys' || rest[0] === 'sendToDevice')
      return this.#exchange(request, rest, { userId: SELF, deviceId })
    if (rest[0] === 'join') return this.#room(request, rest[1] ?? '', ['join'])
    if (rest[0] === 'rooms') return this.#room(request, rest[1] ?? '', rest.slice(2))
    return this.#about(rest, deviceId)
  }

  #exchange(request: ServiceRequest, path: readonly string[], from: DeviceId): ServiceAnswer {
    const answer = this.keys.answer(from, path, (request.json() ?? {}) as Content)
    const name = path.slice(0, 2).join('/')
    const lost = this.#lost.get(name) ?? 0
    this.#lost.set(name, Math.max(0, lost - 1))
    return lost > 0 ? 'cut' : answer
  }

  #spoilt(): ServiceAnswer {
    const body = this.#garbled
    this.#garbled = undefined
    return { body }
  }

  #logIn(request: ServiceRequest): ServiceAnswer {
    const said = request.json() as { type?: string; password?: string; device_id?: string } | undefined
    if (said?.type !== 'm.login.password') return failure(400, 'M_UNKNOWN', 'Unknown login type')
    if (said.password !== 'correct horse') return failure(403, 'M_FORBIDDEN', 'Invalid username or password')
    const token = `syt_login_${++this.#count}`
    const deviceId = said.device_id ?? `NEWDEVICE${this.#count}`
    this.#tokens.set(token, deviceId)
    return { body: { user_id: SELF, access_token: token, device_id: deviceId } }
  }

  #about([what, , more, type]: readonly string[], deviceId: string): ServiceAnswer {
    if (what === 'account') return { body: { user_id: SELF, device_id: deviceId } }
    if (what === 'profile' && more === 'displayname') return { body: { displayname: 'Svc Agent' } }
    if (more === 'account_data' && type !== undefined && this.accountData.has(type))
      return { body: this.accountData.get(type) }
    return failure(404, 'M_NOT_FOUND', 'Not found')
  }

  async #sync({ query, response }: ServiceRequest, device: DeviceId): Promise<ServiceAnswer> {
    const since = query.get('since')
    const [, stream, keys = '0'] = /^s(\d+)(?:_k(\d+))?$/.exec(since ?? 's0') ?? []
    if (stream === undefined) return failure(400, 'M_INVALID_PARAM', 'Invalid stream token')
    const from = Number(stream)
    const seen = Number(keys)
    if (from >= this.#stream.length && !this.keys.hasNews(device, seen) && query.get('timeout') !== '0') {
      this.#polls++
      response.on('close', () => {
        this.#polls--
        this.#polledAt = response.writableFinished ? performance.now() : Number.NEGATIVE_INFINITY
      })
      await this.#pause()
    }
    if (this.#line === 'logout' || this.#tokens.size === 0)
      return failure(401, 'M_UNKNOWN_TOKEN', 'Unknown token', { soft_logout: false })
    if (this.#garbled !== undefined) return this.#spoilt()
    return { body: this.#happened(from, device, seen) }
  }

  #happened(from: number, device: DeviceId, seen: number): object {
    const join: Record<string, object> = {}
    const invite: Record<string, object> = {}
    for (const room of this.#rooms.values()) {
      const events = this.#stream.slice(from).filter(({ room_id }) => room_id === room.id)
      if (!room.members.has(SELF)) {
        const invitation = events.filter(({ state_key }) => state_key === SELF)
        if (invitation.length > 0) invite[room.id] = { invite_state: { events: invitation } }
        continue
      }
      if (events.length === 0) continue
      const came = room.isInvite ? this.#stream.filter(({ room_id }) => room_id === room.id) : events
      const shown = (events.some((event) => isOwnJoin(event, SELF)) ? came : events).slice(-this.timelineLimit)
      const limited = shown.length < events.length
      const first = shown[0] ? this.#stream.indexOf(shown[0]) : from
      join[room.id] = { timeline: { events: shown, limited, prev_batch: `t${first}` }, state: { events: [] } }
    }
    const keys = this.keys.sync(device, seen)
    const at = this.keys.isHeld ? seen : this.keys.at
    return { next_batch: `s${this.#stream.length}_k${at}`, rooms: { join, invite }, ...keys }
  }

  /** A request that is held is answered at last, as servers do. */
  #pause(): Promise<void> {
    return new Promise((go) => {
      const timer = setTimeout(go, HELD_MS)
      timer.unref()
      this.#waiting.push(() => {
        clearTimeout(timer)
        go()
      })
    })
  }

  async #room(
    request: ServiceRequest,
    roomId: string,
    [what = '', ...rest]: readonly string[],
  ): Promise<ServiceAnswer> {
    const room = this.#rooms.get(roomId)
    if (!room) return failure(404, 'M_NOT_FOUND', 'Unknown room')
    if (what === 'join') return this.#join(room)
    if (!room.members.has(SELF)) return failure(403, 'M_FORBIDDEN', 'You are not in this room')
    if (what === 'send') return this.#send(room, request, rest)
    if (what === 'redact') return this.#reactions.redact(rest[0] ?? '')
    if (what === 'joined_members')
      return { body: { joined: Object.fromEntries([...room.members].map((id) => [id, { display_name: id }])) } }
    if (what === 'messages') return this.#messages(room, request.query)
    if (what === 'event') {
      const event = this.#stream.find(({ event_id }) => event_id === rest[0])
      return event ? { body: event } : failure(404, 'M_NOT_FOUND', 'Event not found')
    }
    if (what === 'typing' || what === 'receipt') return { body: {} }
    return this.#state(room, what, rest[0])
  }

  #state(room: Room, what: string, type: string | undefined): ServiceAnswer {
    if (what === 'members') return { body: { chunk: [...room.members].map((id) => toMember(room.id, id)) } }
    if (what === 'state' && type === 'm.room.encryption' && room.encryption) return { body: room.encryption }
    return failure(404, 'M_NOT_FOUND', 'No such state')
  }

  #join(room: Room): ServiceAnswer {
    room.members.add(SELF)
    this.#happen(room, SELF, { type: 'm.room.member', content: { membership: 'join' }, stateKey: SELF })
    return { body: { room_id: room.id } }
  }

  #messages(room: Room, query: URLSearchParams): ServiceAnswer {
    const from = Number((query.get('from') ?? '').slice(1))
    const to = Number.parseInt((query.get('to') ?? 's0').slice(1), 10)
    const limit = Number(query.get('limit') ?? '10')
    const all = this.#stream.map((event, at) => ({ event, at })).slice(to, from)
    const own = all.filter(({ event }) => event.room_id === room.id).reverse()
    const shown = own.slice(0, limit)
    const last = shown.at(-1)
    const chunk = shown.map(({ event }) => event)
    return { body: { chunk, start: query.get('from'), ...(last && own.length > limit && { end: `t${last.at}` }) } }
  }

  async #send(
    room: Room,
    request: ServiceRequest,
    [type = '', transaction = '']: readonly string[],
  ): Promise<ServiceAnswer> {
    const key = `${room.id} ${transaction} ${request.headers['authorization']}`
    const before = this.#transactions.get(key)
    if (before) return { body: { event_id: before } }
    if (type === 'm.reaction') return this.#react(room, key, request.json() as Content | undefined)
    const fault = this.#faults.next()
    const refusal = fault && createRefusal(fault)
    if (refusal) return refusal
    if (request.body.length > EVENT_BYTES) return failure(413, 'M_TOO_LARGE', 'event too large')
    const content = request.json() as Content | undefined
    const wrong = content ? explainWrong(type, content) : 'no content'
    if (wrong !== undefined || !content) return failure(400, 'M_BAD_JSON', wrong ?? '')
    const id = this.#happen(room, SELF, { type, content })
    this.#transactions.set(key, id)
    const event = this.#stream.find(({ event_id }) => event_id === id)
    if (type === 'm.room.encrypted' && event) await this.people.readBy([...room.members], { ...event }, room.id)
    return fault === 'unanswered' ? 'cut' : { body: { event_id: id } }
  }

  #react(room: Room, key: string, content: Content | undefined): ServiceAnswer {
    const wrong = this.#reactions.wrong(content, (id) => this.#stream.some(({ event_id }) => event_id === id))
    if (wrong || !content) return wrong ?? 'cut'
    const id = this.#happen(room, SELF, { type: 'm.reaction', content })
    this.#reactions.add(id, content)
    this.#transactions.set(key, id)
    return { body: { event_id: id } }
  }
}
