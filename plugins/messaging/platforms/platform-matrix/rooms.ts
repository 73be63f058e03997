/** The known rooms: whether one is a direct chat, its name, and its messages. */
import { getErrcode, type MatrixApi } from './api.ts'
import { type RoomEvent, readEvent } from './events.ts'

/** Rooms and messages that are remembered; the oldest are asked for again. */
const MAX_KNOWN = 1000

interface Room {
  readonly isDirect: boolean
  readonly name: string | undefined
}

export class Rooms {
  readonly #api: MatrixApi
  readonly #known: Map<string, Promise<Room>> = new Map()
  readonly #said: Map<string, Promise<RoomEvent | undefined>> = new Map()
  #direct: Promise<ReadonlySet<string>> | undefined

  readonly #open: (roomId: string, event: RoomEvent) => Promise<RoomEvent | undefined>

  /** `open` gives an event as it was meant: decrypted, where it is encrypted. */
  constructor(api: MatrixApi, open: (roomId: string, event: RoomEvent) => Promise<RoomEvent | undefined>) {
    this.#api = api
    this.#open = open
  }

  /** Told of state that changed, so that it is asked for again. */
  changed(roomId: string, events: readonly RoomEvent[]): void {
    const types = ['m.room.member', 'm.room.name', 'm.room.canonical_alias']
    if (events.some(({ type, state_key }) => state_key !== undefined && types.includes(type)))
      this.#known.delete(roomId)
  }

  /** Told of the list of direct chats that changed (`m.direct`). */
  directChanged(content: Readonly<Record<string, unknown>>): void {
    this.#direct = Promise.resolve(listDirectRooms(content))
    this.#known.clear()
  }

  /** A room in `m.direct`, or with two people in it, is a direct one. Rejects if that is unknown. */
  look(roomId: string, userId: string): Promise<Room> {
    return getOrFetch(this.#known, roomId, () => this.#ask(roomId, userId))
  }

  /** A message of the room; undefined when it cannot be read. */
  message(roomId: string, eventId: string): Promise<RoomEvent | undefined> {
    const path = `/client/v3/rooms/${encodeURIComponent(roomId)}/event/${encodeURIComponent(eventId)}`
    return getOrFetch(this.#said, `${roomId} ${eventId}`, () =>
      this.#api
        .ask({ path })
        .then((found) => {
          const event = readEvent(found)
          return event && this.#open(roomId, event)
        })
        .catch(() => undefined),
    )
  }

  async #ask(roomId: string, userId: string): Promise<Room> {
    const path = `/client/v3/rooms/${encodeURIComponent(roomId)}`
    this.#direct ??= this.#askDirect(userId)
    const [direct, members, named] = await Promise.all([
      this.#direct,
      this.#members(path),
      this.#api.ask({ path: `${path}/state/m.room.name` }).catch(() => undefined),
    ])
    const name = named?.['name']
    return {
      isDirect: direct.has(roomId) || members === 2,
      name: typeof name === 'string' && name !== '' ? name : undefined,
    }
  }

  /** A room that was left in the meantime has no data: it is not a direct one. */
  async #members(path: string): Promise<number> {
    try {
      const { joined } = await this.#api.ask({ path: `${path}/joined_members` })
      return Object.keys((joined as object | undefined) ?? {}).length
    } catch (error) {
      if (['M_FORBIDDEN', 'M_NOT_FOUND'].includes(getErrcode(error) ?? '')) return 0
      throw error
    }
  }

  /** An account without the list has none. */
  async #askDirect(userId: string): Promise<ReadonlySet<string>> {
    const path = `/client/v3/user/${encodeURIComponent(userId)}/account_data/m.direct`
    return listDirectRooms(await this.#api.ask({ path }).catch(() => ({})))
  }
}

function listDirectRooms(direct: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  return new Set(
    Object.values(direct)
      .flatMap((rooms) => (Array.isArray(rooms) ? rooms : []))
      .map(String),
  )
}

/** Asks once; what failed is forgotten, and so is the oldest of too many. */
function getOrFetch<T>(known: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const before = known.get(key)
  if (before) return before
  const asked = ask()
  known.set(key, asked)
  asked.catch(() => known.delete(key))
  const [oldest] = known.keys()
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
  return asked
}
