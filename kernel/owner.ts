/** Whose code is running, and whether what it registered is seen by others. */
import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * One generation of one plugin. All it registers carries it, so a whole generation appears, or goes, in one step:
 * `pending` is seen by its own batch only, `live` by all, `retired` by none.
 */
export interface Owner {
  readonly name: string
  readonly generation: number
  readonly batch: object
  state: 'pending' | 'live' | 'retired'
}

/** The kernel itself: always live. */
export const kernelOwner: Owner = { name: 'kernel', generation: 1, batch: {}, state: 'live' }

/** Whether `viewer` may see what `owner` registered. */
export function sees(viewer: Owner, owner: Owner): boolean {
  return owner.state === 'live' || (owner.state === 'pending' && owner.batch === viewer.batch)
}

const running = new AsyncLocalStorage<Owner>()

/** Runs a plugin's code so that timers, promises and stray errors that come of it can be traced to it. */
export function runAs<T>(owner: Owner, work: () => T): T {
  return running.run(owner, work)
}

/** The plugin whose code is running now. */
export function currentOwner(): Owner | undefined {
  return running.getStore()
}
