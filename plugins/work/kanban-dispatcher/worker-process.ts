/** Worker processes: started so that they outlive the dispatcher, told from later processes with their id, and ended as a whole. */
import { spawn } from 'node:child_process'
import { closeSync, readdirSync, readFileSync } from 'node:fs'
import type { Clock } from 'svc/sdk'
import { WORKER_VARIABLES, type WorkerIdentity } from 'svc/sdk/kanban'
import { findProcess, getMachineName, isSameProcess, markProcess, type ProcessMark } from 'svc/sdk/kit/process'

/** How a worker is started. */
export interface WorkerLaunch {
  readonly command: readonly string[]
  readonly cwd: string
  /** In addition to the environment of this process. */
  readonly variables: Readonly<Record<string, string>>
  /** A descriptor, which is closed here. */
  readonly log: number
}

/** How a worker ended, as its parent sees it. */
export interface WorkerExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A worker that was started. */
export interface StartedWorker {
  readonly mark: ProcessMark
  /** Does not keep this process alive. */
  readonly ended: Promise<WorkerExit>
  /** The same, and keeps this process alive until then. */
  wait(): Promise<WorkerExit>
}

/** Rejects with the error of the system where it cannot be started. */
export async function startWorker({ command, cwd, variables, log }: WorkerLaunch): Promise<StartedWorker> {
  const [program = '', ...args] = command
  try {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...variables },
      // A group of its own: it is ended as a whole, and no signal to this process reaches it.
      detached: true,
      stdio: ['ignore', log, log],
      windowsHide: true,
    })
    const ended = new Promise<WorkerExit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    child.unref()
    const pid = child.pid as number
    // One that has ended already has no identity any more; its end is known.
    const mark = markProcess(pid) ?? { pid, identity: '' }
    const wait = () => {
      child.ref()
      return ended
    }
    return { mark, ended, wait }
  } finally {
    closeSync(log)
  }
}

/** A process as boards store it. */
export function toIdentity({ pid, identity }: ProcessMark): WorkerIdentity {
  return { machine: getMachineName(), pid, startTime: identity }
}

/** Undefined for a process of another machine, which cannot be looked at. */
export function toMark({ machine, pid, startTime }: WorkerIdentity): ProcessMark | undefined {
  return machine === getMachineName() ? { pid, identity: startTime } : undefined
}

/** Whether this very process runs. One whose id was given to another process does not. */
export function isAlive(mark: ProcessMark): boolean {
  return isSameProcess(mark)
}

const POLL_MS = 50
/** A process in an uninterruptible wait ends only when the system lets it. */
const KILL_WAIT_MS = 5000

/**
 * Ends a worker with all that it started: asked first, forced after `graceMs`. Resolves when none of it is left; false when something
 * is. What merely has the id of the worker is never signalled.
 */
export async function endWorker(
  worker: { readonly mark: ProcessMark; readonly token: string },
  { graceMs, clock }: { readonly graceMs: number; readonly clock: Pick<Clock, 'monotonic' | 'sleep'> },
): Promise<boolean> {
  for (const [signal, waitMs] of [
    ['SIGTERM', graceMs],
    ['SIGKILL', KILL_WAIT_MS],
  ] as const) {
    const until = clock.monotonic() + waitMs
    send(worker, signal)
    while (listProcesses(worker).length > 0) {
      if (clock.monotonic() >= until) break
      await clock.sleep(POLL_MS)
      // What was started meanwhile is not missed.
      if (signal === 'SIGKILL') send(worker, signal)
    }
    if (listProcesses(worker).length === 0) return true
  }
  return false
}

/** Forces what a worker left to end, once it has ended itself. */
export function killLeftovers(worker: { readonly mark: ProcessMark; readonly token: string }): void {
  send(worker, 'SIGKILL')
}

type Worker = Parameters<typeof endWorker>[0]

function send(worker: Worker, signal: NodeJS.Signals): void {
  // The group first: what is in it cannot start more in between.
  if (isAlive(worker.mark)) signalOne(-worker.mark.pid, signal)
  for (const pid of listProcesses(worker)) signalOne(pid, signal)
}

/** Living processes that are the worker or have its token in the environment that they were started with. */
function listProcesses({ mark, token }: Worker): number[] {
  const own = isAlive(mark) ? [mark.pid] : []
  return [...new Set([...own, ...findByToken(token)])]
}

/** Only Linux shows the environment of a process as a file; elsewhere the group is all that is found. */
function findByToken(token: string): number[] {
  if (process.platform !== 'linux' || token === '') return []
  const wanted = `${WORKER_VARIABLES.token}=${token}`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => readEnvironment(name).includes(wanted) && findProcess(Number(name)) !== undefined)
    .map(Number)
}

/** Source: proc_pid_environ(5). */
function readEnvironment(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    // It has ended meanwhile, or belongs to another user.
    return []
  }
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
