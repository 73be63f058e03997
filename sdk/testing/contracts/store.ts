/** The contract of what keeps things: the services `storage` and `sessions`. */
import type { Sessions } from '../../sessions.ts'
import type { Storage } from '../../storage.ts'
import type { ContractCase } from './contract.ts'
import { sessionsCases } from './sessions.ts'
import { type OpenStore, onShelf } from './shelf.ts'
import { storageCases } from './storage.ts'

/** How to open what is examined, over a folder that is given. @since 0.1 */
export interface StoreMakers {
  readonly storage?: (folder: string) => Promise<OpenStore<Storage>>
  readonly sessions?: (folder: string) => Promise<OpenStore<Sessions>>
}

/** The cases that a provider of `storage` or `sessions` passes; each runs over a fresh folder. @since 0.1 */
export function storeContract({ storage, sessions }: StoreMakers): ContractCase[] {
  return [
    ...(storage ? storageCases((run) => onShelf(storage, run)) : []),
    ...(sessions ? sessionsCases((run) => onShelf(sessions, run)) : []),
  ]
}
