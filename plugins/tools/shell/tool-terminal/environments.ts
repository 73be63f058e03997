/** The service `ExecutionEnvironments`: the environments that commands run in, with their files. */
import { errorCode } from 'svc/sdk'
import { createFilesOverCommands, findEnvironmentFolders } from 'svc/sdk/kit/environment'
import type { EnvironmentFiles, ExecutionEnvironment, ShellEnvironment } from 'svc/sdk/shell'
import type { OpenTerminals } from './open-terminals.ts'

export interface EnvironmentsDeps {
  /** The name of the backend. */
  readonly name: string
  readonly places: OpenTerminals
  /** Unguessable, and another one each time. */
  readonly mark: () => string
}

/** The environments of sessions, described once for each that is open. */
export class Environments {
  readonly #deps: EnvironmentsDeps
  readonly #described = new WeakMap<ShellEnvironment, Promise<ExecutionEnvironment>>()

  constructor(deps: EnvironmentsDeps) {
    this.#deps = deps
  }

  /** Undefined where files are those of this machine. Throws what opening throws, and `ENVIRONMENT_LOST`. */
  async find(session: { readonly sessionId: string; readonly cwd: string }): Promise<ExecutionEnvironment | undefined> {
    const { places } = this.#deps
    const opened = await places.open(session.sessionId, session.cwd)
    if (!opened.elsewhere) return undefined
    const describing = this.#described.get(opened) ?? this.#describe(opened, session.sessionId)
    this.#described.set(opened, describing)
    try {
      return await describing
    } catch (error) {
      this.#described.delete(opened)
      await places.drop(session.sessionId)
      throw error
    }
  }

  async #describe(opened: ShellEnvironment, sessionId: string): Promise<ExecutionEnvironment> {
    const { name, mark } = this.#deps
    const label = opened.label === undefined ? name : `${name} (${opened.label})`
    if (opened.files === 'none') return { name, label, folder: '/', home: '/' }
    const folders = await findEnvironmentFolders(opened, { mark })
    const files = opened.files ?? createFilesOverCommands(opened, { mark })
    return { name, label, ...folders, files: this.#watch(files, opened, sessionId) }
  }

  /** An environment that is gone is given up, so that the next call opens another. */
  #watch(files: EnvironmentFiles, opened: ShellEnvironment, sessionId: string): EnvironmentFiles {
    const giveUp = async (error: unknown): Promise<never> => {
      if (errorCode(error) !== 'ENVIRONMENT_LOST') throw error
      // One program may have been ended while all else goes on.
      const isGone = await findEnvironmentFolders(opened, this.#deps).then(
        () => false,
        () => true,
      )
      if (isGone) await this.#deps.places.drop(sessionId)
      throw error
    }
    return {
      info: (...args) => files.info(...args).catch(giveUp),
      read: (...args) => files.read(...args).catch(giveUp),
      readAll: (...args) => files.readAll(...args).catch(giveUp),
      write: (...args) => files.write(...args).catch(giveUp),
      list: (...args) => files.list(...args).catch(giveUp),
      names: (...args) => files.names(...args).catch(giveUp),
      search: (...args) => files.search(...args).catch(giveUp),
    }
  }
}
