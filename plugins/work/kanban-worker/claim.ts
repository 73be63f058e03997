/** The claim that this process works under: kept alive while it works, and given up the moment it is lost. */
import { type Clock, errorCode, type Logger, type Usage } from 'svc/sdk'
import type { Boards, RunCost, Task, TaskLease, TaskRun } from 'svc/sdk/kanban'
import { getMachineName, ownProcess } from 'svc/sdk/kit/process'

const HEARTBEAT_MS = 20_000

export interface ClaimDeps {
  readonly boards: () => Boards
  readonly clock: Clock
  readonly log: Logger
}

/** How the task left the hands of this worker. */
export type Departure = 'completed' | 'handed-in' | 'blocked' | 'lost'

export class WorkerClaim {
  readonly lease: TaskLease
  /** As it was when the work began. */
  readonly task: Task
  readonly run: TaskRun
  readonly #deps: ClaimDeps
  readonly #abort: AbortController = new AbortController()
  /** By the monotonic clock: when the lease is surely over, whatever the clock of the store says. */
  #overAt: number
  #leaseMs: number
  #cost: RunCost
  #spending: Promise<void> = Promise.resolve()
  #cancel: () => void = () => {}
  departure: Departure | undefined

  /** Throws `KANBAN_LEASE_LOST`. */
  static async take(claim: Pick<TaskLease, 'taskId' | 'epoch'>, deps: ClaimDeps): Promise<WorkerClaim> {
    const boards = deps.boards()
    const lease = await boards.leaseOf(claim)
    const { pid, identity } = ownProcess()
    const run = await boards.started(lease, { machine: getMachineName(), pid, startTime: identity })
    return new WorkerClaim({ lease, run, task: await boards.get(claim.taskId) }, deps)
  }

  constructor(
    { lease, run, task }: { readonly lease: TaskLease; readonly run: TaskRun; readonly task: Task },
    deps: ClaimDeps,
  ) {
    this.lease = lease
    this.run = run
    this.task = task
    this.#deps = deps
    this.#cost = run.cost
    this.#leaseMs = Math.max(run.expiresAt - (run.heartbeatAt ?? run.startedAt), HEARTBEAT_MS * 2)
    this.#overAt = deps.clock.monotonic() + this.#leaseMs
    this.#beatLater()
  }

  /** Aborted when the task is lost: nothing may be done at it any more. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The task is out of the hands of this worker: nothing is to be said about it any more. */
  get isOver(): boolean {
    return this.departure !== undefined
  }

  async heartbeat(note?: string): Promise<TaskRun> {
    const run = await this.#deps.boards().heartbeat(this.lease, note === undefined ? {} : { note })
    this.#overAt = this.#deps.clock.monotonic() + this.#leaseMs
    return run
  }

  /** Adds what a model call took to the costs of the run. A board that cannot be reached now learns it with the next call. */
  spend({ costUsd, input = 0, output = 0 }: Usage, model: string): void {
    const { usd, unpricedCalls, calls, inputTokens, outputTokens } = this.#cost
    this.#cost = {
      usd: usd + (costUsd ?? 0),
      unpricedCalls: unpricedCalls + (costUsd === undefined ? 1 : 0),
      calls: calls + 1,
      inputTokens: inputTokens + input,
      outputTokens: outputTokens + output,
      ...(model !== '' && { model }),
    }
    const cost = this.#cost
    this.#spending = this.#spending
      .then(() => this.#deps.boards().spend(this.run.id, cost))
      .catch((error: unknown) => this.#deps.log.warn('the costs of a run could not be written down', { error }))
  }

  async close(): Promise<void> {
    this.#cancel()
    await this.#spending
  }

  /** Once it has lost the task, the work at it is stopped. */
  lose(): void {
    this.departure ??= 'lost'
    this.#abort.abort(new DOMException('the task was lost', 'AbortError'))
  }

  #beatLater(): void {
    this.#cancel = this.#deps.clock.after(HEARTBEAT_MS, () => void this.#beat(), { background: true })
  }

  async #beat(): Promise<void> {
    if (this.departure !== undefined && this.departure !== 'handed-in') return
    try {
      await this.heartbeat()
    } catch (error) {
      const isLost = errorCode(error) === 'KANBAN_LEASE_LOST' || errorCode(error) === 'KANBAN_TASK_UNKNOWN'
      // A store that cannot be reached is tried again, as long as no other worker can have the task.
      if (isLost || this.#deps.clock.monotonic() > this.#overAt) {
        this.#deps.log.warn('the task was lost; the work ends', { task: this.task.id, error })
        this.lose()
        return
      }
      this.#deps.log.warn('a heartbeat could not be written down', { error })
    }
    this.#beatLater()
  }
}
