/** Actions that outlast a request: begun by one, followed by others. */
import { type Clock, errorCode, errorMessage, type Logger, logFault, type Secrets, SvcError } from 'svc/sdk'

export interface Action {
  readonly name: string
  readonly startedAt: number
  readonly lines: readonly string[]
  /** Of the process that does it. */
  readonly pid: number
  /** Undefined while it runs. */
  readonly endedAt?: number
  /** Of a process that ended; undefined when it was ended by a signal. */
  readonly exitCode?: number
  /** Why it failed. */
  readonly error?: { readonly code: string; readonly message: string }
}

type Running = { -readonly [Key in keyof Action]: Action[Key] } & { readonly lines: string[]; length: number }

/** How an action tells what it does. */
export interface ActionReport {
  line(text: string): void
  /** It is done by another process than this one. Called before anything is waited for. */
  process(pid: number): void
  exit(code: number): void
}

/** The last lines are stored: so many characters, which is about that many bytes. */
const MAX_TEXT = 2 ** 19
export const MAX_LINES = 5000
const MAX_LINE = 2000

interface Deps {
  readonly clock: () => Pick<Clock, 'now'>
  readonly secrets: () => Pick<Secrets, 'mask'>
  readonly log: Pick<Logger, 'warn'>
}

/** One action of a group at a time; of each name the last one is stored. Secrets are masked in what it says. */
export class Actions {
  readonly #deps: Deps
  readonly #actions = new Map<string, Running>()
  readonly #last = new Map<string, Running>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The one of a group that was begun last. */
  last(group: string): Action | undefined {
    return this.#last.get(group)
  }

  /** The last one of each name. */
  list(): readonly Action[] {
    return [...this.#actions.values()]
  }

  /** Throws `DASHBOARD_ACTION`. */
  get(name: string): Action {
    const action = this.#actions.get(name)
    if (action) return action
    throw new SvcError(
      'DASHBOARD_ACTION',
      `No action ${JSON.stringify(name.slice(0, 40))} was begun since the start.`,
      {
        status: 404,
      },
    )
  }

  /** Throws `DASHBOARD_ACTION` while one of the group is under way. */
  requireFree(group: string): void {
    const last = this.#last.get(group)
    if (!last || last.endedAt !== undefined) return
    throw new SvcError('DASHBOARD_ACTION', `The action ${last.name} is under way. Wait until it has ended.`, {
      status: 409,
    })
  }

  /** Begins it and returns at once. Throws `DASHBOARD_ACTION` while another one of the group runs. */
  begin(name: string, work: (report: ActionReport) => Promise<void>, group = name): Action {
    this.requireFree(group)
    const startedAt = this.#deps.clock().now()
    const action: Running = { name, pid: process.pid, startedAt, lines: [], length: 0 }
    this.#actions.set(name, action)
    this.#last.set(group, action)
    work(this.#createReport(action))
      .catch((error: unknown) => {
        logFault(this.#deps.log, `the action ${name} failed`, error)
        action.error = { code: errorCode(error), message: this.#deps.secrets().mask(errorMessage(error)) }
      })
      .finally(() => {
        action.endedAt = this.#deps.clock().now()
      })
    return action
  }

  #createReport(action: Running): ActionReport {
    return {
      line: (text) => {
        const line = this.#deps.secrets().mask(text).slice(0, MAX_LINE)
        action.lines.push(line)
        action.length += line.length
        while (action.lines.length > MAX_LINES || action.length > MAX_TEXT)
          action.length -= action.lines.shift()?.length ?? 0
      },
      process: (pid) => {
        action.pid = pid
      },
      exit: (code) => {
        action.exitCode = code
      },
    }
  }
}
