/** The jobs of a plugin: `every` and `timeout` of its context. */

import { join } from 'node:path'
import type { ContextOwner } from '../kernel/context.ts'
import { runAs } from '../kernel/owner.ts'
import { errorMessage, SvcError } from '../sdk/errors.ts'
import { toRegistration } from '../sdk/kit/async/registration.ts'
import { isInterval, Repeater } from '../sdk/kit/async/repeater.ts'
import type { FileLock } from '../sdk/kit/process/file-lock.ts'
import type { Dispose, JobOptions, PluginContext, Registration, RepeatedJob } from '../sdk/plugin.ts'

type Job = Parameters<PluginContext<unknown>['timeout']>[1]

export class Jobs {
  readonly #whose: ContextOwner
  /** Names of jobs that one process of the home runs. */
  readonly #names: Set<string> = new Set()

  constructor(whose: ContextOwner) {
    this.#whose = whose
  }

  every(everyMs: number | (() => number), job: Job, options: JobOptions = {}): RepeatedJob {
    const { owner } = this.#whose
    if (typeof everyMs !== 'function' && !isInterval(everyMs))
      throw new SvcError('JOB_INVALID', `${owner.name} repeats a job every ${everyMs} ms; give a number above 0.`)
    const turn = options.one === 'home' ? this.#takeTurns(options.name ?? 'job') : undefined
    const { atStart = false, jitter = 0 } = options
    return this.#begin({ everyMs, atStart, jitter, job, ...(turn && { turn }) })
  }

  timeout(ms: number, job: Job): Registration {
    const { owner, scope, ground, whenStarted } = this.#whose
    if (!Number.isFinite(ms)) throw new SvcError('JOB_INVALID', `${owner.name} runs a job after ${ms} ms.`)
    const abort = new AbortController()
    let running: Promise<void> | undefined
    let cancel: Dispose = () => {}
    const run = async () => {
      try {
        await runAs(owner, () => job(abort.signal))
      } catch (error) {
        if (!abort.signal.aborted) this.#report(error)
      } finally {
        running = undefined
        void end()
      }
    }
    const undo = scope.defer(() => {
      cancel()
      abort.abort()
      return running
    })
    const end = toRegistration(() => void undo())
    whenStarted(() => {
      if (!abort.signal.aborted)
        cancel = ground.ports.clock.after(
          Math.max(0, ms),
          () => {
            running = run()
          },
          { background: true },
        )
    })
    return end
  }

  #begin({ job, turn, ...options }: JobPlan): RepeatedJob {
    const { owner, scope, ground, whenStarted } = this.#whose
    const { clock, random } = ground.ports
    const repeater = new Repeater({
      ...options,
      clock,
      random,
      run: (signal) => runAs(owner, () => job(signal)),
      onError: (error) => this.#report(error),
      ...(turn && { mayRun: turn.mayRun }),
    })
    const undo = scope.defer(async () => {
      await repeater.stop()
      turn?.end()
    })
    whenStarted(() => repeater.start())
    // A job that ends itself must not wait for itself.
    return Object.assign(
      toRegistration(() => void undo()),
      { wake: (ms?: number) => repeater.wake(ms) },
    )
  }

  /** One process of the home runs it: the one that holds the lock. */
  #takeTurns(name: string): Turn {
    const { owner, dataDir, ground } = this.#whose
    if (!/^[a-z\d][a-z\d-]{0,63}$/i.test(name) || this.#names.has(name))
      throw new SvcError(
        'JOB_INVALID',
        `${owner.name} has a job "${name}" twice, or its name is not one of letters, digits and hyphens. Give each job with one: 'home' a name.`,
      )
    this.#names.add(name)
    let lock: FileLock | undefined
    return {
      async mayRun() {
        // Loaded where it is needed: few plugins have such a job.
        const { tryFileLock } = await import('../sdk/kit/process/file-lock.ts')
        lock ??= tryFileLock(join(dataDir, 'jobs', `${name}.lock`), ground.ports.random).lock
        return lock !== undefined
      },
      end: () => {
        this.#names.delete(name)
        lock?.release()
      },
    }
  }

  #report(error: unknown): void {
    this.#whose.report('job', new SvcError('JOB_FAILED', errorMessage(error), { cause: error }))
  }
}

interface JobPlan {
  readonly everyMs: number | (() => number)
  readonly atStart: boolean
  readonly jitter: number
  readonly job: Job
  readonly turn?: Turn
}

interface Turn {
  mayRun(): Promise<boolean>
  end(): void
}
