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
import { MatrixReactions } from './reactions.ts'
import { type Content, createPress, createRefusal, failure, isOwnJoin, listDeliveries, type RoomEvent } from './wire.ts'

const TOKEN = 'syt_c3Zj_fakeaccesstoken_1'
const SELF = '@svc:example.org'
const EVENT_BYTES = 65_536
const HELD_MS = 30_000
/** The time between two polls in which a client counts as connected. */
const JUST_NOW_MS = 1000

interface Room {
  readonly id: string
  readonly members: Set<string>
  readonly isInvite: boolean
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
  /** At most so many events of a room in one answer to a sync; the rest is a gap. */
  timelineLimit: number
}

export async function openStandIn(): Promise<MatrixStandIn> {
  const homeserver = new Homeserver()
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
  readonly #media: Map<string, { readonly bytes: Buffer; readonly mediaType: string }> = new Map()
  readonly #faults = new SendFaults()
  readonly #reactions = new MatrixReactions()
  readonly #counts: Map<string, number> = new Map()
  readonly #tokens: Set<string> = new Set([TOKEN])
  #waiting: (() => void)[] = []
  #polls = 0
  #polledAt = Number.NEGATIVE_INFINITY
  #line: LineFault | undefined
  #held: RoomEvent | undefined
  #garbled: string | undefined
  #service: StandInServer | undefined
  #count = 0

  async open(): Promise<void> {
    this.#service = await StandInServer.open((request) => this.#answer(request))
  }

  get config(): Readonly<Record<string, unknown>> {
    return { homeserver: this.#url() }
  }

  member({ userId = '@ada:example.org', group }: { userId?: string; group?: string } = {}): StandInMember {
    const others = group === undefined ? [] : ['@bob:example.org']
    const id = group === undefined ? `!dm-${userId.slice(1).replace(':', '-')}:example.org` : `!${group}:example.org`
    const room = this.#rooms.get(id) ?? { id, members: new Set([SELF, userId, ...others]), isInvite: false }
    room.members.add(userId)
    this.#rooms.set(id, room)
    return {
      chatId: id,
      userId,
      say: async (text, options = {}) => this.#say(room, userId, text, options),
      press: async (label) =>
        void this.#happen(room, userId, { type: 'm.reaction', content: createPress(this.deliveries(), id, label) }),
    }
  }

  deliveries(): readonly StandInDelivery[] {
    const own = this.#stream.filter(({ sender, type }) => sender === SELF && type === 'm.room.message')
    return listDeliveries(own, (content) => this.#listFiles(content))
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
    this.#tokens.add(TOKEN)
    this.#release()
    this.#wake()
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
    const last = this.#stream.findLast(({ sender, type }) => sender === SELF && type === 'm.room.message')
    if (!last) throw new Error('Nothing was sent.')
    return last.content
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

  #say(room: Room, userId: string, text: string, options: SayOptions): string {
    const [file] = options.files ?? []
    const relation = options.threadId
      ? { rel_type: 'm.thread', event_id: options.threadId, is_falling_back: options.quote === undefined }
      : {}
    const reply = options.quote ? { 'm.in_reply_to': { event_id: options.quote } } : {}
    const content = {
      'm.mentions': options.mention ? { user_ids: [SELF] } : {},
      ...(file ? this.#keepFile(file, text) : { msgtype: 'm.text', body: text }),
      ...((options.threadId || options.quote) && { 'm.relates_to': { ...relation, ...reply } }),
    }
    const { messageId: id } = options
    return this.#happen(room, userId, { type: 'm.room.message', content, ...(id && { id }) })
  }

  #keepFile({ name, mediaType, bytes }: NonNullable<SayOptions['files']>[number], text: string): Content {
    const id = `media${++this.#count}`
    this.#media.set(id, { bytes: Buffer.from(bytes), mediaType })
    const [kind = ''] = mediaType.split('/')
    return {
      msgtype: ['image', 'audio', 'video'].includes(kind) ? `m.${kind}` : 'm.file',
      body: text || name,
      filename: name,
      url: `mxc://example.org/${id}`,
      info: { mimetype: mediaType, size: bytes.length },
    }
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
    this.#counts.set(verb, (this.#counts.get(verb) ?? 0) + 1)
    if (this.#line === 'silence') await this.#pause()
    if (rest[0] === 'login') return this.#logIn(request)
    if (!this.#tokens.has(request.headers['authorization']?.replace('Bearer ', '') ?? ''))
      return failure(401, 'M_UNKNOWN_TOKEN', 'Unknown token', { soft_logout: true })
    if (this.#garbled !== undefined && rest[0] !== 'sync') return this.#spoilt()
    if (request.path.includes('/media/')) return this.#mediaAnswer(request, rest)
    if (rest[0] === 'sync') return this.#sync(request)
    if (rest[0] === 'join') return this.#room(request, rest[1] ?? '', ['join'])
    if (rest[0] === 'rooms') return this.#room(request, rest[1] ?? '', rest.slice(2))
    return this.#about(rest)
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
    this.#tokens.add(token)
    return { body: { user_id: SELF, access_token: token, device_id: said.device_id ?? 'NEWDEVICE' } }
  }

  #about([what, , more]: readonly string[]): ServiceAnswer {
    if (what === 'account') return { body: { user_id: SELF, device_id: 'SVCDEVICE' } }
    if (what === 'profile' && more === 'displayname') return { body: { displayname: 'Svc Agent' } }
    return failure(404, 'M_NOT_FOUND', 'Not found')
  }

  #mediaAnswer(request: ServiceRequest, rest: readonly string[]): ServiceAnswer {
    if (rest[0] === 'upload') {
      const id = `media${++this.#count}`
      const mediaType = request.headers['content-type'] ?? ''
      this.#media.set(id, { bytes: request.body, mediaType })
      return { body: { content_uri: `mxc://example.org/${id}` } }
    }
    const file = this.#media.get(rest.at(-1) ?? '')
    if (!file || !request.path.includes('/client/v1/')) return failure(404, 'M_NOT_FOUND', 'Media not found')
    return { headers: { 'content-type': file.mediaType }, body: file.bytes }
  }

  async #sync({ query, response }: ServiceRequest): Promise<ServiceAnswer> {
    const since = query.get('since')
    const from = since === null ? 0 : Number(/^s(\d+)$/.exec(since)?.[1] ?? Number.NaN)
    if (Number.isNaN(from)) return failure(400, 'M_INVALID_PARAM', 'Invalid stream token')
    if (from >= this.#stream.length && query.get('timeout') !== '0') {
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
    return { body: this.#happened(from) }
  }

  #happened(from: number): object {
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
    return { next_batch: `s${this.#stream.length}`, rooms: { join, invite } }
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

  #room(request: ServiceRequest, roomId: string, [what = '', ...rest]: readonly string[]): ServiceAnswer {
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
    return failure(404, 'M_NOT_FOUND', 'No such state')
  }

  #join(room: Room): ServiceAnswer {
    room.members.add(SELF)
    this.#happen(room, SELF, { type: 'm.room.member', content: { membership: 'join' }, stateKey: SELF })
    return { body: { room_id: room.id } }
  }

  #messages(room: Room, query: URLSearchParams): ServiceAnswer {
    const from = Number((query.get('from') ?? '').slice(1))
    const to = Number((query.get('to') ?? 's0').slice(1))
    const limit = Number(query.get('limit') ?? '10')
    const all = this.#stream.map((event, at) => ({ event, at })).slice(to, from)
    const own = all.filter(({ event }) => event.room_id === room.id).reverse()
    const shown = own.slice(0, limit)
    const last = shown.at(-1)
    const chunk = shown.map(({ event }) => event)
    return { body: { chunk, start: query.get('from'), ...(last && own.length > limit && { end: `t${last.at}` }) } }
  }

  #send(room: Room, request: ServiceRequest, [type = '', transaction = '']: readonly string[]): ServiceAnswer {
    const key = `${room.id} ${transaction} ${request.headers['authorization']}`
    const before = this.#transactions.get(key)
    if (before) return { body: { event_id: before } }
    if (type === 'm.reaction') return this.#react(room, key, request.json() as Content | undefined)
    const fault = this.#faults.next()
    const refusal = fault && createRefusal(fault)
    if (refusal) return refusal
    if (request.body.length > EVENT_BYTES) return failure(413, 'M_TOO_LARGE', 'event too large')
    const content = request.json() as Content | undefined
    if (typeof content?.['body'] !== 'string' || typeof content['msgtype'] !== 'string')
      return failure(400, 'M_BAD_JSON', 'body and msgtype are required')
    const id = this.#happen(room, SELF, { type: 'm.room.message', content })
    this.#transactions.set(key, id)
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

  #listFiles(content: Content): StandInDelivery['files'] {
    const file = this.#media.get(String(content['url'] ?? '').replace('mxc://example.org/', ''))
    return file ? [{ name: String(content['filename'] ?? content['body']), bytes: file.bytes }] : []
  }
}
