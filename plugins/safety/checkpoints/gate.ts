/** Takes a snapshot before the first tool of a turn that may write. Never keeps a tool from running. */
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { errorCode, errorMessage, type Logger, logFault, type ToolCallEvent, type Translate } from 'svc/sdk'
import { abortable } from 'svc/sdk/kit/async'
import type { ShellCommandAnalysis } from 'svc/sdk/shell'
import { isWithin } from './path.ts'
import { isTooWide, type Project, realPath } from './project.ts'
import type { CheckpointStore, Where } from './service.ts'

/** A session and the folder that it works in, on this machine. */
export interface WorkingSession {
  readonly sessionId: string
  readonly cwd: string
}

export interface GateDeps {
  readonly store: () => Promise<CheckpointStore>
  /** Judges commands; while it is absent every command counts as writing. */
  readonly risks: () => ShellCommandAnalysis | undefined
  /** The project of a session whose commands run elsewhere. Throws `CHECKPOINT_LEFT_OUT`. */
  readonly projectThere: (session: WorkingSession) => Promise<Project | undefined>
  readonly log: Logger
  readonly t: Translate
  /** Called when a snapshot was made. */
  readonly made: () => void
}

/** One for all turns of this process. */
export class Gate {
  readonly #deps: GateDeps
  /** Of each turn under way, the folders that were looked after, with the work. */
  readonly #turns: Map<string, Map<string, Promise<void>>> = new Map()
  /** Folders that took too long: once is enough for a process. */
  readonly #slow: Set<string> = new Set()
  /** Notices by session. */
  readonly #told: Map<string, Set<string>> = new Map()

  constructor(deps: GateDeps) {
    this.#deps = deps
  }

  /** Resolves when the tool may run. */
  async before(request: ToolCallEvent): Promise<void> {
    try {
      if (request.acts.environment !== undefined) {
        const project = await this.#projectThere(request)
        if (project) await this.#wait(request, [project], await this.#deps.store())
        return
      }
      const places = await this.#places(request)
      if (places.length === 0) return
      const store = await this.#deps.store()
      const roots = new Set(places.flatMap((place) => rootFor(store, place, request.turn.cwd) ?? []))
      await this.#wait(request, [...roots], store)
    } catch (error) {
      logFault(this.#deps.log, 'no snapshot of the files was taken', error)
      this.#tell(request, errorMessage(error))
    }
  }

  /** A turn is over. */
  ended(turnId: string): void {
    this.#turns.delete(turnId)
  }

  async #wait(request: ToolCallEvent, roots: readonly Where[], store: CheckpointStore): Promise<void> {
    const work = Promise.all(roots.map((root) => this.#once(store, request, root)))
    // An interrupt of the turn ends the wait.
    const { signal } = request.turn
    await abortable(work, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }

  /** The project of another environment, when the tool may change something in it. */
  async #projectThere(request: ToolCallEvent): Promise<Project | undefined> {
    const { acts, turn } = request
    if (acts.command === undefined ? acts.writes?.length === 0 : !(await this.#mayWrite(request, acts.command)))
      return undefined
    const project = await this.#deps.projectThere(turn)
    const isIn = (path: string) => project !== undefined && isWithin(path, project.root)
    return acts.command !== undefined || acts.writes === undefined || acts.writes.some(isIn) ? project : undefined
  }

  /** Folders that the tool may change; none when it surely changes nothing. */
  async #places(request: ToolCallEvent): Promise<readonly string[]> {
    const { input, tool, acts, turn } = request
    const { command, cwd = turn.cwd, writes } = acts
    const files = (writes ?? []).map((path) => resolve(turn.cwd, cwd, path.replace(/^~(?=\/|$)/, homedir())))
    const paths = [...files, ...(tool.paths?.(input, turn.cwd) ?? [])]
    const folders = paths.map((path) => (isFolder(path) ? path : dirname(path)))
    if (command !== undefined)
      return (await this.#mayWrite(request, command)) ? [turn.cwd, resolve(turn.cwd, cwd), ...folders] : folders
    const isTold = paths.length > 0 || writes !== undefined || tool.effect === 'idempotent'
    return isTold ? folders : [turn.cwd]
  }

  /** A command counts as writing while nothing can judge it. */
  async #mayWrite({ acts, turn }: ToolCallEvent, command: string): Promise<boolean> {
    try {
      const risk = await this.#deps.risks()?.command(command, {
        cwd: resolve(turn.cwd, acts.cwd ?? turn.cwd),
        sessionId: turn.sessionId,
        ...(acts.shell && { shell: acts.shell }),
      })
      return risk?.writes !== false
    } catch (error) {
      this.#deps.log.warn('a command was not judged', { error })
      return true
    }
  }

  /** Calls that run side by side wait for one and the same snapshot. */
  #once(store: CheckpointStore, request: ToolCallEvent, where: Where): Promise<void> {
    const root = typeof where === 'string' ? where : where.key
    const { turnId } = request.turn
    const taken = this.#turns.get(turnId) ?? new Map<string, Promise<void>>()
    this.#turns.set(turnId, taken)
    const work = taken.get(root) ?? this.#take(store, request, where, root)
    taken.set(root, work)
    return work
  }

  async #take(store: CheckpointStore, request: ToolCallEvent, where: Where, root: string): Promise<void> {
    const { sessionId, turnId } = request.turn
    if (this.#slow.has(root)) return
    try {
      const reason = `before ${request.name}`
      const { id, why } = await store.keep(where, { reason, kind: 'change', sessionId, turnId })
      if (id !== undefined) this.#deps.made()
      else if (why?.kind === 'left-out') this.#tell(request, why.text)
    } catch (error) {
      if (errorCode(error) === 'CHECKPOINT_SLOW') this.#slow.add(root)
      this.#deps.log.warn('no snapshot', { root, code: errorCode(error), error })
      this.#tell(request, errorMessage(error))
    }
  }

  /** Once in a session. */
  #tell({ turn }: ToolCallEvent, why: string): void {
    const told = this.#told.get(turn.sessionId) ?? new Set()
    this.#told.set(turn.sessionId, told)
    if (told.has(why)) return
    told.add(why)
    const { t } = this.#deps
    try {
      turn.emit({
        type: 'notice',
        text: t('No snapshot of the files: {why} What is changed now cannot be rolled back.', { why }),
      })
    } catch (error) {
      this.#deps.log.warn('could not tell that there is no snapshot', { error })
    }
  }
}

/**
 * Files in the project that the session works in belong to that, others to the project they are in; undefined for those
 * in none.
 */
function rootFor(store: CheckpointStore, place: string, cwd: string): string | undefined {
  const { root } = store.project(cwd)
  const own = store.project(place)
  const folder = realPath(place)
  if (folder === root || (!isTooWide(root) && folder.startsWith(`${root}/`))) return root
  return own.isMarked ? own.root : undefined
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // A file that is to be made.
    return false
  }
}
