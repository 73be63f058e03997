/** Memory of a process that runs, once what it does not need is given back. It has to be started with `baseline/collect.mjs`. */
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Longer than `collect.mjs` takes on a busy machine. */
const COLLECT_MS = 12_000

/** Pages that processes share are counted in parts. */
export async function memoryKib({ process: child }: { readonly process: ChildProcess }): Promise<number> {
  child.kill('SIGUSR2')
  await new Promise((resolve) => setTimeout(resolve, COLLECT_MS))
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/smaps_rollup`, 'utf8'))?.[1])
}
