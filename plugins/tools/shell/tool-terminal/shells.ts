/** The shells of all sessions: one each, at most sixteen, closed when idle. */
import { type Clock, SvcError } from 'svc/sdk'
import type { SandboxNeed, ShellEnvironment } from 'svc/sdk/shell'
import { Capture, type Captured } from './capture.ts'
import { enterState, readState } from './carried-state.ts'
import { closedError } from './open-terminals.ts'
import type { Shell } from './shell.ts'
import { canEnter, startShell } from './start-shell.ts'

const MAX_SHELLS = 16
const IDLE_MS = 300_000
/** Sessions whose folder is remembered after their shell was closed. */
const MAX_REMEMBERED = 256
const IDLE_OUTPUT_LIMIT = 4000

/** What the pool needs. */
export interface ShellsOptions {
  readonly clock: Clock
  /** Otherwise every command gets a fresh shell. */
  readonly persistent: boolean
  /** The place that a session works in. */
  readonly place: (sessionId: string, cwd: string) => Promise<ShellEnvironment>
  /** Gives a place up in which no shell starts. */
  readonly dropPlace: (sessionId: string) => Promise<void>
  /** Unguessable, and another one each time. */
  readonly mark: () => string
  /** Where the shells of sessions stand, stored with the sessions: a branch, `/undo` and another process change it. */
  readonly folders?: Folders
  /** Told before a shell starts. */
  readonly onStart?: () => void
}

/** The stored folders of sessions; undefined for a session whose shell never left the folder that it began in. */
export interface Folders {
  get(sessionId: string): string | undefined
  set(sessionId: string, folder: string): void
}

/** A shell that is the borrower's alone until its work is done. */
export interface Loan {
  readonly shell: Shell
  /** What the user should know of it, such as that it is a new one. */
  readonly notes: readonly string[]
  /** What background jobs wrote since the last command. */
  readonly earlier: Captured
}

/** What is kept of a session: once for the shell that everything runs in, once for each set of needs that was granted. */
interface Entry {
  readonly sessionId: string
  readonly needs: readonly SandboxNeed[]
  shell?: Shell | undefined
  /** The folder of its last shell, as that saw it; undefined until there was one. */
  cwd: string | undefined
  /** The folder that its first shell began in. */
  home?: string | undefined
  readonly beganInStored: boolean
  /** Why that shell was closed, until it is reported. */
  closedBecause?: string | undefined
  /** What it sees and may write to has changed since it began. */
  isStale?: boolean | undefined
  idleOutput: Capture
  cancelIdle?: (() => void) | undefined
  /** Settles when all that was asked so far is done. */
  queue: Promise<unknown>
  waiting: number
}

type Whose = Pick<Entry, 'sessionId' | 'needs'>

/** Lends each session its shell. */
export class Shells {
  readonly #options: ShellsOptions
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>()
  readonly #live = new Set<Shell>()
  readonly #loans = new Set<Promise<unknown>>()
  #starting = 0
  #closed = false

  constructor(options: ShellsOptions) {
    this.#options = options
  }

  /** How many shells there are now. */
  get count(): number {
    return this.#live.size + this.#starting
  }

