/** Reads events: the long poll of `/sync`, with a token that marks everything read before. */
import type { Clock, Logger } from 'svc/sdk'
import { classifyDeliveryError, type GatewayConnection, retryUntilTaken } from 'svc/sdk/platform'
import type { Self } from './account.ts'
import { getErrcode, type MatrixApi } from './api.ts'
import type { Device } from './encryption/device.ts'
import { dropBeforeInvitation, type JoinedRoom, type RoomEvent, readPage, readSync, type Sync } from './events.ts'
import { toInbound } from './inbound.ts'
import type { Rooms } from './rooms.ts'
import type { Unsealing } from './unsealing.ts'
import type { Upkeep } from './upkeep.ts'

/** How long the server holds a request when nothing happens. */
const POLL_MS = 30_000
const ANSWER_MS = 20_000
const AGAIN_MS = 1000
/** Pages of 100 that are read back when more was said than one answer holds. */
const MAX_PAGES = 10
/** The token of the last sync is not one of this server's. */
const LOST_PLACE = ['M_INVALID_PARAM', 'M_UNKNOWN_POS']

const NOTHING = { types: [] }
const STATE = {
  lazy_load_members: true,
  types: [
    'm.room.member',
    'm.room.name',
    'm.room.canonical_alias',
    'm.room.tombstone',
    'm.room.encryption',
    'm.room.history_visibility',
  ],
}
const filter = (limit: number) =>
  JSON.stringify({
    presence: NOTHING,
    account_data: { types: ['m.direct'] },
    room: { timeline: { limit }, state: STATE, ephemeral: NOTHING, account_data: NOTHING },
  })

/** What reading needs. */
export interface Reading {
  readonly api: MatrixApi
  readonly self: Self
  readonly rooms: Rooms
  /** Whether a message to the agent begins a thread in the room. */
  beginsThread(roomId: string): boolean
  readonly upkeep: Upkeep
  readonly unsealing: Unsealing
  /** Undefined when encryption is off. */
  readonly device: Device | undefined
  readonly link: GatewayConnection
  readonly clock: Clock
  readonly log: Logger
  /** Ends with the connection. */
  readonly signal: AbortSignal
  /** Whether to follow an invitation of this user. */
  mayInvite(userId: string): boolean
  /** All up to here is safe. */
  keep(since: string): void
  /** All messages of a room up to this one were taken. */
  taken(roomId: string, eventId: string): void
}

/** One reader for one connection. */
export class Reader {
  readonly #reading: Reading

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** Where reading begins when it has never begun: after everything that was said until now. */
  async begin(): Promise<string> {
    const { keep, link } = this.#reading
    const sync = await this.#sync({ filter: filter(1), timeout: '0' })
    link.alive()
    this.#note(sync)
    await this.#takeKeys(sync)
    await this.#joinAll(sync)
    keep(sync.next_batch)
    return sync.next_batch
  }

  /** Reads on until the connection ends; rejects when it broke. */
  async follow(from: string): Promise<void> {
    const { signal, link } = this.#reading
    for (let since = from; !signal.aborted; ) {
      try {
        const sync = await this.#sync({ filter: filter(100), timeout: String(POLL_MS), since })
        link.alive()
        await this.#take(sync, since)
        since = sync.next_batch
      } catch (error) {
        if (!signal.aborted) since = await this.#goOn(error, since)
      }
    }
  }

