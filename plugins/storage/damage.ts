/** Telling that a file is damaged, and remembering it until the file is opened again. */
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { errorMessage, type Logger } from 'svc/sdk'
import type { Connection } from './driver.ts'

const markOf = (file: string) => `${file}.damaged`

/** Makes the next opening check the whole file. */
export function markDamaged(file: string, log: Logger): void {
  try {
    writeFileSync(markOf(file), 'Found damaged while in use; checked at the next start.\n', { mode: 0o600 })
  } catch (error) {
    log.warn(`Could not note beside ${file} that it is damaged: ${errorMessage(error)}.`)
  }
}

/** Whether `markDamaged` was called since all of the file was last found sound. */
export function isMarkedDamaged(file: string): boolean {
  return statSync(markOf(file), { throwIfNoEntry: false }) !== undefined
}

/** All of the file, or of the one that took its place, was found sound. */
export function clearDamageMark(file: string): void {
  rmSync(markOf(file), { force: true })
}

/** Reads every page of the database, about half a millisecond per megabyte. Throws `SQLITE_CORRUPT`. */
export function refuseDamage(connection: Connection): void {
  const verdict = String(connection.pragma('quick_check(1)', { simple: true }))
  if (verdict !== 'ok') throw Object.assign(new Error(verdict), { code: 'SQLITE_CORRUPT' })
}
