/** Puts a complete folder in the place of another one. A process that is killed in between is completed by the next. */
import { existsSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { flushFolderSync } from './write-atomically.ts'

/**
 * A folder next to `dir` with a name that no profile can have: `.svc.next` of `.svc`. `next` is reserved for the complete folder
 * that `switchFolder` puts in the place of `dir`.
 * @since 0.2
 */
export function getFolderNextTo(dir: string, what: string): string {
  return join(dirname(dir), `.${basename(dir).replace(/^\.+/, '')}.${what}`)
}

/**
 * Renames `dir` to `previous`, and the folder `next` (see `getFolderNextTo`) to `dir`. There is no moment without one of the two under
 * its own name or under that of `next`, and `completeSwitch` finishes what was cut. Throws the error of the system; `dir` is then as it
 * was.
 * @since 0.2
 */
export function switchFolder(dir: string, previous: string): void {
  renameSync(dir, previous)
  try {
    renameSync(getFolderNextTo(dir, 'next'), dir)
  } catch (error) {
    // Another process may have completed the switch in this moment.
    if (!existsSync(dir)) {
      renameSync(previous, dir)
      throw error
    }
  }
  flushFolderSync(dirname(dir))
}

/** Finishes a switch that was cut between its two renames: `dir` is missing and its `next` is there. @since 0.2 */
export function completeSwitch(dir: string): void {
  const next = getFolderNextTo(dir, 'next')
  if (!existsSync(dir) && existsSync(next)) renameSync(next, dir)
}
