/** What may be said and read where: the rule of `platforms.matrix.encryption` over rooms, and the device that encrypts. */
import type { Logger } from 'svc/sdk'
import { beforeSending, deliveryRefused } from 'svc/sdk/platform'
import { getErrcode } from '../api.ts'
import type { RoomEvent } from '../events.ts'
import { ALGORITHM, type Device, type Unsealed } from './device.ts'
import type { RoomEncryption, RoomSettings } from './room-encryption.ts'

export type Mode = 'off' | 'optional' | 'required'

/** An event as it goes to the homeserver. */
export interface Sealed {
  readonly type: string
  readonly content: object
}

export interface EncryptionDeps {
  readonly mode: Mode
  readonly rooms: RoomEncryption
  /** Undefined when encryption is off. */
  readonly device: Device | undefined
  readonly log: Logger
}

export class Encryption {
  readonly #deps: EncryptionDeps
  readonly #warned: Set<string> = new Set()

  constructor(deps: EncryptionDeps) {
    this.#deps = deps
  }

  get mode(): Mode {
    return this.#deps.mode
  }

  get rooms(): RoomEncryption {
    return this.#deps.rooms
  }

  get device(): Device | undefined {
    return this.#deps.device
  }

  /**
   * Whether a room is encrypted. Rejects with `MATRIX_ENCRYPTED` when it is and that cannot be done, and with `MATRIX_NOT_ENCRYPTED` when it is
   * not and has to be.
   */
  async check(roomId: string): Promise<RoomSettings | undefined> {
    const { mode, rooms } = this.#deps
    const found = await beforeSending(rooms.look(roomId))
    if (!found && mode !== 'required') return undefined
    if (!found) {
      const advice = 'Turn encryption on in the room, or set platforms.matrix.encryption to optional.'
      throw deliveryRefused('MATRIX_NOT_ENCRYPTED', `The room ${roomId} is not encrypted. ${advice}`)
    }
    if (mode === 'off') {
      const advice = 'Set platforms.matrix.encryption to optional, or use a room without encryption.'
      throw deliveryRefused('MATRIX_ENCRYPTED', `The room ${roomId} is encrypted, and encryption is off. ${advice}`)
    }
    if (found.algorithm === ALGORITHM) return found
    throw deliveryRefused(
      'MATRIX_ENCRYPTED',
      `The room ${roomId} is encrypted by "${found.algorithm}", which svc does not know. Use another room.`,
    )
  }

  /** A message as it may be sent to a room. Rejects as `check`. */
  async seal(roomId: string, type: string, content: object): Promise<Sealed> {
    const settings = await this.check(roomId)
    const { device } = this.#deps
    if (!settings || !device) return { type, content }
    return {
      type: 'm.room.encrypted',
      content: await beforeSending(device.encrypt(roomId, { type, content, settings })),
    }
  }

  /** An encrypted event of a room, as it was meant. */
  async unseal(roomId: string, event: RoomEvent): Promise<Unsealed> {
    const { device } = this.#deps
    return device ? device.decrypt(roomId, event) : { failure: 'broken', reason: 'Encryption is off.' }
  }

  /** Whether a message in clear is read: in an encrypted room anyone at the homeserver could have written it. */
  async acceptsClear(roomId: string): Promise<boolean> {
    const { mode, rooms, log } = this.#deps
    if (mode === 'off') return true
    try {
      const isEncrypted = (await rooms.look(roomId)) !== undefined
      if (!isEncrypted && mode === 'optional') return true
      if (!this.#warned.has(roomId)) {
        const why = isEncrypted ? 'in a room that is encrypted' : 'and encryption is required'
        log.warn(`A message without encryption, ${why}, is not read.`, { room: roomId })
      }
      this.#warned.add(roomId)
      return false
    } catch (error) {
      // The agent has left the room: it cannot answer there.
      if (getErrcode(error) === 'M_FORBIDDEN') return false
      throw error
    }
  }
}
