/** Handles rooms: notifies encrypted rooms, and follows a room to its successor. */
import { createHash } from 'node:crypto'
import { type Logger, tryParseJson } from 'svc/sdk'
import type { ReadCursor } from 'svc/sdk/platform'
import { z } from 'zod'
import type { MatrixApi } from './api.ts'
import type { RoomEvent } from './events.ts'

/** The maximum of remembered notified rooms. */
const MAX_TOLD = 500
const ENCRYPTED =
  'This room is encrypted end to end, and I cannot read encrypted messages. Please write to me in a room without encryption.'

const told = z.array(z.string()).catch([])

/** What it needs. */
export interface UpkeepOptions {
  readonly api: MatrixApi
  readonly log: Logger
  readonly signal: AbortSignal
  /** Stores which rooms were notified that they are encrypted. */
  readonly cursor: ReadCursor
  /** Whether this user may write. */
  isKnown(userId: string): boolean
}

export class Upkeep {
  readonly #options: UpkeepOptions
  readonly #warned: Set<string> = new Set()

  constructor(options: UpkeepOptions) {
    this.#options = options
  }

  /** Reports an unreadable message once, in the log and in the room that would have got an answer. */
  async encrypted(roomId: string, sender: string): Promise<void> {
    const { log, isKnown } = this.#options
    if (!this.#warned.has(roomId)) {
      const advice = 'Its messages cannot be read. Write to the agent in a room without encryption.'
      log.warn(`A room is encrypted end to end. ${advice}`, { room: roomId })
    }
    this.#warned.add(roomId)
    if (isKnown(sender)) await this.#tell(roomId)
  }

  /** Follows `m.room.tombstone` (spec.matrix.org/latest/client-server-api, "Server behaviour" of room upgrades). */
  async upgraded(roomId: string, { sender, content }: RoomEvent): Promise<void> {
    const { api, log, signal } = this.#options
    const successor = content['replacement_room']
    if (typeof successor !== 'string' || !successor.startsWith('!')) return
    // Our own server may not know the new room; the server of its creator does.
    const via = sender.slice(sender.indexOf(':') + 1)
    const path = `/client/v3/join/${encodeURIComponent(successor)}`
    try {
      await api.ask({ method: 'POST', path, query: { server_name: via, via }, body: {}, signal })
      log.info('a room was upgraded, and is followed', { room: roomId, successor })
    } catch (error) {
      log.warn('a room was upgraded, and its successor cannot be joined: invite the agent there', {
        ...{ room: roomId, successor, error },
      })
    }
  }

  async #tell(roomId: string): Promise<void> {
    const { api, log, signal, cursor } = this.#options
    const before = told.parse(tryParseJson(cursor.get() ?? '')?.value)
    if (before.includes(roomId)) return
    const key = createHash('sha256').update(`encrypted ${roomId}`).digest('hex').slice(0, 32)
    const path = `/client/v3/rooms/${encodeURIComponent(roomId)}/send/m.room.message/${key}`
    try {
      await api.ask({ method: 'PUT', path, body: { msgtype: 'm.notice', body: ENCRYPTED }, signal })
      cursor.set(JSON.stringify([...before, roomId].slice(-MAX_TOLD)))
    } catch (error) {
      log.warn('an encrypted room could not be told that it is not read', { room: roomId, error })
    }
  }
}
