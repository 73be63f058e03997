/** Calls the hooks of sessions once a change is stored. Most changes are synchronous, so their callers do not wait for listeners. */
import type { NotifyHook, PluginContext } from 'svc/sdk'

/** Announces what happened; the promise resolves when every listener has ended. Never rejects. */
export type Announce = <E>(hook: NotifyHook<E>, event: E) => Promise<void>

/** For a store without a plugin around it. */
export const announceNothing: Announce = async () => {}

export class Announcements {
  readonly #ctx: Pick<PluginContext<unknown>, 'call' | 'log'>
  readonly #pending = new Set<Promise<void>>()

  constructor(ctx: Pick<PluginContext<unknown>, 'call' | 'log'>) {
    this.#ctx = ctx
  }

  readonly announce: Announce = (hook, event) => {
    const call = async () => {
      // A listener does not run inside of the call that makes the change, which may not be complete.
      await Promise.resolve()
      try {
        await this.#ctx.call(hook, event)
      } catch (error) {
        this.#ctx.log.error('a change of a session could not be announced', { error, hook: hook.id })
      }
    }
    const announced = call().finally(() => this.#pending.delete(announced))
    this.#pending.add(announced)
    return announced
  }

  /** Resolves when nothing is being announced. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }
}
