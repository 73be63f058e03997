/** Handles rooms: tells of messages that cannot be read, and follows a room to its successor. */
import { createHash } from 'node:crypto'
import type { Logger } from 'svc/sdk'
import type { MatrixApi } from './api.ts'
import type { RoomEvent } from './events.ts'

const UNREADABLE = {
  missing: 'I could not decrypt a message: its key did not reach me. Please send it again.',
  withheld:
    'I could not decrypt a message: your client did not give me its key. Verify my device, or send it in another room.',
  untrusted:
    'I did not read a message: it came from a device that is not verified. Verify the device, and send it again.',
  broken: 'I could not decrypt a message. Please send it again.',
} as const

/** Why a message cannot be read. */
export interface Unreadable {
  readonly failure: keyof typeof UNREADABLE
  readonly reason: string
}

/** What it needs. */
export interface UpkeepOptions {
  readonly api: MatrixApi
  readonly log: Logger
  readonly signal: AbortSignal
  /** Whether this user may write. */
  isKnown(userId: string): boolean
  /** Sends a notice; the same key is sent once. */
  tell(roomId: string, text: string, key: string): Promise<unknown>
}

export class Upkeep {
  readonly #options: UpkeepOptions
  readonly #warned: Set<string> = new Set()

  constructor(options: UpkeepOptions) {
    this.#options = options
  }

  /** Encryption is off. The log says so once for each room; the room does not, since that would be in clear. */
  encrypted(roomId: string): void {
    if (!this.#warned.has(roomId)) {
      const advice = 'Set platforms.matrix.encryption to optional, or write to the agent in a room without encryption.'
      this.#options.log.warn(`A room is encrypted end to end, and its messages are not read. ${advice}`, {
        room: roomId,
      })
    }
    this.#warned.add(roomId)
  }

  /** Reports a message that cannot be read, in the log and, if its sender may write, in the room. */
  async unreadable(roomId: string, event: RoomEvent, { failure, reason }: Unreadable): Promise<void> {
    const { log, isKnown, tell } = this.#options
    log.warn('an encrypted message cannot be read', { room: roomId, sender: event.sender, failure, reason })
    if (!isKnown(event.sender)) return
    const key = createHash('sha256').update(`unreadable ${roomId} ${event.event_id}`).digest('hex').slice(0, 32)
    await tell(roomId, UNREADABLE[failure], key).catch((error: unknown) => {
      log.warn('a room could not be told of a message that cannot be read', { room: roomId, error })
    })
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
}
