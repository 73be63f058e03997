/**
 * Which rooms are encrypted. A room that once was stays so, whatever the homeserver says later: it could otherwise have what is written there
 * sent in clear. Rooms are remembered over restarts.
 */
import { type Logger, tryParseJson } from 'svc/sdk'
import type { ReadCursor } from 'svc/sdk/platform'
import { z } from 'zod'
import { getErrcode, type MatrixApi } from '../api.ts'
import type { RoomEvent } from '../events.ts'
import { roomPath } from '../room-path.ts'

const MAX_ROOMS = 10_000

/** The content of `m.room.encryption`. */
const settings = z.object({
  algorithm: z.string().catch(''),
  rotation_period_ms: z.number().int().positive().optional().catch(undefined),
  rotation_period_msgs: z.number().int().positive().optional().catch(undefined),
})
export type RoomSettings = z.infer<typeof settings>

const remembered = z.record(z.string(), settings).catch({})

export class RoomEncryption {
  readonly #api: MatrixApi
  readonly #cursor: ReadCursor
  readonly #log: Logger
  readonly #rooms: Map<string, RoomSettings>
  /** Rooms that were asked about in this connection, and are not encrypted. */
  readonly #plain: Set<string> = new Set()

  constructor(api: MatrixApi, cursor: ReadCursor, log: Logger) {
    this.#api = api
    this.#cursor = cursor
    this.#log = log
    this.#rooms = new Map(Object.entries(remembered.parse(tryParseJson(cursor.get() ?? '')?.value)))
  }

  /** Told of an event of a room; whether it says that the room is encrypted from now on. */
  noted(roomId: string, { type, state_key, content }: RoomEvent): boolean {
    if (type !== 'm.room.encryption' || state_key !== '') return false
    this.#keep(roomId, settings.parse(content))
    return true
  }

  /** Undefined for a room that is not encrypted. Rejects if the homeserver does not say. */
  async look(roomId: string): Promise<RoomSettings | undefined> {
    const known = this.#rooms.get(roomId)
    if (known || this.#plain.has(roomId)) return known
    try {
      const found = settings.parse(await this.#api.ask({ path: `${roomPath(roomId)}/state/m.room.encryption` }))
      this.#keep(roomId, found)
    } catch (error) {
      if (getErrcode(error) !== 'M_NOT_FOUND') throw error
      if (!this.#rooms.has(roomId)) this.#plain.add(roomId)
    }
    return this.#rooms.get(roomId)
  }

  #keep(roomId: string, found: RoomSettings): void {
    const before = this.#rooms.get(roomId)
    if (before && JSON.stringify(before) === JSON.stringify(found)) return
    if (before && found.algorithm !== before.algorithm) {
      this.#log.warn('a room changed how it is encrypted, which is not followed', { room: roomId })
      return
    }
    this.#plain.delete(roomId)
    this.#rooms.set(roomId, found)
    const all = [...this.#rooms].slice(-MAX_ROOMS)
    this.#cursor.set(JSON.stringify(Object.fromEntries(all)))
  }
}
