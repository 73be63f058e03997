/** The processes a shell has started, however far they went: found by ancestry, by session and by a mark in their environment. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { platform } from 'node:process'
import { promisify } from 'node:util'
import type { Clock } from 'svc/sdk'

/** The environment variable that marks a shell and all that it starts. */
export const MARK_VARIABLE = 'SVC_SHELL'

/**
 * A shell function that prints the ids of all processes whose mark begins with the text. Where there is no /proc (BSD,
 * macOS) ps shows environments. Without -z, the grep of busybox sees no further than the first NUL.
 */
export function markedFunction(mark: string): string {
  return `marked() {
  if [ -r /proc/self/environ ]; then grep -lszF '${MARK_VARIABLE}=${mark}' /proc/[0-9]*/environ | sed 's|[^0-9]||g'
  else ps -axEww -o pid=,command= 2>/dev/null | grep -F '${MARK_VARIABLE}=${mark}' | grep -v grep | awk '{print $1}'; fi
}`
}

const GRACE_MS = 1000
const POLL_MS = 20

/** A shell: its process, which leads a session, and the value of its mark. */
export interface Family {
  /** Undefined for a shell that never started: then only marked processes belong to it. */
  readonly pid: number | undefined
  readonly mark: string
  /** Sends a signal to the shell itself; does nothing when it has ended. */
  readonly signal: (signal: NodeJS.Signals) => void
}

interface ProcessRow {
  readonly pid: number
  readonly parent: number
  /** The session on Linux, the process group elsewhere. */
  readonly group: number
  readonly marked: boolean
}

/**
 * Ends everything the shell started and the shell itself: asked first, forced after a second.
 * The shell is frozen before, so that it does not continue with the next command of a list.
 */
export async function endFamily(family: Family, clock: Clock): Promise<void> {
  family.signal('SIGSTOP')
  const found = await members(family)
  // All are frozen before the first is asked to end: no script sees its command die and continues with the next.
  for (const signal of ['SIGSTOP', 'SIGTERM', 'SIGCONT'] as const) for (const pid of found) send(pid, signal)
  const deadline = clock.monotonic() + GRACE_MS
  for (let left = found; left.length > 0 && clock.monotonic() < deadline; left = await members(family)) {
    await clock.sleep(POLL_MS)
  }
  family.signal('SIGKILL')
  // Until no process is found, and at least once: a shell that forks while it is stopped has a child that no list shows
  // yet.
  for (let round = 0; round < 10; round++) {
    const left = await members(family)
    if (left.length === 0) return
    for (const pid of left) send(pid, 'SIGKILL')
  }
}

/** Living processes of the family without the shell itself. */
export async function members(family: Pick<Family, 'pid' | 'mark'>): Promise<number[]> {
  const rows = platform === 'linux' ? linuxRows(family.mark) : await posixRows()
  const parents = new Map(rows.map((row) => [row.pid, row.parent]))
  return rows
    .filter((row) => row.pid !== family.pid && row.pid !== process.pid)
    .filter((row) => row.marked || isBelow(row, family.pid, parents))
    .map((row) => row.pid)
}

/** Every process descends from 0 and nearly every one from 1: neither is ever the shell. */
function isBelow(row: ProcessRow, pid: number | undefined, parents: ReadonlyMap<number, number>): boolean {
  if (pid === undefined || pid <= 1) return false
  return row.group === pid || descends(row.pid, pid, parents)
}

function descends(pid: number, from: number, parents: ReadonlyMap<number, number>): boolean {
  let at: number | undefined = pid
  for (let steps = 0; at !== undefined && at > 1 && steps < 1000; steps++) {
    at = parents.get(at)
    if (at === from) return true
  }
  return false
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // ESRCH: it has just ended. EPERM: it runs as another user (sudo) and cannot be signalled.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

/** These files are made by the kernel when they are read: on the spot that takes a tenth of what a round trip takes. */
function linuxRows(mark: string): ProcessRow[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return ids.map((id) => linuxRow(Number(id), mark)).filter((row) => row !== undefined)
}

/** `/proc/<pid>/stat`: pid (name) state parent group session ... The name may hold spaces and parentheses. */
function linuxRow(pid: number, mark: string): ProcessRow | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  const [state, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === 'Z' || state === 'X') return undefined
  const marked = readIfThere(`/proc/${pid}/environ`)?.split('\0').includes(`${MARK_VARIABLE}=${mark}`) ?? false
  return { pid, parent: Number(parent), group: Number(session), marked }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // The process has ended meanwhile, or belongs to another user.
    return undefined
  }
}

async function posixRows(): Promise<ProcessRow[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='])
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state !== undefined && !state.startsWith('Z'))
    .map(([pid, parent, group]) => ({ pid: Number(pid), parent: Number(parent), group: Number(group), marked: false }))
}
