/** Looks after runs that have not ended: whether their worker lives, and what its end means. */
import { errorMessage, logFault } from 'svc/sdk'
import type { DispatchOptions, RunEnd, TaskRun } from 'svc/sdk/kanban'
import { getMachineName, isRunning, type ProcessMark } from 'svc/sdk/kit/process'
import { parseHolder } from './holder.ts'
import { readProcessAge } from './process-age.ts'
import type { WorkerRecord } from './records.ts'
import type { DispatchReport } from './report.ts'
import { settleSubmission } from './settle-submission.ts'
import { claimKey, type DispatchState, endRun } from './state.ts'
import { judgeEnd } from './worker-end.ts'
import { endWorker, isAlive, killLeftovers, toMark } from './worker-process.ts'

/** Runs that are looked at in one look. */
const MAX_RUNS = 5000
/** How long a worker that has handed in, completed or lost its task may go on: it writes its last answer. */
const FINISH_MS = 60_000
/** The wait after a rate limit before the same profile gets another task. */
const PROFILE_PAUSE_MS = 60_000

/** So many workers that crash in one look for the same reason fail for a reason of the machine: none of them is tried again. */
const MAX_ALIKE = 3

/** What was seen of a run, by the monotonic clock: that of the store may jump. */
interface Sighting {
  readonly firstAt: number
  /** The last heartbeat of the worker, and when it was first seen. */
  heartbeat: number | undefined
  aliveAt: number
  /** When it was first seen to have handed in, or to have lost its task. */
  finishingAt?: number
}

export class RunCare {
  readonly #state: DispatchState
  readonly #sightings: Map<string, Sighting> = new Map()

  constructor(state: DispatchState) {
    this.#state = state
  }

  async look(report: DispatchReport, options: DispatchOptions): Promise<void> {
    const boards = this.#state.deps.boards()
    const runs = await boards.runs({ board: null, isOpen: true, limit: MAX_RUNS })
    const lapsed = new Set((await boards.lapsed(null)).map(claimKey))
    const open = new Set(runs.map(claimKey))
    const crashed: Crash[] = []
    for (const run of runs) {
      const key = claimKey(run)
      if (this.#state.works.has(key) || this.#state.starting.has(key)) continue
      try {
        await this.#lookAt(run, { report, options, crashed, isLapsed: lapsed.has(key) })
      } catch (error) {
        // One run that cannot be dealt with must not keep the others waiting.
        logFault(this.#state.deps.log, `the run of task ${run.taskId} could not be looked after`, error)
      }
    }
    await this.#endCrashed(crashed, report, options)
    this.#lookAtRecords(open)
    for (const key of this.#sightings.keys()) if (!open.has(key) && !this.#isRecorded(key)) this.#sightings.delete(key)
  }

  async #lookAt(run: TaskRun, look: Look): Promise<void> {
    const record = this.#state.deps.records.find(run)
    const mark = (run.worker && toMark(run.worker)) ?? record?.mark
    if (run.worker && !toMark(run.worker)) return this.#lookAtForeign(run, look)
    if (!mark) return this.#lookAtUnstarted(run, record, look)
    return isAlive(mark)
      ? this.#lookAtLiving({ run, record, mark }, look)
      : this.#lookAtDead({ run, record, mark }, look)
  }

  /** Its machine cannot be asked. A worker that loses its lease ends itself. */
  async #lookAtForeign(run: TaskRun, { report, isLapsed }: Look): Promise<void> {
    if (!isLapsed) return
    const error = `The worker on ${run.worker?.machine} gave no sign of life before its lease was over.`
    await endRun(this.#state, run, { outcome: 'lapsed', error, failureLimit: this.#limit({}) }, report)
  }

  /** Claimed, and no worker has reported. What was started all the same is found by its token, and loses its claim. */
  async #lookAtUnstarted(run: TaskRun, record: WorkerRecord | undefined, look: Look): Promise<void> {
    const holder = parseHolder(run.holder)
    const isOurs = holder?.machine === getMachineName()
    const isLeft = isOurs && holder !== undefined && !isRunning(holder)
    const waitedMs = this.#state.deps.clock.monotonic() - this.#sight(run).firstAt
    const isLate = isOurs && waitedMs > this.#state.deps.config().start_grace_seconds * 1000
    if (!isLeft && !isLate && !look.isLapsed) return
    const error = isLeft
      ? 'The dispatcher ended before its worker had reported.'
      : 'The worker did not report after it was started.'
    const worker = { mark: record?.mark ?? { pid: 0, identity: '' }, token: record?.token ?? '' }
    this.#end({ run, worker }, { outcome: 'lapsed', error }, look)
  }

  async #lookAtLiving({ run, record, mark }: Held, look: Look): Promise<void> {
    const { clock, config } = this.#state.deps
    const worker = { mark, token: record?.token ?? '' }
    const seen = this.#sight(run)
    const now = clock.monotonic()
    const ageMs = readProcessAge(mark) ?? now - seen.firstAt
    if (run.submission) {
      seen.finishingAt ??= now
      if (now - seen.finishingAt > FINISH_MS) this.#work(run, async () => void (await this.#stop(worker)))
      return
    }
    if (run.maxRuntimeMs !== undefined && ageMs > run.maxRuntimeMs) {
      const error = `It took longer than ${Math.round(run.maxRuntimeMs / 1000)} s.`
      this.#end({ run, worker }, { outcome: 'timed_out', error, details: { elapsedMs: Math.round(ageMs) } }, look)
      return
    }
    const silentMs = now - seen.aliveAt
    if (silentMs > config().stale_seconds * 1000) {
      const error = `The worker runs, but gave no sign of life for ${Math.round(silentMs / 1000)} s.`
      this.#end({ run, worker }, { outcome: 'stale', error }, look)
      return
    }
    if (look.isLapsed) await this.#prolong(run, seen, look.report)
  }

