/** Tells whether the process that began a turn still runs. A process id alone does not: the system uses it again. */
import { uptime } from 'node:os'
import type { Clock } from 'svc/sdk'
import { isPidInUse, isSameProcess, ownProcess, type ProcessMark } from 'svc/sdk/kit/process'

/** The processes of this machine. */
export interface Processes {
  own(): ProcessMark
  /** Whether the process that held this mark at `since` (milliseconds since 1970) still runs. */
  isRunning(mark: ProcessMark, since: number): boolean
}

/** The identity that is stored where the system does not tell. */
const UNKNOWN = 'unknown'
/** Clocks that are compared here come from different places of the system. */
const toleranceMs = 60_000

/** The real ones. */
export function systemProcesses(clock: Clock): Processes {
  return {
    own: () => ({ pid: process.pid, identity: ownProcess().identity || UNKNOWN }),
    isRunning: (mark, since) =>
      mark.identity === UNKNOWN ? seemsRunning(mark.pid, since, clock) : isSameProcess(mark),
  }
}

function seemsRunning(pid: number, since: number, clock: Clock): boolean {
  const now = clock.now()
  if (since < now - uptime() * 1000 - toleranceMs) return false
  if (pid === process.pid) return since >= now - process.uptime() * 1000 - toleranceMs
  return isPidInUse(pid)
}
