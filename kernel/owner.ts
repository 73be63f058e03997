/** Whose code is running, and whether what it registered is seen by others. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Dispose, Registration } from '../sdk/plugin.ts'

/**
 * One generation of one plugin. All it registers carries it, so a whole generation appears, or goes, in one step:
 * `pending` is seen by its own batch only, `live` by all, `retired` by none.
 */
export interface Owner {
  readonly name: string
  readonly generation: number
  readonly batch: object
  state: 'pending' | 'live' | 'retired'
  /** Set for plugins that users bring: the services that their manifest names. */
  readonly named?: ReadonlySet<string>
  /** Set for plugins that users bring: keys by point, as its manifest has them. */
  readonly contributes?: Readonly<Record<string, readonly string[]>>
  /** Services that are not there for it: their providers have versions that it does not fit. */
  readonly unfit?: { has(service: string): boolean }
  /** It guards gates: what it contributes and provides cannot be replaced. */
  readonly isGuard?: boolean
  /** Takes a disposer over: it is called when the generation ends. */
  adopt?: (disposer: Dispose) => Registration
}

/** The kernel itself: always live. */
export const kernelOwner: Owner = { name: 'kernel', generation: 1, batch: {}, state: 'live' }

/** Whether `viewer` may see what `owner` registered. */
export function sees(viewer: Owner, owner: Owner): boolean {
  return owner.state === 'live' || (owner.state === 'pending' && owner.batch === viewer.batch)
}

/** Follows an owner through timers and promises. It slows every promise of the process, so it is made on demand. */
let following: AsyncLocalStorage<Owner> | undefined
/** Otherwise only the code that is on the stack right now is known. */
let onStack: Owner | undefined

/** From now on the owner is also known in what its code started: for audits, and once foreign code is loaded. */
export function followOwners(): void {
  following ??= new AsyncLocalStorage<Owner>()
}

/** Whether owners are followed. */
export function isFollowing(): boolean {
  return following !== undefined
}

/** Runs a plugin's code so that what goes wrong in it can be traced to it. */
export function runAs<T>(owner: Owner, work: () => T): T {
  if (following) return following.run(owner, work)
  const before = onStack
  onStack = owner
  try {
    return work()
  } finally {
    onStack = before
  }
}

/** The plugin whose code is running now, as far as it is known. */
export function currentOwner(): Owner | undefined {
  return following ? following.getStore() : onStack
}
