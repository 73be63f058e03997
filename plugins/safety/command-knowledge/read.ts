/** What is known of a command before it runs. Imported when it is first asked. */
import type { CommandAnalysis, CommandLocation } from 'svc/sdk/shell'
import { readScript } from './grammar.ts'
import { Paths } from './paths.ts'
import { NotUnderstood } from './syntax.ts'
import { includes, isAsInGit, newLedger, note, type SessionWrites } from './trust.ts'
import { Walk } from './walk.ts'

const MAX_SESSIONS = 200

/** Remembers for each session what its commands wrote. */
export class Knowledge {
  readonly #ledgers = new Map<string, SessionWrites>()
  readonly #homes: () => readonly string[]

  /** `homes`: folders of svc. */
  constructor(homes: () => readonly string[] = () => []) {
    this.#homes = homes
  }

  /** Contract: `CommandKnowledge.read` of the SDK. */
  read(command: string, place: CommandLocation): CommandAnalysis {
    const ledger = this.#ledger(place.sessionId ?? '')
    const paths = new Paths(place.project, this.#homes())
    const pending = newLedger().written
    const walk = new Walk({
      paths,
      wrote: (path) => {
        note(ledger.written, path)
        note(pending, path)
      },
      isPending: (path) => includes(pending, path),
      added: (path) => note(ledger.added, path),
      isTrusted: (path) => {
        if (includes(ledger.written, path)) return false
        if (place.wasWritten) return !place.wasWritten(path)
        return !includes(ledger.added, path) && isAsInGit(path, paths.project)
      },
    })
    try {
      const cwd = paths.real(place.cwd, '/')
      if (!paths.isInProject(cwd)) walk.refuse(`a folder outside the project: ${place.cwd}`)
      walk.list(readScript(command), [{ cwd, variables: new Map() }])
    } catch (error) {
      // A text that is not understood is an answer, and so is one that broke the reader: it asks.
      walk.refuse(error instanceof NotUnderstood ? error.message : 'a text that the reader of commands failed at')
    }
    return { understood: walk.unknown.size === 0, unknown: [...walk.unknown], needs: specific([...walk.needs]) }
  }

  #ledger(sessionId: string): SessionWrites {
    const known = this.#ledgers.get(sessionId)
    if (known) return known
    const oldest = this.#ledgers.keys().next().value
    if (this.#ledgers.size >= MAX_SESSIONS && oldest !== undefined) this.#ledgers.delete(oldest)
    const made = newLedger()
    this.#ledgers.set(sessionId, made)
    return made
  }
}

/** `network:localhost` and the need for the whole network are said once. */
function specific(needs: readonly string[]): readonly string[] {
  return needs.includes('network') ? needs.filter((need) => !need.startsWith('network:')) : needs
}
