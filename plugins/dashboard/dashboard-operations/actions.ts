/** Actions that outlast a request: begun by one, followed by others. */
import { type Clock, errorCode, errorMessage, type Logger, logFault, type Secrets, SvcError } from 'svc/sdk'

export interface Action {
  readonly name: string
  readonly startedAt: number
  readonly lines: readonly string[]
  /** Undefined while it runs. */
  readonly endedAt?: number
  /** Why it failed. */
  readonly error?: { readonly code: string; readonly message: string }
}

type Running = { -readonly [Key in keyof Action]: Action[Key] } & { readonly lines: string[] }

/** The last lines are stored. */
const MAX_LINES = 500
const MAX_LINE = 2000

interface Deps {
  readonly clock: () => Pick<Clock, 'now'>
  readonly secrets: () => Pick<Secrets, 'mask'>
  readonly log: Pick<Logger, 'warn'>
}

/** One action at a time; of each name the last one is stored. Secrets are masked in what it says. */
export class Actions {
  readonly #deps: Deps
  readonly #actions = new Map<string, Running>()
  #last: Running | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The one that was begun last. */
  get last(): Action | undefined {
    return this.#last
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

  /** Begins it and returns at once. Throws `DASHBOARD_ACTION` while another one runs. */
  begin(name: string, work: (report: (line: string) => void) => Promise<void>): Action {
    if (this.#last && this.#last.endedAt === undefined)
      throw new SvcError('DASHBOARD_ACTION', `The action ${this.#last.name} is under way. Wait until it has ended.`, {
        status: 409,
      })
    const action: Running = { name, startedAt: this.#deps.clock().now(), lines: [] }
    this.#actions.set(name, action)
    this.#last = action
    const report = (line: string) => {
      action.lines.push(this.#deps.secrets().mask(line).slice(0, MAX_LINE))
      if (action.lines.length > MAX_LINES) action.lines.shift()
    }
    work(report)
      .catch((error: unknown) => {
        logFault(this.#deps.log, `the action ${name} failed`, error)
        action.error = { code: errorCode(error), message: this.#deps.secrets().mask(errorMessage(error)) }
      })
      .finally(() => {
        action.endedAt = this.#deps.clock().now()
      })
    return action
  }
}
