/** Folders in which fetched skills are looked at. Each names the process that uses it, so that what a kill left is cleared away. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning, ownProcess } from 'svc/sdk/kit/process'
import { z } from 'zod'

const OWNER = 'owner.json'
const NAME = /^[0-9a-f]{16}$/
/** A folder without an owner is one that was killed in its first moment, or of an earlier version. */
const UNOWNED_MS = 86_400_000

const mark = z.object({ pid: z.number(), identity: z.string() })

/** Makes the folder; its owner is on disk before anything else is. */
export function openQuarantine(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, OWNER), JSON.stringify(ownProcess()), { mode: 0o600 })
}

/** Removes the folders of processes that have ended. What an interrupted move keeps there has another name and stays. */
export function clearQuarantine(dir: string, now: number): void {
  for (const name of list(dir)) {
    const folder = join(dir, name)
    if (NAME.test(name) && isLeft(folder, now)) rmSync(folder, { recursive: true, force: true })
  }
}

function list(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function isLeft(folder: string, now: number): boolean {
  try {
    const owner = mark.safeParse(JSON.parse(readFileSync(join(folder, OWNER), 'utf8'))).data
    if (owner) return !isRunning(owner)
  } catch (error) {
    if (!(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const found = statSync(folder, { throwIfNoEntry: false })
  return found !== undefined && now - found.mtimeMs > UNOWNED_MS
}
