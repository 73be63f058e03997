/** What is remembered of the shells of sessions. Bounded; what was dropped is known to be unknown. */
import type { ShellCommandRisk } from 'svc/sdk/shell'
import { ShellState } from './shell-state.ts'

const MAX_SESSIONS = 500
const MAX_DROPPED = 20_000

/** A shell between two commands. */
export interface Shell {
  readonly state: ShellState
  readonly variables: ReadonlyMap<string, readonly string[]>
  readonly cwd?: string
}

export class ShellSessions {
  readonly #shells: Map<string, Shell> = new Map()
  readonly #dropped: Set<string> = new Set()
  /** What a judged command leaves behind, until it is known that it runs. */
  readonly #afterwards: WeakMap<ShellCommandRisk, Shell> = new WeakMap()

  /** The shell of a session; its state must be copied before it is changed. */
  get(sessionId: string | undefined): Shell {
    const shell = sessionId === undefined ? undefined : this.#shells.get(sessionId)
    if (shell) return shell
    const state = new ShellState()
    state.isIncomplete = sessionId !== undefined && (this.#dropped.has(sessionId) || this.#dropped.size >= MAX_DROPPED)
    return { state, variables: new Map() }
  }

  /** Notes what a command would leave behind. */
  expect(risk: ShellCommandRisk, shell: Shell): void {
    this.#afterwards.set(risk, shell)
  }

  /** The command runs. */
  remember(sessionId: string, risk: ShellCommandRisk, cwd?: string): void {
    const shell = this.#afterwards.get(risk)
    if (shell) this.#set(sessionId, cwd === undefined ? shell : { ...shell, cwd })
  }

  /** A tool wrote a file. Its text is read when it is run. */
  wrote(sessionId: string, path: string): void {
    const shell = this.get(sessionId)
    const state = shell.state.copy()
    state.note(state.written, path, '')
    this.#set(sessionId, { ...shell, state })
  }

  /** Also what was written: a new shell still finds the files, so these are kept. */
  forget(sessionId: string): void {
    const { state } = this.get(sessionId)
    const kept = new ShellState()
    kept.isIncomplete = state.isIncomplete
    for (const table of ['programs', 'links', 'written'] as const)
      for (const [key, value] of state[table]) kept.note(kept[table], key, value)
    this.#set(sessionId, { state: kept, variables: new Map() })
  }

  #set(sessionId: string, shell: Shell): void {
    this.#shells.delete(sessionId)
    this.#shells.set(sessionId, shell)
    this.#dropped.delete(sessionId)
    for (const oldest of this.#shells.keys()) {
      if (this.#shells.size <= MAX_SESSIONS) break
      this.#shells.delete(oldest)
      if (this.#dropped.size < MAX_DROPPED) this.#dropped.add(oldest)
    }
  }
}
