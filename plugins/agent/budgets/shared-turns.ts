/** Machines that share tables reserve one after the other: each knows what the others have reserved before it. */
import { type Clock, errorCode } from 'svc/sdk'
import type { Reservation } from 'svc/sdk/safety'
import type { SharedScopes } from 'svc/sdk/store'
import type { Ledger } from './ledger.ts'
import { BUDGET_SCOPE } from './shared.ts'

export interface SharedTurnsDeps {
  readonly ledger: Pick<Ledger, 'synced'>
  clock(): Clock
  scopes(): SharedScopes | undefined
}

/** A process that died has its turn until its lease ends. */
const PATIENCE_MS = 60_000
const [PAUSE_MS, SPREAD_MS] = [10, 30]

export class SharedTurns {
  readonly #deps: SharedTurnsDeps
  #count = 0

  constructor(deps: SharedTurnsDeps) {
    this.#deps = deps
  }

  /** Reserves when all that others have reserved is here, and resolves when they know of it. Rejects with what `SharedScopes.hold` rejects with. */
  async take(reserve: () => Reservation): Promise<Reservation> {
    const { clock, scopes, ledger } = this.#deps
    const shared = scopes()
    if (!shared?.isShared) return reserve()
    const until = clock().monotonic() + PATIENCE_MS
    for (;;) {
      try {
        const hold = await shared.hold(BUDGET_SCOPE)
        try {
          return await keep(reserve(), () => ledger.synced())
        } finally {
          await hold.release()
        }
      } catch (error) {
        if (errorCode(error) !== 'SCOPE_HELD' || clock().monotonic() >= until) throw error
      }
      // Not all at the same moment, again and again.
      await clock().sleep(PAUSE_MS + ((++this.#count * 7) % SPREAD_MS))
    }
  }
}

/** Released when others could not be told of it. What comes of it is told them soon; until then the estimate counts there. */
async function keep(reservation: Reservation, tell: () => Promise<void>): Promise<Reservation> {
  try {
    await tell()
  } catch (error) {
    reservation.release()
    throw error
  }
  // What cannot be sent now is sent with the next rows.
  const tellSoon = () => void tell().catch(() => {})
  const release = () => {
    reservation.release()
    tellSoon()
  }
  return {
    settle(usage, tier) {
      const paid = reservation.settle(usage, tier)
      tellSoon()
      return paid
    },
    release,
    [Symbol.dispose]: release,
  }
}
