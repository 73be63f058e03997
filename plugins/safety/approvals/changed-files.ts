/** Which files each session changed, as far as the gate saw it: what a session wrote is not run unread. */
import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const MAX_SESSIONS = 200
const MAX_PATHS = 5000

interface WrittenPaths {
  readonly paths: Set<string>
  /** All that the session did was seen and understood. */
  isComplete: boolean
}

export class Written {
  readonly #ledgers: Map<string, WrittenPaths> = new Map()

  /** To be called at each call of a session. `isNew`: nothing was done in it before. */
  meet(sessionId: string, isNew: boolean): void {
    if (this.#ledgers.has(sessionId)) return
    const [oldest] = this.#ledgers.keys()
    if (this.#ledgers.size >= MAX_SESSIONS && oldest !== undefined) this.#ledgers.delete(oldest)
    this.#ledgers.set(sessionId, { paths: new Set(), isComplete: isNew })
  }

  add(sessionId: string, path: string): void {
    const ledger = this.#ledgers.get(sessionId)
    if (!ledger) return
    if (ledger.paths.size >= MAX_PATHS) ledger.isComplete = false
    else ledger.paths.add(realPath(path))
  }

  /** Something ran that may have written anything. */
  lose(sessionId: string): void {
    const ledger = this.#ledgers.get(sessionId)
    if (ledger) ledger.isComplete = false
  }

  /** Whether a file was written; undefined where that is not known of all files. */
  predicate(sessionId: string): ((path: string) => boolean) | undefined {
    const ledger = this.#ledgers.get(sessionId)
    return ledger?.isComplete ? (path) => ledger.paths.has(path) : undefined
  }
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    // It does not exist yet, or no longer: its folder may.
    const folder = dirname(path)
    return folder === path ? path : join(realPath(folder), basename(path))
  }
}
