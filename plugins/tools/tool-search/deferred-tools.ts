/** What each session may look for: the tools that were deferred when its last turn began. */

const MAX_SESSIONS = 1000

/** Forgets the sessions that were used longest ago. */
export class DeferredTools {
  readonly #names: Map<string, readonly string[]> = new Map()

  keep(sessionId: string, names: readonly string[]): void {
    this.#names.delete(sessionId)
    this.#names.set(sessionId, names)
    for (const oldest of this.#names.keys()) {
      if (this.#names.size <= MAX_SESSIONS) break
      this.#names.delete(oldest)
    }
  }

  of(sessionId: string): readonly string[] {
    return this.#names.get(sessionId) ?? []
  }
}
