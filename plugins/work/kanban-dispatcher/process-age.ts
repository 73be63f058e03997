/** How long a process has run, whatever was done to the clock since it began. */
import { readFileSync } from 'node:fs'
import type { ProcessMark } from 'svc/sdk/kit/process'

/** Ticks of the kernel per second, as it shows them to programs on all present architectures: sysconf(_SC_CLK_TCK). */
const TICKS = 100

/**
 * Milliseconds; undefined where the system does not tell. On Linux the identity of a process ends with its start in ticks since boot.
 * Source: proc_uptime(5), proc_pid_stat(5).
 */
export function readProcessAge({ identity }: ProcessMark): number | undefined {
  const ticks = /:(\d+)$/.exec(identity)?.[1]
  if (process.platform !== 'linux' || ticks === undefined) return undefined
  try {
    const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0])
    return Math.max(0, uptime * 1000 - (Number(ticks) * 1000) / TICKS)
  } catch {
    // No /proc.
    return undefined
  }
}
