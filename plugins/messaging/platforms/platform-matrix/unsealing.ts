/** Turns what comes from a room into what was meant: decrypted, kept until its key comes, or left out. */
import type { Clock, Logger } from 'svc/sdk'
import type { Encryption } from './encryption/encryption.ts'
import type { WaitingEvent, WaitingEvents } from './encryption/waiting.ts'
import type { RoomEvent } from './events.ts'
import type { Upkeep } from './upkeep.ts'

export interface UnsealingDeps {
  readonly self: { readonly userId: string }
  readonly encryption: Encryption
  readonly waiting: WaitingEvents
  readonly upkeep: Upkeep
  readonly clock: Clock
  readonly log: Logger
}

export class Unsealing {
  readonly #deps: UnsealingDeps

  constructor(deps: UnsealingDeps) {
    this.#deps = deps
  }

  /** Undefined for what is not read now. Rejects if the homeserver does not say whether the room is encrypted. */
  async open(roomId: string, event: RoomEvent): Promise<RoomEvent | undefined> {
    const { self, encryption, waiting, upkeep, clock } = this.#deps
    encryption.rooms.noted(roomId, event)
    if (event.state_key !== undefined || event.sender === self.userId) return event
    if (event.type === 'm.room.message' || (event.type === 'm.reaction' && encryption.mode === 'required'))
      return (await encryption.acceptsClear(roomId)) ? event : undefined
    if (event.type !== 'm.room.encrypted') return event
    if (!encryption.device) {
      upkeep.encrypted(roomId)
      return undefined
    }
    const result = await encryption.unseal(roomId, event)
    if ('event' in result) return result.event
    if (result.failure === 'missing') waiting.add(roomId, event, clock.now())
    else await upkeep.unreadable(roomId, event, result)
    return undefined
  }

  /** Hands over the events whose keys have come. */
  async takeWaiting(take: (roomId: string, event: RoomEvent) => Promise<unknown>): Promise<void> {
    const { encryption, waiting, upkeep } = this.#deps
    for (const each of waiting.all) {
      const result = await encryption.unseal(each.roomId, each.event)
      if ('event' in result) await take(each.roomId, result.event)
      else if (result.failure === 'missing') continue
      else await upkeep.unreadable(each.roomId, each.event, result)
      waiting.remove(each)
    }
  }

  /** Gives up the events whose keys are late. */
  async giveUp(): Promise<void> {
    const { waiting, upkeep, clock, log } = this.#deps
    const expired = waiting.takeExpired(clock.now())
    for (const { roomId, event } of newestOfRooms(expired)) {
      log.warn('the key of a message has not come', { room: roomId, sender: event.sender })
      await upkeep.unreadable(roomId, event, { failure: 'missing', reason: 'Its key has not come.' })
    }
  }
}

/** One notice is enough for all that a person wrote in a room. */
function newestOfRooms(all: readonly WaitingEvent[]): Iterable<WaitingEvent> {
  return new Map(all.map((each) => [`${each.roomId} ${each.event.sender}`, each])).values()
}
