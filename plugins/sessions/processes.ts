/** Tells whether the process that began a turn still runs. A process id alone does not: the system uses it again. */
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import type { Clock } from 'svc/sdk'

/** A process as a turn remembers it. */
export interface ProcessMark {
  readonly pid: number
  /** Differs between two processes that had the same id, or `unknown` where the system does not tell. */
  readonly identity: string
}

/** The processes of this machine. */
export interface Processes {
  own(): ProcessMark
  /** Whether the process that held this mark at `since` (milliseconds since 1970) still runs. */
  isRunning(mark: ProcessMark, since: number): boolean
}

const unknown = 'unknown'
/** Clocks that are compared here come from different places of the system. */
const toleranceMs = 60_000

/** The real ones. */
export function systemProcesses(clock: Clock): Processes {
  let own: ProcessMark | undefined
  return {
    own: () => {
      own ??= { pid: process.pid, identity: identityOf(process.pid) ?? unknown }
      return own
    },
    isRunning: (mark, since) =>
      mark.identity === unknown ? seemsRunning(mark.pid, since, clock) : identityOf(mark.pid) === mark.identity,
  }
}

/**
 * Boot and start time in ticks since then; undefined when there is no such process, or no `/proc`.
 * Source: proc_pid_stat(5), fields 3 (state) and 22 (starttime); the name before them may hold any character.
 */
function identityOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTime] = [fields?.[0], fields?.[19]]
  if (!startTime || state === 'Z' || state === 'X') return undefined
  return `${readText('/proc/sys/kernel/random/boot_id')?.trim() ?? 'boot'}:${startTime}`
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // No such process, or no such system: the caller knows what that means.
    return undefined
  }
}

function seemsRunning(pid: number, since: number, clock: Clock): boolean {
  const now = clock.now()
  if (since < now - uptime() * 1000 - toleranceMs) return false
  if (pid === process.pid) return since >= now - process.uptime() * 1000 - toleranceMs
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM'
  }
}