  /**
   * Runs `work` with the session's shell, after whatever was asked of that session before. The first shell of a session
   * starts in `cwd`. With needs that were granted it is another shell, which gets the folder and the exported variables
   * of the first one before each command. Throws `TERMINAL_TOO_MANY`, `TERMINAL_CLOSED`, or what starting a shell throws.
   */
  async lend<T>(
    sessionId: string,
    cwd: string,
    work: (loan: Loan) => Promise<T>,
    needs: readonly SandboxNeed[] = [],
  ): Promise<T> {
    const loan = this.#options.persistent
      ? this.#lendKept(
          this.#entry(sessionId, needs),
          cwd,
          needs.length > 0 ? this.#withState(sessionId, cwd, work) : work,
        )
      : this.#lendFresh({ sessionId, needs }, cwd, work)
    this.#loans.add(loan)
    try {
      return await loan
    } finally {
      this.#loans.delete(loan)
    }
  }

  /** Ends all shells and everything they started; work under way gets to know. */
  async close(): Promise<void> {
    this.#closed = true
    const busy = new Set([...this.#entries.values()].filter((entry) => entry.waiting > 0).map((entry) => entry.shell))
    for (const entry of this.#entries.values()) entry.cancelIdle?.()
    const end = (shell: Shell) => (busy.has(shell) || !this.#options.persistent ? shell.kill() : shell.close())
    await Promise.all([...this.#live].map(end))
    await Promise.allSettled(this.#loans)
    this.#live.clear()
    this.#entries.clear()
  }

  /** Ends the shells of a session with everything they started: the session is over. */
  async end(sessionId: string): Promise<void> {
    const own = [...this.#entries].filter(([, entry]) => entry.sessionId === sessionId)
    for (const [key, entry] of own) {
      entry.cancelIdle?.()
      this.#entries.delete(key)
    }
    const shells = own.flatMap(([, { shell }]) => shell ?? [])
    await Promise.all(shells.map((shell) => shell.kill()))
    for (const shell of shells) this.#live.delete(shell)
  }

  /** The folder that the next command of a session runs in, as the shell sees it. */
  getFolder(sessionId: string): string | undefined {
    const entry = this.#entries.get(sessionId)
    return this.#options.folders?.get(sessionId) ?? entry?.home ?? entry?.shell?.cwd ?? entry?.cwd
  }

  /** Work that begins where the session's first shell is, with what that exports. */
  #withState<T>(sessionId: string, cwd: string, work: (loan: Loan) => Promise<T>): (loan: Loan) => Promise<T> {
    return async (loan) => {
      const first = this.#entries.get(sessionId)
      if (first?.shell?.alive) {
        const state = await this.#lendKept(first, cwd, ({ shell }) => readState(shell))
        await enterState(loan.shell, state)
      }
      try {
        return await work(loan)
      } finally {
        if (first !== undefined) first.isStale = true
      }
    }
  }

  #entry(sessionId: string, needs: readonly SandboxNeed[]): Entry {
    const key = [sessionId, ...needs].join('\0')
    const entry = this.#entries.get(key) ?? newEntry(sessionId, needs, this.#options.folders?.get(sessionId))
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    for (const [id, old] of this.#entries) {
      if (this.#entries.size <= MAX_REMEMBERED) break
      if (old.waiting === 0 && old.shell === undefined) this.#entries.delete(id)
    }
    return entry
  }

  async #lendKept<T>(entry: Entry, cwd: string, work: (loan: Loan) => Promise<T>): Promise<T> {
    entry.waiting++
    entry.cancelIdle?.()
    const turn = entry.queue.then(() => this.#workIn(entry, cwd, work))
    entry.queue = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      entry.waiting--
      if (entry.waiting === 0) this.#rest(entry)
    }
  }

  async #workIn<T>(entry: Entry, cwd: string, work: (loan: Loan) => Promise<T>): Promise<T> {
    const notes: string[] = []
    const shell = await this.#getShell(entry, cwd, notes)
    await this.#enterFolder(entry, shell, cwd, notes)
    const earlier = entry.idleOutput.finish()
    entry.idleOutput = new Capture(IDLE_OUTPUT_LIMIT)
    try {
      return await work({ shell, notes, earlier })
    } finally {
      entry.cwd = shell.cwd
      this.#keepFolder(entry)
      if (!shell.alive) {
        entry.shell = undefined
        await this.#retire(shell)
      }
    }
  }

  /** Moves the shell where the session is: messages may have been taken back since its last command. */
  async #enterFolder(entry: Entry, shell: Shell, cwd: string, notes: string[]): Promise<void> {
    const { folders } = this.#options
    if (!folders || entry.needs.length > 0) return
    const stored = folders.get(entry.sessionId)
    if (stored === undefined && entry.home === undefined) {
      // A shell that began in a stored folder, which was taken back since, was never in the first one.
      if (entry.beganInStored) await enterState(shell, { cwd, exports: '' })
      entry.home = shell.cwd
    }
    const wanted = stored ?? entry.home
    if (wanted === undefined || wanted === shell.cwd) return
    await enterState(shell, { cwd: wanted, exports: '' })
    if (shell.cwd !== wanted) notes.push(`${wanted} cannot be entered any more; now in ${shell.cwd}`)
  }

  #keepFolder({ sessionId, needs, cwd, home }: Entry): void {
    const { folders } = this.#options
    if (!folders || needs.length > 0 || cwd === undefined) return
    const stored = folders.get(sessionId)
    if (cwd !== (stored ?? home)) folders.set(sessionId, cwd)
  }

  async #getShell(entry: Entry, cwd: string, notes: string[]): Promise<Shell> {
    const { shell, isStale } = entry
    entry.isStale = undefined
    if (!shell?.alive) return this.#replace(entry, cwd, notes)
    if (!isStale || !(await this.#hasChanged(entry, shell, cwd))) return shell
    const state = await readState(shell)
    await this.#closeIdle(entry, 'what is confined has changed')
    entry.closedBecause = undefined
    const next = await this.#replace(entry, cwd, [])
    await enterState(next, state)
    notes.push('new shell, since what commands may change has changed; folder and exported variables are kept')
    return next
  }

  /** Whether it would be started in another way now. */
  async #hasChanged({ sessionId, needs }: Entry, { start }: Shell, cwd: string): Promise<boolean> {
    if (start === undefined) return false
    const terminal = await this.#options.place(sessionId, cwd)
    const launch = await terminal.launch({ command: start.program, pty: false, cwd: start.cwd, needs })
    await launch.close?.()
    return launch.command.join('\0') !== start.command.join('\0')
  }

  async #replace(entry: Entry, cwd: string, notes: string[]): Promise<Shell> {
    if (entry.shell !== undefined) await this.#closeIdle(entry, 'the one before has ended')
    if (entry.closedBecause !== undefined)
      notes.push(`new shell: ${entry.closedBecause}; variables and functions are gone`)
    const shell = await this.#start(entry, entry.cwd, cwd)
    if (entry.needs.length > 0)
      notes.push(
        `a shell of its own for ${entry.needs.join(', ')}, with folder and exported variables of the session's`,
      )
    if (entry.cwd !== undefined && shell.cwd !== entry.cwd)
      notes.push(`${entry.cwd} cannot be entered any more; now in ${shell.cwd}`)
    shell.onIdleOutput = (chunk) => entry.idleOutput.add(chunk)
    entry.shell = shell
    entry.closedBecause = undefined
    return shell
  }

  async #lendFresh<T>(whose: Whose, cwd: string, work: (loan: Loan) => Promise<T>): Promise<T> {
    const shell = await this.#start(whose, undefined, cwd)
    try {
      return await work({ shell, notes: [], earlier: new Capture(0).finish() })
    } finally {
      await this.#retire(shell)
    }
  }

  /** A shell in the folder that was left, else in the one the session works in. */
  async #start(whose: Whose, left: string | undefined, cwd: string): Promise<Shell> {
    await this.#makeRoom()
    this.#starting++
    try {
      if (this.#closed) throw closedError()
      this.#options.onStart?.()
      const terminal = await this.#options.place(whose.sessionId, cwd)
      const shell = await this.#startIn(terminal, whose, left, cwd)
      this.#live.add(shell)
      if (!this.#closed) return shell
      await shell.kill()
      throw closedError()
    } finally {
      this.#starting--
    }
  }

  async #startIn(terminal: ShellEnvironment, { sessionId, needs }: Whose, left: string | undefined, cwd: string) {
    const { clock, mark, dropPlace } = this.#options
    if (!terminal.elsewhere) {
      const folder = left !== undefined && (await canEnter(left)) ? left : cwd
      return startShell({ terminal, cwd: folder, mark: mark(), clock, needs })
    }
    const { startRemoteShell } = await import('./remote-shell.ts')
    try {
      return await startRemoteShell({ terminal, cwd: left, mark: mark(), clock })
    } catch (error) {
      await dropPlace(sessionId)
      throw error
    }
  }

  /** Closes the shell that was used least recently when there are too many. */
  async #makeRoom(): Promise<void> {
    if (this.count < MAX_SHELLS) return
    const idle = [...this.#entries.values()].find((entry) => entry.shell !== undefined && entry.waiting === 0)
    if (idle === undefined) {
      throw new SvcError(
        'TERMINAL_TOO_MANY',
        `All ${MAX_SHELLS} shells are busy; wait until one of their commands ends.`,
      )
    }
    await this.#closeIdle(idle, `the one before was closed because ${MAX_SHELLS} others were in use`)
  }

  #rest(entry: Entry): void {
    if (this.#closed || entry.shell === undefined) return
    const reason = `the one before was closed after ${IDLE_MS / 1000} s without a command`
    const close = () => void this.#closeIdle(entry, reason)
    entry.cancelIdle = this.#options.clock.after(IDLE_MS, close, { background: true })
  }

  async #closeIdle(entry: Entry, reason: string): Promise<void> {
    const { shell } = entry
    if (shell === undefined) return
    entry.cancelIdle?.()
    entry.shell = undefined
    entry.closedBecause = reason
    await this.#retire(shell)
  }

  async #retire(shell: Shell): Promise<void> {
    await shell.close()
    this.#live.delete(shell)
  }
}

function newEntry(sessionId: string, needs: readonly SandboxNeed[], cwd: string | undefined): Entry {
  const idleOutput = new Capture(IDLE_OUTPUT_LIMIT)
  return { sessionId, needs, cwd, beganInStored: cwd !== undefined, idleOutput, queue: Promise.resolve(), waiting: 0 }
}
