/** The service: makes, opens, finds and lists sessions. */
import { type Random, type Session, type SessionSummary, type Sessions, SvcError } from 'svc/sdk'
import type { SessionRow } from './catalogue.ts'
import { closeCrashed } from './crash.ts'
import { sessionId, titleOf } from './naming.ts'
import { StoredSession } from './session.ts'
import { type Shelf, ShelfKeeper, type ShelfPorts } from './shelf.ts'

/** What the store needs of the outside. */
export interface StorePorts extends ShelfPorts {
  readonly random: Random
}

const listLimit = 100
const idAttempts = 20

/** Contract: `Sessions` of the SDK. Several stores, in this process and in others, may work on one file. */
export class SessionStore implements Sessions {
  readonly #ports: StorePorts
  readonly #shelf: ShelfKeeper

  constructor(ports: StorePorts) {
    this.#ports = ports
    this.#shelf = new ShelfKeeper(ports)
  }

  create({ surface, cwd, title }: { surface: string; cwd: string; title?: string }): Session {
    for (let attempt = 0; attempt < idAttempts; attempt++) {
      const at = this.#ports.clock.now()
      const entry = { id: sessionId(at, this.#ports.random), surface, cwd, title: titleOf(title ?? ''), at }
      if (this.#shelf.use(({ catalogue }) => catalogue.insert(entry))) return new StoredSession(entry, this.#shelf)
    }
    throw new SvcError('SESSION_ID_TAKEN', `No free session id was found in ${idAttempts} attempts. Try again.`)
  }

  open(id: string): Session {
    const row = this.#shelf.use((shelf) => {
      const found = shelf.catalogue.find(id)
      this.#closeCrashedTurns(shelf, found)
      return found
    })
    return new StoredSession(row, this.#shelf)
  }

  latest(where: { surface?: string; cwd?: string } = {}): SessionSummary | undefined {
    return this.#shelf.use(({ catalogue }) => catalogue.latest(where))
  }

  list({ limit = listLimit }: { limit?: number } = {}): readonly SessionSummary[] {
    return this.#shelf.use(({ catalogue }) => catalogue.list(limit))
  }

  /** Nothing works after this. */
  close(): void | Promise<void> {
    return this.#shelf.close()
  }

  #closeCrashedTurns({ journal, turns }: Shelf, session: SessionRow): void {
    const { processes } = this.#ports
    const crashed = () => turns.open(session.number).filter((turn) => !processes.isRunning(turn, turn.startedAt))
    if (crashed().length === 0) return
    journal.exclusively(() => {
      // Asked again, now that no other process can be closing the same turn.
      for (const { id: turnId, firstSeq } of crashed()) {
        const events = journal.events(session, firstSeq - 1, turnId)
        const messages = journal.messages(session, 0, turnId)
        journal.write(session, { turnId, ...closeCrashed({ events, messages }) })
      }
    })
  }
}
