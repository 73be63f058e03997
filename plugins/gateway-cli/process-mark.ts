/** Tells a process from a later one with its number, and whose descendant a process is. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process as it is remembered. */
export interface ProcessMark {
  readonly pid: number
  /** When it began, in whatever way the system says it; empty where it does not. */
  readonly born: string
}

interface Facts {
  readonly born: string
  readonly parent: number
}

/** The mark of a process that runs; undefined when there is none of this number, or it is only a leftover entry. */
export function markOf(pid: number): ProcessMark | undefined {
  if (!isThere(pid)) return undefined
  const facts = factsOf(pid)
  return facts === 'gone' ? undefined : { pid, born: facts?.born ?? '' }
}

/** Whether the very process still runs. */
export function isRunning(mark: ProcessMark | undefined): boolean {
  if (mark === undefined) return false
  const now = markOf(mark.pid)
  return now !== undefined && (now.born === mark.born || mark.born === '' || now.born === '')
}

/** Whether this process was started by that one, or by something that it started. */
export function isBelow(pid: number): boolean {
  const seen = new Set<number>()
  for (let at = process.ppid; at > 1 && !seen.has(at); ) {
    if (at === pid) return true
    seen.add(at)
    const facts = factsOf(at)
    if (typeof facts !== 'object') return false
    at = facts.parent
  }
  return false
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function factsOf(pid: number): Facts | 'gone' | undefined {
  if (process.platform === 'linux') return factsOfStat(pid)
  return process.platform === 'win32' ? undefined : factsOfPs(pid)
}

/** Source: proc_pid_stat(5), fields 3 (state), 4 (ppid) and 22 (starttime); the name before them may hold anything. */
function factsOfStat(pid: number): Facts | 'gone' | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = '', parent = '0'] = fields
    return state === 'Z' || state === 'X' ? 'gone' : { born: fields[19] ?? '', parent: Number(parent) }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : undefined
  }
}

/** Source: ps(1) of POSIX, keyword `ppid`; `lstart` is a keyword of BSD and macOS. */
function factsOfPs(pid: number): Facts | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'ppid=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    const [, parent, born] = /^(\d+)\s+(.+)$/.exec(line) ?? []
    return born === undefined ? undefined : { born, parent: Number(parent) }
  } catch {
    // Without ps only the number is known.
    return undefined
  }
}
