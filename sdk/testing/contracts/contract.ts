/** What every contract suite is made of; no test runner is needed. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One promise of a contract. `run` rejects with a sentence about what was broken. @since 0.1 */
export interface ContractCase {
  readonly name: string
  run(): Promise<void>
}

/** What `work` gives, or a failure that names `what` when it has not settled after `ms`. */
export async function soon<T>(ms: number, what: string, work: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: `${what} took longer than ${ms} ms` })), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** What `work` was refused with; a failure that names `what` when it was not refused. */
export async function refusal(what: string, work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error
  }
  return assert.fail(`${what} should have been refused`)
}

/** Looks again and again until `look` gives something, at most `ms`. */
export async function seen<T>(
  ms: number,
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (const end = performance.now() + ms; ; ) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > end) assert.fail(`${what} did not happen within ${ms} ms`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Runs `work` with an empty folder that is gone afterwards. */
export async function inFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-contract-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
