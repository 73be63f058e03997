/** Tells a process from a later one that was given the same id, and finds the parent of a process. */
import type { ExecFileSyncOptionsWithStringEncoding } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process as it is recorded in a file or a database. @since 0.1 */
export interface ProcessMark {
  readonly pid: number
  /** Differs between two processes that had the same id. Empty where the system does not tell. */
  readonly identity: string
}

/** A process that runs. @since 0.1 */
export interface ProcessFacts extends ProcessMark {
  /** Undefined where the system does not tell. */
  readonly parentPid: number | undefined
}

/**
 * Describes a running process. Returns undefined if no process has this id, or only a zombie.
 *
 * The identity is the boot id and the start time in ticks since boot on Linux, the start time as `ps` prints it on
 * other systems, and empty on Windows and where neither can be read.
 * @since 0.1
 */
export function findProcess(pid: number): ProcessFacts | undefined {
  if (!isPidInUse(pid)) return undefined
  if (process.platform === 'linux') return readStat(pid)
  return (process.platform === 'win32' ? undefined : readPs(pid)) ?? { pid, identity: '', parentPid: undefined }
}

/** Whether this process was started by that one, or by something that it started. @since 0.1 */
export function isDescendantOf(pid: number): boolean {
  const seen = new Set<number>()
  for (let at = process.ppid; at > 1 && !seen.has(at); ) {
    if (at === pid) return true
    seen.add(at)
    const parentPid = findProcess(at)?.parentPid
    if (parentPid === undefined) return false
    at = parentPid
  }
  return false
}

/** The mark of a running process, or undefined if no process has this id. @since 0.1 */
export function markProcess(pid: number): ProcessMark | undefined {
  const found = findProcess(pid)
  return found && { pid, identity: found.identity }
}

/** The mark of this process. It is read once. @since 0.1 */
export function ownProcess(): ProcessMark {
  own ??= { pid: process.pid, identity: findProcess(process.pid)?.identity ?? '' }
  return own
}

let own: ProcessMark | undefined

/**
 * Whether the process of a mark still runs. If one of the two identities is unknown, a process with the same id counts
 * as the same: for locks, which must not be taken from a holder that may run.
 * @since 0.1
 */
export function isRunning(mark: ProcessMark): boolean {
  const now = findProcess(mark.pid)
  return now !== undefined && (mark.identity === '' || now.identity === '' || hasIdentity(now, mark))
}

/**
 * Whether the process of a mark still runs and is known to be the same: false if an identity is unknown. For signals,
 * which must not reach another process.
 * @since 0.1
 */
export function isSameProcess(mark: ProcessMark): boolean {
  const now = findProcess(mark.pid)
  return now !== undefined && mark.identity !== '' && hasIdentity(now, mark)
}

/** Earlier versions recorded the ticks without the boot id. */
function hasIdentity(now: ProcessMark, mark: ProcessMark): boolean {
  return mark.identity === (mark.identity.includes(':') ? now.identity : now.identity.split(':').at(-1))
}

/** Whether a process with this id exists. It can be a later process that reuses the id; see `isRunning`. @since 0.1 */
export function isPidInUse(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Source: proc_pid_stat(5), fields 3 (state), 4 (ppid) and 22 (starttime). The name before them can hold any character. */
function readStat(pid: number): ProcessFacts | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  // Without `/proc` only the id is known; with it, a missing file means that the process has just ended.
  if (stat === undefined) return bootId() === undefined ? { pid, identity: '', parentPid: undefined } : undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, ticks] = [fields[0], fields[1], fields[19]]
  if (!ticks || state === 'Z' || state === 'X') return undefined
  return { pid, identity: `${bootId() ?? 'boot'}:${ticks}`, parentPid: Number(parent) }
}

/** Source: ps(1) of POSIX for `ppid`; `lstart` is a keyword of BSD and macOS. */
function readPs(pid: number): ProcessFacts | undefined {
  try {
    const options: ExecFileSyncOptionsWithStringEncoding = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
    // Loaded here: on Linux nothing else of a short run needs it.
    const { execFileSync } = process.getBuiltinModule('node:child_process')
    const line = execFileSync('ps', ['-o', 'ppid=,lstart=', '-p', String(pid)], options).trim()
    const [, parent, started] = /^(\d+)\s+(.+)$/.exec(line) ?? []
    return started === undefined ? undefined : { pid, identity: started, parentPid: Number(parent) }
  } catch {
    return undefined
  }
}

function bootId(): string | undefined {
  boot ??= { id: readText('/proc/sys/kernel/random/boot_id')?.trim() }
  return boot.id
}

let boot: { readonly id: string | undefined } | undefined

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
