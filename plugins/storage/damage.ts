/** A damaged file: remembering that it is, keeping it aside, and putting the newest backup in its place. */
import { chmodSync, copyFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type Clock, errorMessage, type Logger, type Random } from 'svc/sdk'
import { type Connection, connect } from './driver.ts'

/** The rolling backup of a file. */
export const backupOf = (file: string): string => `${file}.backup`

/** Exists when a file was found damaged while in use, so that the next opening checks all of it. */
export const damageMarkOf = (file: string): string => `${file}.damaged`

/** Makes the next opening check the whole file. */
export function markDamaged(file: string, log: Logger): void {
  try {
    writeFileSync(damageMarkOf(file), 'Found damaged while in use; checked at the next start.\n', { mode: 0o600 })
  } catch (error) {
    log.warn(`could not note beside ${file} that it is damaged`, { reason: errorMessage(error) })
  }
}

/** Reads every page of the database, about 1 ms per megabyte. The first thing wrong with it, or undefined. */
export function findDamage(connection: Connection): string | undefined {
  const verdict = String(connection.pragma('quick_check(1)', { simple: true }))
  return verdict === 'ok' ? undefined : verdict
}

/** What `replaceDamaged` works with. `schema` is how many migration steps the program knows. */
export interface Rescue {
  readonly file: string
  readonly schema: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** Renames the damaged file and what belongs to it, and puts the newest good backup there, or nothing. Reports it. */
export function replaceDamaged({ file, schema, clock, random, log }: Rescue, reason: string): void {
  const kept = `${file}.corrupt-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-')}`
  for (const part of ['', '-wal', '-shm', '-journal']) {
    if (existsSync(file + part)) renameSync(file + part, kept + part)
  }
  rmSync(damageMarkOf(file), { force: true })
  const taken = restoreBackup({ file, schema, clock, random, log })
  const outcome = taken
    ? `It was replaced by the backup of ${taken}; what came later is only in the damaged file.`
    : 'There is no good backup, so an empty one took its place.'
  log.error(
    `The database ${file} was damaged (${reason}). ${outcome} The damaged file is kept as ${kept}: \`sqlite3 "${kept}" .recover\` may get more out of it; delete it when you no longer need it.`,
    { file, kept, backup: taken ?? 'none' },
  )
}

/** Returns when the backup was taken, or undefined when there is none that is sound and of a known schema. */
function restoreBackup({ file, schema, random, log }: Rescue): string | undefined {
  const backup = backupOf(file)
  if (!existsSync(backup)) return undefined
  const copy = `${file}.restoring-${random.hex(4)}`
  try {
    copyFileSync(backup, copy)
    chmodSync(copy, 0o600)
    const unfit = whyUnfit(copy, schema)
    // Another process that found the same damage may have been quicker.
    if (!unfit && !existsSync(file)) renameSync(copy, file)
    if (!unfit) return statSync(backup).mtime.toISOString()
    log.error(`The backup ${backup} cannot be used: ${unfit}.`)
  } catch (error) {
    log.error(`The backup ${backup} cannot be used: ${errorMessage(error)}.`)
  } finally {
    for (const part of ['', '-wal', '-shm']) rmSync(copy + part, { force: true })
  }
  return undefined
}

function whyUnfit(file: string, schema: number): string | undefined {
  const connection = connect(file)
  try {
    const had = connection.pragma('user_version', { simple: true }) as number
    if (had > schema) return `it has schema ${had} and this svc knows schema ${schema}`
    return findDamage(connection)
  } finally {
    connection.close()
  }
}