  /** The clock was set forward, or the worker is busy: it lives, so it keeps its task. This is no sign of life of the worker. */
  async #prolong(run: TaskRun, seen: Sighting, report: DispatchReport): Promise<void> {
    const boards = this.#state.deps.boards()
    const after = await boards.heartbeat(await boards.leaseOf(run))
    seen.heartbeat = after.heartbeatAt
    report.extended.push(run.taskId)
  }

  async #lookAtDead({ run, record, mark }: Held, look: Look): Promise<void> {
    const { deps, exits } = this.#state
    // The system shows that a child is dead before its exit code is told.
    const exit = await exits.get(claimKey(run))?.()
    killLeftovers({ mark, token: record?.token ?? '' })
    // It may have handed in between the look at the boards and its end.
    const [now] = (await deps.boards().runs({ board: null, taskId: run.taskId, isOpen: true, limit: 1 })).filter(
      ({ epoch }) => epoch === run.epoch,
    )
    if (!now) return
    if (now.submission) {
      this.#work(run, () => settleSubmission(this.#state, now, { record, failureLimit: this.#limit(look.options) }))
      return
    }
    const end = judgeEnd(exit, deps.records.readReport(run))
    if (end.outcome === 'rate_limited' && run.assignee !== undefined)
      this.#state.pauses.set(run.assignee, deps.clock.monotonic() + PROFILE_PAUSE_MS)
    if (end.outcome === 'crashed') look.crashed.push({ run, end })
    else await endRun(this.#state, run, { ...end, failureLimit: this.#limit(look.options) }, look.report)
  }

  async #endCrashed(crashed: readonly Crash[], report: DispatchReport, options: DispatchOptions): Promise<void> {
    const counts = new Map<string, number>()
    for (const { end } of crashed) counts.set(toPattern(end), (counts.get(toPattern(end)) ?? 0) + 1)
    for (const { run, end } of crashed) {
      const isCommon = isExplained(end) && (counts.get(toPattern(end)) ?? 0) >= MAX_ALIKE
      const failureLimit = isCommon ? 1 : this.#limit(options)
      try {
        await endRun(this.#state, run, { ...end, failureLimit }, report)
      } catch (error) {
        logFault(this.#state.deps.log, `the run of task ${run.taskId} could not be ended`, error)
      }
    }
  }

  /** Workers whose run has ended: they finish, lost their task, or are gone. */
  #lookAtRecords(open: ReadonlySet<string>): void {
    const { deps, works, starting, exits } = this.#state
    for (const record of deps.records.list()) {
      const key = claimKey(record)
      if (open.has(key) || works.has(key) || starting.has(key)) continue
      const worker = { mark: record.mark ?? { pid: 0, identity: '' }, token: record.token }
      if (record.mark && isAlive(record.mark)) {
        const seen = this.#sight(record)
        seen.finishingAt ??= deps.clock.monotonic()
        if (deps.clock.monotonic() - seen.finishingAt <= FINISH_MS) continue
        this.#work(record, async () => void (await this.#stop(worker)))
        continue
      }
      killLeftovers(worker)
      deps.records.remove(record)
      exits.delete(key)
    }
  }

  #isRecorded(key: string): boolean {
    const [taskId = '', epoch] = key.split('.')
    return this.#state.deps.records.find({ taskId, epoch: Number(epoch) }) !== undefined
  }

  /** Ends the worker, then its run. A worker that nothing ends keeps its task, so that no second one works beside it. */
  #end({ run, worker }: { readonly run: TaskRun; readonly worker: Ending }, end: RunEnd, { options }: Look): void {
    this.#work(run, async () => {
      if (!(await this.#stop(worker))) return
      await endRun(this.#state, run, { ...end, failureLimit: this.#limit(options) }, { ended: this.#state.late })
    })
  }

  async #stop(worker: Ending): Promise<boolean> {
    const { clock, config, log } = this.#state.deps
    const isEnded = await endWorker(worker, { graceMs: config().stop_grace_seconds * 1000, clock })
    if (!isEnded) log.warn('a worker cannot be ended', { pid: worker.mark.pid })
    return isEnded
  }

  #work(claim: { readonly taskId: string; readonly epoch: number }, work: () => Promise<void>): void {
    const { works, deps } = this.#state
    const key = claimKey(claim)
    const done = work()
      .catch((error: unknown) => {
        if (deps.signal.aborted) return
        logFault(deps.log, `task ${claim.taskId} could not be settled: ${errorMessage(error)}`, error)
      })
      .finally(() => {
        works.delete(key)
        deps.wake()
      })
    works.set(key, done)
  }

  #sight(claim: { readonly taskId: string; readonly epoch: number; readonly heartbeatAt?: number }): Sighting {
    const now = this.#state.deps.clock.monotonic()
    const key = claimKey(claim)
    const seen = this.#sightings.get(key) ?? { firstAt: now, heartbeat: claim.heartbeatAt, aliveAt: now }
    this.#sightings.set(key, seen)
    if (claim.heartbeatAt !== undefined && claim.heartbeatAt !== seen.heartbeat)
      Object.assign(seen, { heartbeat: claim.heartbeatAt, aliveAt: now })
    return seen
  }

  #limit({ failureLimit }: DispatchOptions): number {
    return failureLimit ?? this.#state.deps.config().failure_limit
  }
}

/** What is different from one worker to the next does not tell reasons apart. */
function toPattern({ error = '' }: RunEnd): string {
  return error.replaceAll(/t_[0-9a-f]+|\d+/g, '#')
}

/** Workers that were killed, as by a restart of the machine, had no reason of their own. */
const isExplained = ({ details }: RunEnd): boolean => typeof details?.['exitCode'] === 'number'

interface Crash {
  readonly run: TaskRun
  readonly end: RunEnd
}

interface Look {
  /** Settled together, at the end of the look. */
  readonly crashed: Crash[]
  readonly report: DispatchReport
  readonly options: DispatchOptions
  readonly isLapsed: boolean
}

interface Held {
  readonly run: TaskRun
  readonly record: WorkerRecord | undefined
  readonly mark: ProcessMark
}

type Ending = { readonly mark: ProcessMark; readonly token: string }
