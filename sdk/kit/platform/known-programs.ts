/** Which senders are programs, where the service says so only when it is asked. */
import { classifyDeliveryError } from '../../delivery.ts'
import { setBounded } from '../state/bounded-map.ts'

const MAX_KNOWN = 1000

/** Each sender is asked for once. @since 0.2 */
export class KnownPrograms<Id> {
  readonly #known: Map<Id, boolean> = new Map()

  /** A sender whom the service refuses to show cannot be a person who is answered: it counts as a program. Throws other errors of `ask`. */
  async has(id: Id, ask: () => Promise<boolean>): Promise<boolean> {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const isProgram = await ask().catch((error: unknown) => {
      if (classifyDeliveryError(error).kind !== 'refused') throw error
      return true
    })
    setBounded(this.#known, id, isProgram, MAX_KNOWN)
    return isProgram
  }
}
