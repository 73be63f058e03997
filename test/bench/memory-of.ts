/** Memory of a process that runs, once what it does not need is collected. It has to be started with `baseline/collect.mjs`. */
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Longer than `collect.mjs` takes. */
const COLLECT_MS = 6000

/** Pages that processes share are counted in parts. */
export async function memoryKib({ process: { pid } }: { readonly process: ChildProcess }): Promise<number> {
  if (pid === undefined) throw new Error('the process has not started')
  process.kill(pid, 'SIGUSR2')
  await new Promise((resolve) => setTimeout(resolve, COLLECT_MS))
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1])
}
