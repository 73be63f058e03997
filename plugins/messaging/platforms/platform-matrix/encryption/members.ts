/** Who may read a room, and so gets its keys. */
import { z } from 'zod'
import { getErrcode, type MatrixApi } from '../api.ts'
import { type RoomEvent, readPage } from '../events.ts'
import { roomPath } from '../room-path.ts'

const membership = z.object({ membership: z.enum(['join', 'invite']) })

export class Members {
  readonly #api: MatrixApi
  readonly #known: Map<string, readonly string[]> = new Map()

  constructor(api: MatrixApi) {
    this.#api = api
  }

  /** Told of events of a room; `isGap`: some were left out. */
  noted(roomId: string, events: readonly RoomEvent[], isGap: boolean): void {
    const types = ['m.room.member', 'm.room.history_visibility']
    if (isGap || events.some(({ type, state_key }) => state_key !== undefined && types.includes(type)))
      this.#known.delete(roomId)
  }

  /** Joined members, and invited members where the history visibility lets them read messages sent before they join. */
  async list(roomId: string): Promise<readonly string[]> {
    const known = this.#known.get(roomId)
    if (known) return known
    const [{ chunk }, showsInvited] = await Promise.all([
      this.#api.ask({ path: `${roomPath(roomId)}/members` }).then(readPage),
      this.#showsInvited(roomId),
    ])
    const people = chunk.flatMap(({ state_key: id, content }) => {
      const now = membership.safeParse(content).data?.membership
      return id !== undefined && (now === 'join' || (now === 'invite' && showsInvited)) ? [id] : []
    })
    this.#known.set(roomId, people)
    return people
  }

  /** The default of the specification is `shared`. */
  async #showsInvited(roomId: string): Promise<boolean> {
    try {
      const state = await this.#api.ask({ path: `${roomPath(roomId)}/state/m.room.history_visibility` })
      return state['history_visibility'] !== 'joined'
    } catch (error) {
      if (getErrcode(error) === 'M_NOT_FOUND') return true
      throw error
    }
  }
}
