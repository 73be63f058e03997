/** What the gate remembers of the shell of each session: its folder and its variables. */
import type { ShellCommandRisk } from 'svc/sdk/shell'

/** What is known of one. */
export interface Shell {
  cwd?: string
  variables?: ShellCommandRisk['variables']
}

const MAX_SHELLS = 200

/** Forgets those that were not used for longest. */
export class Shells {
  readonly #shells: Map<string, Shell> = new Map()

  get(sessionId: string): Readonly<Shell> {
    return this.#shells.get(sessionId) ?? {}
  }

  /** The command is allowed. */
  runs(sessionId: string, { variables }: ShellCommandRisk): void {
    this.#keep(sessionId).variables = variables
  }

  /** A command is over. */
  stands(sessionId: string, cwd: string): void {
    this.#keep(sessionId).cwd = cwd
  }

  #keep(sessionId: string): Shell {
    const shell = this.#shells.get(sessionId) ?? {}
    this.#shells.delete(sessionId)
    this.#shells.set(sessionId, shell)
    for (const oldest of this.#shells.keys()) {
      if (this.#shells.size <= MAX_SHELLS) break
      this.#shells.delete(oldest)
    }
    return shell
  }
}