  /** Where to read on after a failure that reading survives; throws the others. */
  async #goOn(error: unknown, since: string): Promise<string> {
    const { signal, clock, log } = this.#reading
    const errcode = getErrcode(error) ?? ''
    if (LOST_PLACE.includes(errcode)) {
      log.warn('the homeserver does not know any more where reading had come to; it begins with what comes next')
      return this.begin()
    }
    if (errcode !== 'M_LIMIT_EXCEEDED') throw error
    await clock.sleep(classifyDeliveryError(error).retryAfterMs ?? AGAIN_MS, signal).catch(() => undefined)
    return since
  }

  async #sync(query: Record<string, string>): Promise<Sync> {
    const { api, signal } = this.#reading
    const path = '/client/v3/sync'
    const answer = await api.ask({ path, query, signal, timeoutMs: Number(query['timeout']) + ANSWER_MS })
    const sync = readSync(answer)
    if (!sync) throw new Error('The homeserver answered a sync with something else than its specification says.')
    return sync
  }

  /** Once it resolves, everything is safe. After a failure the answer is asked for again; the gateway knows what it has. */
  async #take(sync: Sync, since: string): Promise<void> {
    this.#note(sync)
    await this.#takeKeys(sync)
    for (const [roomId, room] of Object.entries(sync.rooms.join)) await this.#takeRoom(roomId, room, since)
    await this.#joinAll(sync)
    this.#reading.keep(sync.next_batch)
  }

  /** Keys come before the messages that they are for. */
  async #takeKeys(sync: Sync): Promise<void> {
    const { device, unsealing } = this.#reading
    if (!device) return
    await device.receive(sync)
    if (sync.to_device.events.length > 0) await unsealing.takeWaiting((roomId, event) => this.#hand(roomId, event))
    await unsealing.giveUp()
  }

  /** Gives an event to the gateway, if it is a message; its id. */
  async #hand(roomId: string, event: RoomEvent): Promise<string | undefined> {
    const { self, rooms, link, beginsThread } = this.#reading
    const message = await toInbound(roomId, event, { self, rooms, beginsThread })
    if (!message) return undefined
    await retryUntilTaken(() => link.receive(message), this.#reading)
    return message.messageId
  }

  async #takeRoom(roomId: string, room: JoinedRoom, since: string): Promise<void> {
    const { self, taken, upkeep, unsealing } = this.#reading
    const missed = await this.#missed(roomId, room, since)
    let newest: string | undefined
    for (const event of room.state.events) await unsealing.open(roomId, event)
    for (const each of dropBeforeInvitation([...missed, ...room.timeline.events], self.userId)) {
      const event = await unsealing.open(roomId, each)
      newest = (event && (await this.#hand(roomId, event))) ?? newest
    }
    if (newest !== undefined) taken(roomId, newest)
    const tombstone = [...room.state.events, ...room.timeline.events].findLast(isTombstone)
    if (tombstone) await upkeep.upgraded(roomId, tombstone)
  }

  /** What was said between the last answer and this one, when that left some out; oldest first. */
  async #missed(roomId: string, { timeline }: JoinedRoom, since: string): Promise<readonly RoomEvent[]> {
    const { api, self, log, signal } = this.#reading
    if (!timeline.limited || !timeline.prev_batch || isArrival(timeline.events, self.userId)) return []
    const path = `/client/v3/rooms/${encodeURIComponent(roomId)}/messages`
    const found: RoomEvent[] = []
    let from: string | undefined = timeline.prev_batch
    for (let page = 0; from && page < MAX_PAGES; page++) {
      const answer = await api.ask({ path, query: { dir: 'b', from, to: since, limit: '100' }, signal })
      const { chunk, end } = readPage(answer)
      found.push(...chunk)
      if (chunk.length === 0 || isArrival(chunk, self.userId)) return found.reverse()
      from = end
    }
    if (from) log.warn('more was said in a room than is read back', { room: roomId, messages: found.length })
    return found.reverse()
  }

  #note(sync: Sync): void {
    const { rooms, device } = this.#reading
    for (const { type, content } of sync.account_data.events) if (type === 'm.direct') rooms.directChanged(content)
    for (const [roomId, room] of Object.entries(sync.rooms.join)) {
      const events = [...room.state.events, ...room.timeline.events]
      rooms.changed(roomId, events)
      device?.members.noted(roomId, events, room.timeline.limited)
    }
  }

  async #joinAll(sync: Sync): Promise<void> {
    const { self, mayInvite, api, log } = this.#reading
    for (const [roomId, { invite_state }] of Object.entries(sync.rooms.invite)) {
      const invite = invite_state.events.find(
        ({ type, state_key }) => type === 'm.room.member' && state_key === self.userId,
      )
      if (!invite || !mayInvite(invite.sender)) continue
      const path = `/client/v3/rooms/${encodeURIComponent(roomId)}/join`
      await api.ask({ method: 'POST', path, body: {} }).catch((error) => {
        log.warn('an invitation could not be followed', { room: roomId, error })
      })
    }
  }
}

/** Whether the agent joined the room here: earlier messages were for others. */
function isArrival(events: readonly RoomEvent[], userId: string): boolean {
  return events.some(
    ({ type, state_key, content, unsigned }) =>
      type === 'm.room.member' &&
      state_key === userId &&
      content['membership'] === 'join' &&
      unsigned?.prev_content?.['membership'] !== 'join',
  )
}

function isTombstone({ type, state_key }: RoomEvent): boolean {
  return type === 'm.room.tombstone' && state_key === ''
}
