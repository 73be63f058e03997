/** What is remembered of a connected account: who it is, its rooms, its socket, and which senders are programs. */
import { KnownPrograms, type PlatformApi } from 'svc/sdk/kit/platform'
import { setBounded } from 'svc/sdk/kit/state'
import { deliveryBusy } from 'svc/sdk/platform'
import { z } from 'zod'

const MAX_REMEMBERED = 1000

/** `c`: channel, `p`: private group, `d`: direct messages of two or more. */
export const room = z.object({
  _id: z.string(),
  t: z.string(),
  name: z.string().optional(),
  fname: z.string().optional(),
  usersCount: z.number().optional(),
  /** When the newest message was written. */
  lm: z.string().optional(),
})
export type Room = z.infer<typeof room>

const rooms = z.object({ update: z.array(room) })
const oneRoom = z.object({ room })
const user = z.object({ user: z.object({ type: z.string().optional(), roles: z.array(z.string()).default([]) }) })

export class Account {
  readonly id: string
  readonly name: string
  /** Calls a method of the server; undefined until its events flow. */
  call: ((method: string, params: readonly unknown[]) => void) | undefined
  readonly #rooms: Map<string, Room> = new Map()
  readonly #programs: KnownPrograms<string> = new KnownPrograms()

  constructor(id: string, name: string) {
    this.id = id
    this.name = name
  }

  async listRooms(api: PlatformApi, signal: AbortSignal): Promise<readonly Room[]> {
    const { update } = await api.ask({ path: '/api/v1/rooms.get', answer: rooms, signal })
    for (const each of update) this.#rooms.set(each._id, each)
    return update
  }

  async findRoom(id: string, api: PlatformApi, signal?: AbortSignal): Promise<Room> {
    const known = this.#rooms.get(id)
    if (known) return known
    const path = `/api/v1/rooms.info?${new URLSearchParams({ roomId: id })}`
    const { room: found } = await api.ask({ path, answer: oneRoom, ...(signal && { signal }) })
    setBounded(this.#rooms, id, found, MAX_REMEMBERED)
    return found
  }

  isProgram(userId: string, api: PlatformApi, signal: AbortSignal): Promise<boolean> {
    const path = `/api/v1/users.info?${new URLSearchParams({ userId })}`
    return this.#programs.has(userId, async () => {
      const { type, roles } = (await api.ask({ path, answer: user, signal })).user
      return type === 'bot' || roles.includes('bot')
    })
  }

  /** Throws `busy` without a connection for events. */
  say(method: string, params: readonly unknown[]): void {
    if (!this.call) throw deliveryBusy('PLATFORM_NOT_CONNECTED', 'Rocket.Chat is not connected.')
    this.call(method, params)
  }
}
