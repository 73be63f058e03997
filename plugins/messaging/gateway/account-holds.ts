/** The accounts that this gateway has for itself, where other machines share its tables. */
import type { PluginContext } from 'svc/sdk'
import type { Platform } from 'svc/sdk/platform'
import { getAccountScope, holdScope, type ScopeHold } from 'svc/sdk/store'

export interface AccountHoldDeps {
  readonly ctx: Pick<PluginContext<unknown>, 'find'>
  /** What came in before is here now. */
  taken(platform: Platform): void
  /** Another gateway may have the account: whatever goes on for it here ends. */
  lost(platform: Platform): Promise<void>
}

export class AccountHolds {
  readonly #deps: AccountHoldDeps
  readonly #held: Map<string, ScopeHold> = new Map()
  readonly #ending: Map<string, Promise<void>> = new Map()

  constructor(deps: AccountHoldDeps) {
    this.#deps = deps
  }

  /**
   * Takes the account of a platform, which this gateway keeps until `release`. The signal is aborted when it is lost; undefined where
   * nothing is shared. Throws `SCOPE_HELD` while another gateway has it.
   */
  async take(platform: Platform): Promise<AbortSignal | undefined> {
    const { name } = platform
    const known = this.#held.get(name)
    if (known) return known.signal
    await this.#ending.get(name)
    const held = await holdScope(this.#deps.ctx, getAccountScope(name))
    if (!held) return undefined
    this.#held.set(name, held)
    const lose = () => {
      if (this.#held.get(name) === held) this.#held.delete(name)
      this.#ending.set(name, this.#deps.lost(platform))
    }
    held.signal.addEventListener('abort', lose, { once: true })
    this.#deps.taken(platform)
    return held.signal
  }

  async release(): Promise<void> {
    const all = [...this.#held.values()]
    this.#held.clear()
    await Promise.all(all.map((held) => held.release()))
  }
}
