/** The shells of all sessions: one each, at most sixteen, closed when nobody needs them. */
import { type Clock, SvcError, type Terminal } from 'svc/sdk'
import { Capture, type Captured } from './capture.ts'
import { closedError } from './places.ts'
import type { Shell } from './shell.ts'
import { canEnter, startShell } from './start-shell.ts'

const MOST_SHELLS = 16
const IDLE_MS = 300_000
/** Sessions whose folder is remembered after their shell was closed. */
const MOST_REMEMBERED = 256
const IDLE_OUTPUT_LIMIT = 4000

/** What the pool needs. */
export interface ShellsOptions {
  readonly clock: Clock
  /** Otherwise every command gets a fresh shell. */
  readonly persistent: boolean
  /** The place that a session works in. */
  readonly place: (sessionId: string, cwd: string) => Promise<Terminal>
  /** Gives a place up in which no shell starts. */
  readonly dropPlace: (sessionId: string) => Promise<void>
  /** Unguessable, and another one each time. */
  readonly mark: () => string
  /** Told before a shell starts. */
  readonly onStart?: () => void
}

/** A shell that is the borrower's alone until its work is done. */
export interface Loan {
  readonly shell: Shell
  /** What the user should know of it, such as that it is a new one. */
  readonly notes: readonly string[]
  /** What background jobs wrote since the last command. */
  readonly earlier: Captured
}

/** What is kept of a session. */
interface Entry {
  readonly sessionId: string
  shell?: Shell | undefined
  /** The folder of its last shell, as that saw it; undefined until there was one. */
  cwd: string | undefined
  /** Why that shell was closed, until somebody was told. */
  closedBecause?: string | undefined
  idleOutput: Capture
  cancelIdle?: (() => void) | undefined
  /** Settles when all that was asked so far is done. */
  queue: Promise<unknown>
  waiting: number
}

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
   * starts in `cwd`. Throws `TERMINAL_TOO_MANY`, `TERMINAL_CLOSED`, or what starting a shell throws.
   */
  async lend<T>(sessionId: string, cwd: string, work: (loan: Loan) => Promise<T>): Promise<T> {
    const loan = this.#options.persistent
      ? this.#lendKept(this.#entry(sessionId), cwd, work)
      : this.#lendFresh(sessionId, cwd, work)
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

  /** The folder of a session's shell, as the shell sees it. */
  folderOf(sessionId: string): string | undefined {
    const entry = this.#entries.get(sessionId)
    return entry?.shell?.cwd ?? entry?.cwd
  }

  #entry(sessionId: string): Entry {
    const entry = this.#entries.get(sessionId) ?? newEntry(sessionId)
    this.#entries.delete(sessionId)
    this.#entries.set(sessionId, entry)
    for (const [id, old] of this.#entries) {
      if (this.#entries.size <= MOST_REMEMBERED) break
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
    const shell = entry.shell?.alive ? entry.shell : await this.#replace(entry, cwd, notes)
    const earlier = entry.idleOutput.finish()
    entry.idleOutput = new Capture(IDLE_OUTPUT_LIMIT)
    try {
      return await work({ shell, notes, earlier })
    } finally {
      entry.cwd = shell.cwd
      if (!shell.alive) {
        entry.shell = undefined
        await this.#retire(shell)
      }
    }
  }

  async #replace(entry: Entry, cwd: string, notes: string[]): Promise<Shell> {
    if (entry.shell !== undefined) await this.#closeIdle(entry, 'the one before has ended')
    if (entry.closedBecause !== undefined)
      notes.push(`new shell: ${entry.closedBecause}; variables and functions are gone`)
    const shell = await this.#start(entry.sessionId, entry.cwd, cwd)
    if (entry.cwd !== undefined && shell.cwd !== entry.cwd)
      notes.push(`${entry.cwd} cannot be entered any more; now in ${shell.cwd}`)
    shell.onIdleOutput = (chunk) => entry.idleOutput.add(chunk)
    entry.shell = shell
    entry.closedBecause = undefined
    return shell
  }

  async #lendFresh<T>(sessionId: string, cwd: string, work: (loan: Loan) => Promise<T>): Promise<T> {
    const shell = await this.#start(sessionId, undefined, cwd)
    try {
      return await work({ shell, notes: [], earlier: new Capture(0).finish() })
    } finally {
      await this.#retire(shell)
    }
  }

  /** A shell in the folder that was left, else in the one the session works in. */
  async #start(sessionId: string, left: string | undefined, cwd: string): Promise<Shell> {
    await this.#makeRoom()
    this.#starting++
    try {
      if (this.#closed) throw closedError()
      this.#options.onStart?.()
      const terminal = await this.#options.place(sessionId, cwd)
      const shell = await this.#startIn(terminal, sessionId, left, cwd)
      this.#live.add(shell)
      if (!this.#closed) return shell
      await shell.kill()
      throw closedError()
    } finally {
      this.#starting--
    }
  }

  async #startIn(terminal: Terminal, sessionId: string, left: string | undefined, cwd: string): Promise<Shell> {
    const { clock, mark, dropPlace } = this.#options
    if (!terminal.elsewhere) {
      const folder = left !== undefined && (await canEnter(left)) ? left : cwd
      return startShell({ terminal, cwd: folder, mark: mark(), clock })
    }
    const { startFarShell } = await import('./far-shell.ts')
    try {
      return await startFarShell({ terminal, cwd: left, mark: mark(), clock })
    } catch (error) {
      await dropPlace(sessionId)
      throw error
    }
  }

  /** Closes the shell that was used least recently when there are too many. */
  async #makeRoom(): Promise<void> {
    if (this.count < MOST_SHELLS) return
    const idle = [...this.#entries.values()].find((entry) => entry.shell !== undefined && entry.waiting === 0)
    if (idle === undefined) {
      throw new SvcError(
        'TERMINAL_TOO_MANY',
        `All ${MOST_SHELLS} shells are busy; wait until one of their commands ends.`,
      )
    }
    await this.#closeIdle(idle, `the one before was closed because ${MOST_SHELLS} others were in use`)
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

function newEntry(sessionId: string): Entry {
  const idleOutput = new Capture(IDLE_OUTPUT_LIMIT)
  return { sessionId, cwd: undefined, idleOutput, queue: Promise.resolve(), waiting: 0 }
}
